package dev.stowage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StowMatcherTest {
  private static final String OUTPUT = "alpha  beta\nbeta gamma\n\n  delta\tone two one\nend\n";

  private static StowOutput output(List<String> errors, List<String> warnings) {
    return new StowOutput(OUTPUT, ImmutableList.copyOf(errors), ImmutableList.copyOf(warnings));
  }

  private static void match(StowOutput output, String... expectations) {
    StowFile file =
        StowFile.parse("t.stow", "# RUN: x\n# " + String.join("\n# ", expectations) + "\n");
    StowMatcher.match(file, file.runs().get(0), output, UnaryOperator.identity());
  }

  private static void match(String... expectations) {
    match(output(List.of(), List.of()), expectations);
  }

  private static String fault(String... expectations) {
    return fault(output(List.of(), List.of()), expectations);
  }

  private static String fault(StowOutput output, String... expectations) {
    return String.valueOf(
        catchThrowableOfType(AssertionError.class, () -> match(output, expectations)).getMessage());
  }

  @Test
  void match_checksInOrder_areMet() {
    assertThatCode(() -> match("CHECK: alpha beta", "CHECK: gamma", "CHECK: end"))
        .doesNotThrowAnyException();
  }

  @Test
  void match_blanks_areEqualInRuns() {
    assertThatCode(() -> match("CHECK: alpha    beta", "CHECK: delta one  two"))
        .doesNotThrowAnyException();
  }

  @Test
  void match_checkOfTheSameLine_isNotMet() {
    assertThat(fault("CHECK: alpha", "CHECK: gamma", "CHECK: beta"))
        .startsWith("t.stow:4: CHECK: beta\n  not found from line 3 on\n  of RUN: x (line 1)")
        .contains("    1: alpha  beta\n  > 2: beta gamma\n");
  }

  @Test
  void match_checkTakesTheFirstLineThatHasIt() {
    // Beta is in line 1 first, so that gamma behind it may be in line 2.
    assertThatCode(() -> match("CHECK: beta", "CHECK: gamma")).doesNotThrowAnyException();
    assertThat(fault("CHECK: beta", "CHECK: beta", "CHECK: gamma"))
        .startsWith("t.stow:4: CHECK: gamma\n  not found from line 3 on");
  }

  @Test
  void match_checkBehindTheLastLine_saysSo() {
    assertThat(fault("CHECK: end", "CHECK: more"))
        .startsWith("t.stow:3: CHECK: more\n  not found: the last match was in the last line");
  }

  @Test
  void match_same_goesOnInTheLine() {
    assertThatCode(() -> match("CHECK: delta", "CHECK-SAME: one", "CHECK-SAME: one", "CHECK: end"))
        .doesNotThrowAnyException();
    assertThat(fault("CHECK: delta", "CHECK-SAME: one", "CHECK-SAME: one", "CHECK-SAME: one"))
        .startsWith("t.stow:5: CHECK-SAME: one\n  not found in the rest of line 4: ''");
    assertThat(fault("CHECK: beta gamma", "CHECK-SAME: delta"))
        .startsWith("t.stow:3: CHECK-SAME: delta\n  not found in the rest of line 2");
  }

  @Test
  void match_not_isBetweenItsNeighbours() {
    assertThatCode(() -> match("CHECK: alpha", "CHECK-NOT: delta", "CHECK: gamma", "CHECK: delta"))
        .doesNotThrowAnyException();
    assertThat(fault("CHECK: alpha", "CHECK-NOT: gamma", "CHECK: delta"))
        .startsWith("t.stow:3: CHECK-NOT: gamma\n  found in line 2: 'beta gamma'");
  }

  @Test
  void match_notInTheRestOfTheLineOrBeforeTheNext_isFound() {
    assertThat(fault("CHECK: alpha", "CHECK-NOT: beta", "CHECK: delta")).contains("in line 1");
    assertThat(fault("CHECK: gamma", "CHECK-NOT: one", "CHECK: two")).contains("in line 4");
    assertThat(fault("CHECK: delta", "CHECK-NOT: one", "CHECK-SAME: two")).contains("in line 4");
    assertThatCode(() -> match("CHECK: delta one", "CHECK-NOT: one", "CHECK-SAME: two"))
        .doesNotThrowAnyException();
  }

  @Test
  void match_notBeforeTheFirstAndAfterTheLast_isFound() {
    assertThat(fault("CHECK-NOT: alpha", "CHECK: gamma")).contains("found in line 1");
    assertThat(fault("CHECK: gamma", "CHECK-NOT: end")).contains("found in line 5");
    assertThat(fault("CHECK-NOT: end")).contains("found in line 5");
    assertThatCode(() -> match("CHECK-NOT: omega")).doesNotThrowAnyException();
    assertThatCode(() -> match("CHECK: end", "CHECK-NOT: alpha")).doesNotThrowAnyException();
  }

  @Test
  void match_errors_areExpectedEach() {
    StowOutput failed =
        output(
            List.of("m: error[unplaceable]: 5 bytes\n  help: x", "error[deadline]: late"),
            List.of());
    assertThatCode(() -> match(failed, "CHECK-ERROR: error[unplaceable]", "CHECK-ERROR: late"))
        .doesNotThrowAnyException();
    assertThat(fault(failed, "CHECK-ERROR: error[unplaceable]: 5 bytes help: x"))
        .startsWith("t.stow:1: RUN: x\n  an error that no CHECK-ERROR expects:")
        .contains("error[deadline]: late");
    assertThat(fault(failed, "CHECK-ERROR: late", "CHECK-ERROR: error[usage]"))
        .startsWith("t.stow:3: CHECK-ERROR: error[usage]\n  no error says so");
    assertThat(fault("CHECK-ERROR: late")).contains("there was no error");
    assertThat(fault(failed, "CHECK: alpha")).contains("no CHECK-ERROR expects");
  }

  @Test
  void match_warnings_mayBeExpected() {
    StowOutput warned = output(List.of(), List.of("warning[usage]: look"));
    assertThatCode(() -> match(warned, "CHECK: alpha")).doesNotThrowAnyException();
    assertThatCode(() -> match(warned, "CHECK-WARNING: look")).doesNotThrowAnyException();
    assertThat(fault(warned, "CHECK-WARNING: out")).contains("no warning says so");
    assertThat(fault("CHECK-WARNING: out")).contains("there was no warning");
  }

  @Test
  void match_withoutExpectations_isAnError() {
    StowFile file = StowFile.parse("t.stow", "# RUN: x\n");
    assertThat(
            catchThrowableOfType(
                AssertionError.class,
                () ->
                    StowMatcher.match(
                        file,
                        file.runs().get(0),
                        output(List.of(), List.of()),
                        UnaryOperator.identity())))
        .hasMessageContaining("t.stow:1: nothing is expected of this RUN")
        .hasMessageContaining("-Dstowage.updateGolden=true");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "program \"p\"\n# a comment\n: 1: no line '# RUN",
        "# CHECK: x\n# RUN: y\n:1: an expectation stands before the first RUN",
        "# RUN: y\n# CHECK-NEXT: x\n:2: there is no CHECK-NEXT",
        "# RUN: y\n# CHECK-SAME: x\n:2: CHECK-SAME stands before the first CHECK",
        "# RUN:\n:1: RUN says nothing",
        "# RUN: y\n# CHECK:  \n:2: CHECK says nothing",
      })
  void parse_wrongFile_saysWhere(String text) {
    int cut = text.lastIndexOf("\n:");
    AssertionError error =
        catchThrowableOfType(
            AssertionError.class, () -> StowFile.parse("t.stow", text.substring(0, cut + 1)));
    assertThat(String.valueOf(error.getMessage()).replace("t.stow: ", "t.stow: 1: "))
        .startsWith("t.stow" + text.substring(cut + 1));
  }

  @Test
  void parse_severalRuns_eachHasWhatFollows() {
    StowFile file =
        StowFile.parse(
            "t.stow",
            "# RUN: a\n  #CHECK: 1\nprogram \"p\"\n# RUN: b{x=\"y\"}\n#  CHECK-NOT: 2\n# CHECK: 3");
    assertThat(file.runs()).extracting(StowFile.Run::text).containsExactly("a", "b{x=\"y\"}");
    assertThat(file.runs().get(0).expectations())
        .extracting(StowFile.Expectation::text)
        .containsExactly("1");
    assertThat(file.runs().get(1).expectations())
        .extracting(StowFile.Expectation::line)
        .containsExactly(4, 5);
  }
}
