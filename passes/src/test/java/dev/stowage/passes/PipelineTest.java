package dev.stowage.passes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PipelineTest {
  private static Diagnostic fault(String text) {
    return catchThrowableOfType(DiagnosticException.class, () -> Pipeline.parse("--pipeline", text))
        .diagnostic();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plan",
        "a,b-c,d",
        "plan{alignment=64}",
        "method(a,b{x=1}),plan",
        "program(a,method(b,graph(c,d)),e)",
        "a{x=1,y=[b{z=\"two words\"},c]},plan{strategy=suite{of=[greedy,naive]}}",
      })
  void parse_canonicalText_printsTheSame(String text) {
    Pipeline pipeline = Pipeline.parse("t", text);
    assertThat(pipeline).hasToString(text);
    assertThat(Pipeline.parse("t", pipeline.toString())).isEqualTo(pipeline);
  }

  @Test
  void parse_blanksCommentsAndNeedlessQuotes_printCanonically() {
    String text =
        """
        # first what the target says
        pin { bank = "dtcm" , # fast
              max = 4KiB },
        plan {}
        """;
    Pipeline pipeline = Pipeline.parse("t", text);
    assertThat(pipeline).hasToString("pin{bank=dtcm,max=4KiB},plan");
    assertThat(Pipeline.parse("t", pipeline.toString())).isEqualTo(pipeline);
  }

  @Test
  void parse_missingClosingBrace_pointsBehindTheText() {
    Diagnostic fault = fault("a,plan{x=1");
    assertThat(fault.kind()).isEqualTo(Kinds.SYNTAX);
    assertThat(fault.location()).hasToString("--pipeline:1:11");
    assertThat(fault.message()).isEqualTo("expected '}' but found the end of the text");
    assertThat(fault.notes()).containsExactly("a,plan{x=1\n          ^");
  }

  @Test
  void parse_twoPassesWithoutComma_pointsAtTheSecond() {
    Diagnostic fault = fault("a,\nplan other");
    assertThat(fault.location()).hasToString("--pipeline:2:6");
    assertThat(fault.message()).isEqualTo("expected ',' or the end of the pipeline");
    assertThat(fault.notes()).containsExactly("plan other\n     ^");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",",
        "a,",
        "a,,b",
        "a{x}",
        "a{x=}",
        "a{x=1,x=2}",
        "a{x=[1}",
        "a}",
        "method()",
        "method(a",
        "a)",
        "method(a,)",
        "method{x=1}(a)",
        "block(a)",
        "method (a) b"
      })
  void parse_illFormed_isASyntaxError(String text) {
    assertThat(fault(text).kind()).isEqualTo(Kinds.SYNTAX);
  }

  @Test
  void parse_partOfALargerLevel_isRefused() {
    Diagnostic fault = fault("graph(method(a))");
    assertThat(fault.kind()).isEqualTo(Kinds.WRONG_LEVEL);
    assertThat(fault.message()).isEqualTo("method(...) cannot stand in graph(...)");
    assertThat(fault.notes()).containsExactly("graph(method(a))\n      ^^^^^^");
    assertThat(fault("method(method(a))").kind()).isEqualTo(Kinds.WRONG_LEVEL);
  }

  @Test
  void parse_unknownLevel_suggestsTheNearest() {
    assertThat(fault("a,methd(b)").help()).startsWith("did you mean method? ");
    assertThat(fault("").message()).isEqualTo("the pipeline is empty");
    assertThat(fault("method()").message()).isEqualTo("method(...) is empty");
  }

  @Test
  void parse_blanksAndComments_betweenTheParts() {
    assertThat(Pipeline.parse("t", "method ( # first\n a , b )\n,\n c"))
        .hasToString("method(a,b),c");
  }
}
