package dev.stowage.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class DiagnosticTest {
  @Test
  void render_everything_placeKindMessageNotesHelp() {
    Diagnostic diagnostic =
        Diagnostic.of(
                Kinds.UNPLACEABLE, new Location("kws.json", "buffer 3"), "24 bytes fit nowhere")
            .note("dtcm has 12")
            .note("two\nlines")
            .help("enlarge it");

    assertThat(diagnostic.render())
        .isEqualTo(
            """
            kws.json:buffer 3: error[unplaceable]: 24 bytes fit nowhere
              note: dtcm has 12
              note: two
                    lines
              help: enlarge it\
            """);
  }

  @Test
  void render_controlCharactersFromAFile_reachNoTerminal() {
    assertThat(Diagnostic.of(Kinds.INPUT_VALUE, "a\u001b[31m\nb\u202ec").note("d\u001be").render())
        .isEqualTo("error[input-value]: a?[31m?b?c\n  note: d?e");
  }

  @Test
  void render_hugeMessage_isCut() {
    assertThat(Diagnostic.of(Kinds.INPUT_VALUE, "x".repeat(100_000)).render())
        .hasSizeLessThan(1_100)
        .endsWith("x...");
  }
}
