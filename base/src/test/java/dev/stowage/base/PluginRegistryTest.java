package dev.stowage.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class PluginRegistryTest {
  @Test
  void get_unknownName_suggestsTheNearest() {
    Diagnostic fault =
        catchThrowableOfType(
                DiagnosticException.class, () -> registry("NAIVE", "GREEDY").get("gredy"))
            .diagnostic();
    assertThat(fault.kind()).isEqualTo(Kinds.UNKNOWN_STRATEGY);
    assertThat(fault.message()).isEqualTo("there is no strategy called 'gredy'");
    assertThat(fault.help()).isEqualTo("did you mean greedy? possible: greedy, naive");
  }

  @Test
  void constructor_twoOfOneName_areRefusedByName() {
    assertThatThrownBy(() -> registry("Greedy", "GREEDY"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("greedy: Greedy and GREEDY");
  }

  @Test
  void all_providers_areSortedByName() {
    PluginRegistry<String> registry = registry("NAIVE", "GREEDY");
    assertThat(registry.names()).containsExactly("greedy", "naive");
    assertThat(registry.all()).containsExactly("GREEDY", "NAIVE");
    assertThat(registry.get("naive")).isEqualTo("NAIVE");
  }

  private static PluginRegistry<String> registry(String... providers) {
    return new PluginRegistry<>(
        "strategy",
        Kinds.UNKNOWN_STRATEGY,
        List.of(providers),
        provider -> provider.toLowerCase(Locale.ROOT));
  }
}
