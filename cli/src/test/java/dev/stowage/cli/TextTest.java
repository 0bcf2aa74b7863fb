package dev.stowage.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextTest {
  @Test
  void shorten_longText_keepsBothEnds() {
    assertThat(Text.shorten("model/block_12/depthwise/Conv2D", 16)).isEqualTo("model…ise/Conv2D");
    assertThat(Text.shorten("0123456789", 10)).isEqualTo("0123456789");
    assertThat(Text.shorten("0123456789", 9)).hasSize(9);
    assertThat(Text.shorten("abc", 1)).isEqualTo("…");
  }

  @Test
  void wrap_words_breaksBetweenThemAndInsideLongOnes() {
    assertThat(Text.wrap(2, 4, "aa bb cc ddddddddddd", 8))
        .containsExactly("  aa bb", "    cc", "    dddd", "    dddd", "    ddd");
    assertThat(Text.wrap(0, 0, "", 8)).containsExactly("");
  }

  @Test
  void millis_ofAnyLength_hasSensibleDigits() {
    assertThat(Text.millis(420_000)).isEqualTo("0.42 ms");
    assertThat(Text.millis(42_140_000)).isEqualTo("42.1 ms");
    assertThat(Text.millis(4_213_400_000L)).isEqualTo("4,213 ms");
  }

  @Test
  void table_tooWide_keepsNumbersAndShortensText() {
    StringBuilder text = new StringBuilder();
    new Table(2, "name", "#bytes")
        .row("n".repeat(100), "123,456,789")
        .appendTo(text, new Style(false));
    assertThat(text.toString().lines())
        .allSatisfy(line -> assertThat(line).hasSize(80))
        .last()
        .asString()
        .endsWith(" 123,456,789");
  }

  @Test
  void table_longLastText_isBroken() {
    StringBuilder text = new StringBuilder();
    new Table(0, "name", "summary").row("x", "word ".repeat(20)).appendTo(text, new Style(false));
    assertThat(text.toString().lines().toList()).hasSize(3);
    assertThat(text.toString().lines().skip(2))
        .allSatisfy(it -> assertThat(it).startsWith("      word"));
  }
}
