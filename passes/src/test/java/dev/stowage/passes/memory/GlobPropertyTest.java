package dev.stowage.passes.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobPropertyTest {
  @ParameterizedTest
  @CsvSource({
    "'', '', true",
    "'', a, false",
    "*, '', true",
    "*, a.b, true",
    "dma*, dma_copy, true",
    "dma*, xdma, false",
    "*dma, xdma, true",
    "a*b*c, aXbYc, true",
    "a*b*c, acb, false",
    "*ab, aab, true",
    "**, x, true",
    "a.c, abc, false",
    "[ab], a, false",
    "a?, ab, false",
    "Conv*, conv1, false",
  })
  void matches_pattern_onlyTheStarIsSpecial(String pattern, String name, boolean expected) {
    assertThat(new Glob(pattern).matches(name)).isEqualTo(expected);
  }

  @Test
  void matches_randomPatterns_agreesWithTryingEverything() {
    int matched = 0;
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      String pattern = text(random, "ab*", 7);
      String name = text(random, "ab", 9);
      boolean expected = slow(pattern, name);
      matched += expected ? 1 : 0;
      assertThat(new Glob(pattern).matches(name))
          .as("%s matches %s", pattern, name)
          .isEqualTo(expected);
    }
    assertThat(matched).isBetween(2_000, 18_000);
  }

  @Test
  @Timeout(10)
  void matches_manyStars_takesNoExponentialTime() {
    assertThat(new Glob("a*".repeat(50) + "b").matches("a".repeat(5_000))).isFalse();
  }

  private static String text(Random random, String letters, int longest) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(longest + 1); i > 0; i--) {
      text.append(letters.charAt(random.nextInt(letters.length())));
    }
    return text.toString();
  }

  private static boolean slow(String pattern, String name) {
    if (pattern.isEmpty()) {
      return name.isEmpty();
    }
    if (pattern.charAt(0) == '*') {
      return slow(pattern.substring(1), name)
          || (!name.isEmpty() && slow(pattern, name.substring(1)));
    }
    return !name.isEmpty()
        && pattern.charAt(0) == name.charAt(0)
        && slow(pattern.substring(1), name.substring(1));
  }
}
