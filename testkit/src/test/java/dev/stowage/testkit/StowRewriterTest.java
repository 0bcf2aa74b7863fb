package dev.stowage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

@SuppressWarnings("StringConcatToTextBlock") // directives are easier to tell from Java this way
class StowRewriterTest {
  private static final String PROGRAM =
      "program \"p\"\n\nmethod @m {\n  graph @g {\n    one\n    two\n    output\n  }\n}\n";

  private static StowOutput output(String text, String... errors) {
    return new StowOutput(text, ImmutableList.copyOf(errors), ImmutableList.of());
  }

  private static String rewrite(String content, StowOutput... outputs) {
    return StowRewriter.rewrite(
        StowFile.parse("t.stow", content),
        ImmutableList.copyOf(outputs),
        UnaryOperator.identity(),
        UnaryOperator.identity());
  }

  private static void assertMet(String content, StowOutput... outputs) {
    StowFile file = StowFile.parse("t.stow", content);
    for (int i = 0; i < outputs.length; i++) {
      int run = i;
      assertThatCode(
              () ->
                  StowMatcher.match(
                      file, file.runs().get(run), outputs[run], UnaryOperator.identity()))
          .doesNotThrowAnyException();
    }
  }

  @Test
  void rewrite_withoutExpectations_putsThemBehindTheRun() {
    String written = rewrite("# about\n# RUN: x\n" + PROGRAM, output(PROGRAM));
    assertThat(written)
        .isEqualTo(
            """
            # about
            # RUN: x
            # CHECK: method @m {
            # CHECK:   graph @g {
            # CHECK:     one
            # CHECK:     two
            # CHECK:     output
            """
                + PROGRAM);
    assertMet(written, output(PROGRAM));
    assertThat(rewrite(written, output(PROGRAM))).isEqualTo(written);
  }

  @Test
  void rewrite_staleExpectations_areReplacedWhereTheyStood() {
    String content =
        "# RUN: x\n"
            + "program \"p\"  # kept\n"
            + "  # CHECK: old\n"
            + "method @m {\n"
            + "# CHECK: older\n"
            + "  graph @g {\n"
            + "    output # CHECK: no directive\n"
            + "  }\n"
            + "}\n";
    String written = rewrite(content, output("method @m {\n    output\n"));
    assertThat(written)
        .isEqualTo(
            "# RUN: x\nprogram \"p\"  # kept\n  # CHECK: method @m {\n  # CHECK:     output\n"
                + "method @m {\n  graph @g {\n    output # CHECK: no directive\n  }\n}\n");
    assertMet(written, output("method @m {\n    output\n"));
  }

  @Test
  void rewrite_absentWords_areKeptBehindTheLineBeforeThem() {
    String content =
        """
        # RUN: x
        # CHECK-NOT:   zero
        # CHECK: one
        # CHECK-NOT: half
        # CHECK: gone
        # CHECK-NOT: three
        """;
    String written = rewrite(content, output(PROGRAM));
    assertThat(written)
        .isEqualTo(
            """
            # RUN: x
            # CHECK-NOT:   zero
            # CHECK: method @m {
            # CHECK:   graph @g {
            # CHECK:     one
            # CHECK-NOT: half
            # CHECK-NOT: three
            # CHECK:     two
            # CHECK:     output
            """);
    assertMet(written, output(PROGRAM));
  }

  @Test
  void rewrite_severalRuns_keepTheirOwn() {
    String written =
        rewrite(
            "# RUN: x\n# CHECK: old\n# RUN: y\n# RUN: z\n",
            output("a\n"),
            output("b\n"),
            output("c"));
    assertThat(written)
        .isEqualTo("# RUN: x\n# CHECK: a\n# RUN: y\n# CHECK: b\n# RUN: z\n# CHECK: c\n");
  }

  @Test
  void rewrite_errors_areWrittenWithKindAndMessage() {
    String written =
        rewrite(
            "# RUN: x\n# CHECK: old\n# RUN: y\n# CHECK-ERROR: error[old]\n",
            output("", "x:1:2: error[unknown-pass]: there is no pass called 'x'\n  note: x\n  ^"),
            output("a\n"));
    assertThat(written)
        .isEqualTo(
            "# RUN: x\n# CHECK-ERROR: error[unknown-pass]: there is no pass called 'x'\n"
                + "# RUN: y\n# CHECK: a\n");
  }

  @Test
  void rewrite_warnings_areWrittenWhereThereWereSome() {
    StowOutput warned =
        new StowOutput("a\n", ImmutableList.of(), ImmutableList.of("at: warning[usage]: look"));
    assertThat(rewrite("# RUN: x\n", warned)).isEqualTo("# RUN: x\n# CHECK: a\n");
    assertThat(rewrite("# RUN: x\n# CHECK-WARNING: old\n", warned))
        .isEqualTo("# RUN: x\n# CHECK-WARNING: warning[usage]: look\n# CHECK: a\n");
  }

  @Test
  void rewrite_lineEnds_areThoseOfTheFile() {
    assertThat(rewrite("# RUN: x\r\nprogram\r\n# CHECK: old", output("a\nb\n")))
        .isEqualTo("# RUN: x\r\nprogram\r\n# CHECK: a\r\n# CHECK: b\r\n");
    assertThat(rewrite("program\n# RUN: x", output("a\n")))
        .isEqualTo("program\n# RUN: x\n# CHECK: a\n");
  }

  @Test
  void rewrite_folders_areFolded() {
    String written =
        StowRewriter.rewrite(
            StowFile.parse("t.stow", "# RUN: x\n"),
            ImmutableList.of(output("", "error[usage]: no file /tmp/here/rules.json")),
            UnaryOperator.identity(),
            text -> text.replace("/tmp/here", "%S"));
    assertThat(written).isEqualTo("# RUN: x\n# CHECK-ERROR: error[usage]: no file %S/rules.json\n");
  }

  @Test
  void content_ofAnyFile_isThatFile() {
    for (String content :
        Arrays.asList("# RUN: x", "# RUN: x\n", "\n\n# RUN: x\r\n\r\n a", " # RUN: x\n\n\n")) {
      assertThat(StowFile.parse("t.stow", content).content()).isEqualTo(content);
    }
  }
}
