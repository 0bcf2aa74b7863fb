package dev.stowage.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteSizeTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "4096, 4096",
    "0.5 KiB, 512",
    "128 KiB, 131072",
    "2kB, 2000",
    "1.5MB, 1500000",
    "3 b, 3",
    "1.25gib, 1342177280",
    "9223372036854775807, 9223372036854775807",
    "8388607 TiB, 9223370937343148032",
  })
  void parse_size_isExact(String text, long bytes) {
    assertThat(ByteSize.parse(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource({
    "0.3 KiB, no whole number of bytes",
    "1.5, no whole number of bytes",
    "9223372036854775808, below 2^63",
    "8388608 TiB, below 2^63",
    "4 KB4, not a size",
    "-1, not a size",
    ".5 KiB, not a size",
    "'', not a size",
    "4 KiBi, unknown unit 'KiBi'",
    "4 K, unknown unit 'K'",
  })
  void parse_noSize_saysWhy(String text, String message) {
    assertThatThrownBy(() -> ByteSize.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "1023, 1023 B",
    "1024, 1.0 KiB",
    "55296, 54.0 KiB",
    "1048525, 1.0 MiB",
    "1048524, 1023.9 KiB",
    "9223372036854775807, 8.0 EiB",
  })
  void rounded_bytes_haveTheLargestUnitBelow(long bytes, String text) {
    assertThat(ByteSize.rounded(bytes)).isEqualTo(text);
  }

  @Test
  void exact_bytes_areGrouped() {
    assertThat(ByteSize.exact(1_234_567)).isEqualTo("1,234,567");
  }
}
