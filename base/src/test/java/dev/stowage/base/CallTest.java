package dev.stowage.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CallTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "greedy",
        "greedy{overlap=false}",
        "suite{of=[greedy,naive{a=1,b=\"two words\"},[]],x=a:b/c.d+e*f-g}",
        "p{s=\"\",t=\"a\\\"b\\\\c\\nd\"}",
      })
  void toString_parsedText_isTheText(String text) {
    assertThat(Call.parse("test", text)).hasToString(text);
  }

  @Test
  void parse_printedCall_equalsTheCall() {
    for (int seed = 0; seed < 300; seed++) {
      Call call = call(new Random(seed), 3);
      assertThat(Call.parse("test", call.toString())).as("seed %s: %s", seed, call).isEqualTo(call);
    }
  }

  @Test
  void parse_blanksCommentsAndEmptyBraces_meanNothing() {
    assertThat(Call.parse("test", " a { x = [ b , c{ } ] # why\n } "))
        .isEqualTo(Call.parse("test", "a{x=[b,c]}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "greedy{overlap}        | 1:15 | expected '=' but found '}'",
        "greedy{a=1,a=2}        | 1:12 | option 'a' is set twice",
        "greedy{a=}             | 1:10 | expected a value but found '}'",
        "greedy{a=[1,2}         | 1:14 | expected ']' but found '}'",
        "greedy{a=\"x}          | 1:10 | this string has no end",
        "greedy,naive           | 1:7  | nothing may follow the call",
        "greedy{                | 1:8  | expected an option but found the end of the text",
        "{a=1}                  | 1:1  | expected a name but found '{'",
      })
  void parse_illFormed_pointsAtTheFault(String text, String place, String message) {
    Diagnostic fault = fault(text.strip());
    assertThat(fault.kind()).isEqualTo(Kinds.SYNTAX);
    assertThat(fault.location()).isEqualTo(new Location("--strategy", place.strip()));
    assertThat(fault.message()).isEqualTo(message.strip());
  }

  @Test
  void parse_faultOnTheSecondLine_showsThatLineWithACaret() {
    assertThat(fault("greedy{\n\ta = ;\n}").render())
        .isEqualTo(
            """
            --strategy:2:6: error[syntax]: expected a value but found ';'
              note:  a = ;
                         ^\
            """);
  }

  @Test
  void asCall_wordOfAText_pointsIntoTheText() {
    Call outer = Call.parse("--strategy", "suite{of=greedi}");
    Value word = outer.options().values().iterator().next();
    assertThat(word.asCall().diagnose(Kinds.UNKNOWN_STRATEGY, "unknown").location())
        .isEqualTo(new Location("--strategy", "1:10"));
    assertThat(word).isEqualTo(new Value.Word("greedi")).hasSameHashCodeAs("greedi");
  }

  @Test
  void at_anotherCall_pointsToItsPlace() {
    Call name = Call.parse("--pipeline", "  tflm");
    Call plan = Call.of("plan").at(name);
    assertThat(plan).isEqualTo(Call.of("plan"));
    assertThat(plan.diagnose(Kinds.WRONG_LEVEL, "wrong").location())
        .isEqualTo(new Location("--pipeline", "1:3"));
  }

  @Test
  void parse_faultFarInALongLine_keepsTheCaretInSight() {
    Diagnostic fault = fault("a{x=" + "y".repeat(500) + ";}");
    assertThat(fault.location().place()).isEqualTo("1:505");
    String[] lines = fault.notes().get(0).split("\n", -1);
    assertThat(lines[0]).isEqualTo("y".repeat(60) + ";}");
    assertThat(lines[1]).isEqualTo(" ".repeat(60) + "^");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "a{x="})
  void parse_deepNesting_isRefusedWithoutOverflow(String opening) {
    assertThat(fault("a{x=" + opening.repeat(200_000)).message()).contains("nested deeper than");
  }

  private static Diagnostic fault(String text) {
    return catchThrowableOfType(DiagnosticException.class, () -> Call.parse("--strategy", text))
        .diagnostic();
  }

  private static Call call(Random random, int depth) {
    ImmutableMap.Builder<String, Value> options = ImmutableMap.builder();
    for (int i = random.nextInt(3); i > 0; i--) {
      options.put("option-" + i, value(random, depth - 1));
    }
    return Call.of("name" + random.nextInt(10), options.buildOrThrow());
  }

  private static Value value(Random random, int depth) {
    switch (depth <= 0 ? 0 : random.nextInt(3)) {
      case 1 -> {
        ImmutableList.Builder<Value> items = ImmutableList.builder();
        for (int i = random.nextInt(4); i > 0; i--) {
          items.add(value(random, depth - 1));
        }
        return new Value.Items(items.build());
      }
      case 2 -> {
        return new Value.Nested(call(random, depth - 1).with("x", new Value.Word("1")));
      }
      default -> {
        String alphabet = "aZ09_.:/+*- \"\\\n\t#{}[],=é%";
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
          text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return new Value.Word(text.toString());
      }
    }
  }
}
