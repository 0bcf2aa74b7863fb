package dev.stowage.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceTest {
  @ParameterizedTest
  @CsvSource({"cpu, cpu", "CPU:0, cpu", "cpu:1, cpu:1", "' Cuda ', cuda:0", "cuda:12, cuda:12"})
  void toString_parsedText_isCanonical(String text, String canonical) {
    assertThat(Device.parse(text)).hasToString(canonical);
    assertThat(Device.parse(canonical)).isEqualTo(Device.parse(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "cuda:", "cuda:-1", "cuda:x", "a b", "cuda:99999999999"})
  void parse_noDevice_isRefused(String text) {
    assertThatThrownBy(() -> Device.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void compareTo_host_isFirstThenTypeAndIndex() {
    assertThat(Stream.of("cuda:10", "cuda:2", "cpu:1", "apu", "cpu").map(Device::parse).sorted())
        .map(Device::toString)
        .containsExactly("cpu", "apu:0", "cpu:1", "cuda:2", "cuda:10");
  }
}
