package dev.stowage.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    Diagnostic fault =
        catchThrowableOfType(DiagnosticException.class, () -> registry("Greedy", "GREEDY"))
            .diagnostic();
    assertThat(fault.kind()).isEqualTo(Kinds.PLUGIN_CLASH);
    assertThat(fault.message())
        .startsWith("two of kind strategy are called 'greedy': java.lang.String from ")
        .contains(" and java.lang.String from ");
  }

  @Test
  void get_callThatWasRead_pointsAtIt() {
    TextCursor cursor = new TextCursor("--strategy", "  gredy");
    Diagnostic fault =
        catchThrowableOfType(
                DiagnosticException.class, () -> registry("GREEDY").get(Call.read(cursor)))
            .diagnostic();
    assertThat(fault.location()).hasToString("--strategy:1:3");
    assertThat(fault.notes()).containsExactly("  gredy\n  ^^^^^");
  }

  @Test
  void all_providers_areSortedByName() {
    PluginRegistry<String> registry = registry("NAIVE", "GREEDY");
    assertThat(registry.names()).containsExactly("greedy", "naive");
    assertThat(registry.all()).containsExactly("GREEDY", "NAIVE");
    assertThat(registry.get("naive")).isEqualTo("NAIVE");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "my strategy", "a{b", "ä"})
  void constructor_nameThatNoCallHas_isAFailureOfThePlugin(String name) {
    assertThatThrownBy(() -> registry(name))
        .isInstanceOf(PluginFailedException.class)
        .hasMessageStartingWith("strategy 'java.lang.String' from module java.base failed: ")
        .hasMessageContaining("its name '" + name + "' is empty or has other characters");
  }

  @Test
  @SuppressWarnings("NullAway") // on purpose
  void constructor_nameThatIsNull_isAFailureOfThePlugin() {
    assertThatThrownBy(
            () -> new PluginRegistry<>("pass", Kinds.UNKNOWN_PASS, List.of(7), it -> null))
        .isInstanceOf(PluginFailedException.class)
        .hasMessageStartingWith("pass 'java.lang.Integer' from ")
        .hasMessageEndingWith("it has no name");
  }

  @Test
  void get_emptyRegistry_saysThatThereIsNone() {
    Diagnostic fault =
        catchThrowableOfType(DiagnosticException.class, () -> registry().get("greedy"))
            .diagnostic();
    assertThat(fault.help()).isEqualTo("there is none at all; a plug-in may bring some");
  }

  private static PluginRegistry<String> registry(String... providers) {
    return new PluginRegistry<>(
        "strategy",
        Kinds.UNKNOWN_STRATEGY,
        List.of(providers),
        provider -> provider.toLowerCase(Locale.ROOT));
  }
}
