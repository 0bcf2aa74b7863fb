package dev.stowage.ir.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Device;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.ir.Alias;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Program;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProgramParserTest {
  /** Everything that the language has, as the printer lays it out. */
  private static final String EVERYTHING =
      """
      program "kws"

      state @cache : f32[1,64]

      method @forward {allocation=inputs:outputs:no-state} {
        tensor %5 "weight" : i4[3,3] const {trainable=true}
        tensor %6 : f32[1,64] state @cache

        graph @main {
          %0 "x" : f32[8,4] {origin=0} = input
          %1 : f32[8,4] on cuda:0 {pin=2} = alloc
          %2 : f32[8,4] on cuda:0 same %1 {origin=4} = aten.add.out(%0, %0, _, out %1)
          %3 : f32[2,4] on cuda:0 view %2+32 = view(bind %2)
          7: %4 : f32[?,4] bounded 128 bytes, %7 : bool[] = if([%3, %5], 3: %0) @then, @else {backend=Xnn}
          jump_if_false(%7) -> 10
          %8 : f32[1,64] mutates %6 = "in place!"(inout %6)
          10: output(%4, %8)
        }

        graph @then {
          output(%3)
        }

        graph @else {
          %9 : string[?] unbounded, %10 : f32[] 64 bytes = opaque
          output(%9)
        }
      }
      """;

  @Test
  void print_parsedText_isTheText() {
    assertThat(ProgramPrinter.print(ProgramParser.parse("t", EVERYTHING))).isEqualTo(EVERYTHING);
  }

  @Test
  void parse_everything_meansWhatItSays() {
    Program program = ProgramParser.parse("t", EVERYTHING);
    Method method = program.methods().get(0);
    assertThat(program.states().keySet()).containsExactly("cache");
    assertThat(method.get(MemoryKeys.ALLOCATION)).contains(new Allocation(true, true, false));
    assertThat(method.tensor(3).alias()).isEqualTo(Alias.view(2, 32));
    assertThat(method.get(MemoryKeys.DEVICE, 3)).contains(new Device("CUDA", 0));
    assertThat(method.get(MemoryKeys.PIN, 3)).contains(2);
    assertThat(method.tensor(5).type().bytes()).isEqualTo(5);
    assertThat(method.tensor(9).type().bytes()).isEqualTo(TensorType.UNKNOWN);
    Node add = method.entry().nodes().get(2);
    assertThat(add.operands())
        .containsExactly(
            new Operand(0, 0, Access.READ),
            new Operand(0, 1, Access.READ),
            new Operand(Operand.HOLE, 2, Access.READ),
            new Operand(1, 3, Access.WRITE));
    Node branch = method.entry().nodes().get(4);
    assertThat(branch.id()).isEqualTo(7);
    assertThat(branch.operands())
        .containsExactly(
            new Operand(3, 0, Access.READ),
            new Operand(5, 0, Access.READ),
            new Operand(0, 3, Access.READ));
    assertThat(branch.graphs().asList()).containsExactly(1, 2);
    assertThat(method.entry().nodes().get(5).id()).isEqualTo(8);
  }

  @Test
  void describe_tensor_namesTypeAndDevice() {
    Method method = ProgramParser.parse("t", EVERYTHING).methods().get(0);
    assertThat(ProgramPrinter.describe(method, 0)).isEqualTo("%0 (x): f32[8,4] on cpu");
    assertThat(ProgramPrinter.describe(method, 3)).isEqualTo("%3: f32[2,4] on cuda:0");
  }

  @Test
  void parse_commentsAndAnyLayout_areFree() {
    Program terse =
        ProgramParser.parse(
            "t", "program\"p\"method@m{graph@g{%0:f32[2]=input output(%0)}} # the end");
    assertThat(terse).isEqualTo(inGraph("%0 : f32[2] = input # x\n\n output ( % 0 )"));
  }

  @Test
  void parse_wrongCharacter_pointsAtItWithACaret() {
    Diagnostic fault = fault("program \"p\"\nmethod @m {\n  graph @g {\n    %0 ; f32[2] = input\n");
    assertThat(fault.kind()).isEqualTo(Kinds.INPUT_SYNTAX);
    assertThat(fault.location().toString()).isEqualTo("t:4:8");
    assertThat(fault.message()).isEqualTo("expected '=' but found ';'");
    assertThat(fault.notes()).containsExactly("    %0 ; f32[2] = input\n       ^");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "%0 : f33[2] = input             | input-value     | 6 | there is no element type 'f33'",
        "%0 : f32[?] = input             | input-member    | 6 | do not follow from its shape",
        "%0 : f32[2147483648,2147483648] = input | input-overflow | 6 | more than 2^63 - 1"
            + " bytes",
        "%0 : i8[99999999999999999999] = input | input-overflow | 9 | above 2^63 - 1",
        "%0 : f32[-1] = input            | input-syntax    | 10 | expected a dimension",
        "%2000000000 : f32[2] = input    | input-value     | 2 | there is %2000000000 and no %0",
        "%99999999999 : f32[2] = input   | input-value     | 2 | above 2^31 - 1",
        "%0:i8[2]=a %0:i8[2]=a           | input-value     | 13 | %0 is defined twice",
        "%0 : f32[2] same %1 = input     | input-reference | 2 | alias of %1, which does not"
            + " exist",
        "%0 : f32[2] same %0 = input     | input-value     | 2 | form a cycle",
        "%0:i8[2] same %1=a %1:i8[2] same %0=a | input-value | 21 | edges of %0 and %1 form a"
            + " cycle",
        "%0 : f32[2] {orgin=1} = input   | input-member    | 14 | there is no annotation 'orgin'",
        "%0 : f32[2] {origin=x} = input  | input-value     | 21 | not a number: 'x'",
        "%0 : f32[2] {origin=9999999999} = input | input-value | 21 | above 2^31 - 1",
        "%0 : f32[2] {owner=me} = input  | input-value     | 20 | neither caller nor runtime",
        "%0 : f32[2] {trainable=1} = input | input-value   | 24 | neither true nor false",
        "%0 : f32[2] {pin=1,pin=2} = input | input-syntax  | 20 | 'pin' is set twice",
        "%0 : f32[2] {allocation=inputs:outputs:state} = input | input-member | 14 | the method"
            + " as",
        "%0 : f32[2] {device=cuda} = input | input-member  | 14 | outside the braces",
        "%0:i8[2]=a %1:i8[2] same %0 {pin=1}=b | input-member | 30 | belongs to bytes",
        "%0:i8[2]=a %1:i8[2] on cuda same %0=b | input-value | 21 | %0, which is on cpu",
        "%0 : i8[2] = call @then         | input-reference | 19 | this method has no graph @then",
        "%0 : i8[2] = f(on %0)           | input-syntax    | 16 | expected an operand",
        "%0 : i8[2] = f(%0               | input-syntax    | 18 | expected ')'",
      })
  void parse_faultInANode_isLocated(String node, String kind, String column, String message) {
    Diagnostic fault = fault("program \"p\" method @m {graph @g {\n" + node.strip() + "}}");
    assertThat(fault.kind().name()).isEqualTo(kind.strip());
    assertThat(fault.location().toString()).isEqualTo("t:2:" + column.strip());
    assertThat(fault.message()).contains(message.strip());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "program", "program \"p", "program \"p\" method", "program \"p\" x"})
  void parse_truncatedText_isASyntaxError(String text) {
    assertThat(fault(text).kind()).isEqualTo(Kinds.INPUT_SYNTAX);
  }

  @Test
  void parse_everyPrefix_isRefusedAsInput() {
    for (int length = 0; length < EVERYTHING.length() - 2; length++) {
      String prefix = EVERYTHING.substring(0, length);
      // The header alone, and the header with its state, are programs.
      boolean whole = prefix.strip().endsWith("\"kws\"") || prefix.strip().endsWith("[1,64]");
      if (!whole || prefix.contains("method")) {
        assertThat(fault(prefix).kind().category())
            .as("prefix of %s", length)
            .isEqualTo(DiagnosticKind.Category.INPUT);
      }
    }
  }

  @Test
  void parse_offsetsOfAChainThatOverflow_areRefused() {
    String half = "+4611686018427387904";
    Diagnostic fault =
        fault(
            "program \"p\" method @m { graph @g {"
                + " %0 : i8[?] unbounded = input"
                + (" %1 : i8[?] unbounded view %0" + half + " = view")
                + (" %2 : i8[?] unbounded view %1" + half + " = view")
                + " output } }");
    assertThat(fault.kind()).isEqualTo(Kinds.INPUT_OVERFLOW);
    assertThat(fault.location().place()).isEqualTo("1:20");
  }

  @Test
  void parse_deepBrackets_areASyntaxErrorNotAnOverflow() {
    Diagnostic fault =
        fault("program \"p\" method @m { graph @g { f(" + "[".repeat(1_000_000) + " } }");
    assertThat(fault.kind()).isEqualTo(Kinds.INPUT_SYNTAX);
  }

  @Test
  void parse_longChainOfViewsAndCalls_needsNoRecursion() {
    int n = 100_000;
    StringBuilder text = new StringBuilder("program \"p\" method @m {\n");
    for (int i = 0; i < n; i++) {
      text.append("graph @g").append(i).append(" {");
      text.append("%").append(i).append(":i8[1]").append(i > 0 ? " view %" + (i - 1) : "");
      text.append(i < n - 1 ? "=call @g" + (i + 1) : "=input").append(" output}\n");
    }
    Method method = ProgramParser.parse("t", text + "}").methods().get(0);
    assertThat(method.body().root(n - 1)).isZero();
  }

  @Test
  void parse_severalStructuralFaults_throwsTheFirstAndNotesTheOthers() {
    Diagnostic fault = fault("program \"p\" method @m { graph @g { f(%5) g(%6) output } }");
    assertThat(fault.kind()).isEqualTo(Kinds.INPUT_REFERENCE);
    assertThat(fault.location().toString()).isEqualTo("t:m/g/0 (f)");
    assertThat(fault.notes())
        .containsExactly("also at m/g/1 (g): it uses %6, which does not exist");
  }

  private static Program inGraph(String nodes) {
    return ProgramParser.parse("t", "program \"p\" method @m { graph @g { " + nodes + " } }");
  }

  private static Diagnostic fault(String text) {
    DiagnosticException thrown =
        catchThrowableOfType(DiagnosticException.class, () -> ProgramParser.parse("t", text));
    assertThat(thrown).as(text.length() > 1000 ? "long text" : text).isNotNull();
    return thrown.diagnostic();
  }

  @Test
  void print_emptyProgram_parsesBack() {
    Program empty = new Program("", ImmutableList.of(), ImmutableMap.of());
    assertThat(ProgramParser.parse("t", ProgramPrinter.print(empty))).isEqualTo(empty);
  }
}
