package dev.stowage.verifier;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Keeps {@code docs/findings.md} complete. */
class FindingsPageTest {
  private static final Pattern SECTION = Pattern.compile("(?m)^## (.+)$");

  @Test
  void sections_areTheKindsInTheirOrder() throws IOException {
    String page = Files.readString(Path.of("../docs/findings.md"));

    assertThat(SECTION.matcher(page).results().map((MatchResult it) -> it.group(1)).toList())
        .isEqualTo(Arrays.stream(FindingKind.values()).map(FindingKind::toString).toList());
  }
}
