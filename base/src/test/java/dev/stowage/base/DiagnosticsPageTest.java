package dev.stowage.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Keeps {@code docs/diagnostics.md} complete. */
class DiagnosticsPageTest {
  private static final Pattern SECTION = Pattern.compile("(?m)^### (.+)$");

  @Test
  void sections_areTheKindsInTheirOrder_eachWithAnExampleOfIt() throws IOException {
    String page = Files.readString(Path.of("../docs/diagnostics.md"));
    List<String> kinds = Kinds.all().stream().map(DiagnosticKind::name).toList();

    assertThat(SECTION.matcher(page).results().map((MatchResult it) -> it.group(1)).toList())
        .isEqualTo(kinds);
    assertThat(kinds)
        .allSatisfy(
            kind -> assertThat(page).containsPattern("(error|warning)\\[" + kind + "\\]: "));
  }
}
