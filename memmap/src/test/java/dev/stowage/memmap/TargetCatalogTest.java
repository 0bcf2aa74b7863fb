package dev.stowage.memmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.PluginFailedException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TargetCatalogTest {
  private static final MemoryMap MAP = MemoryMap.of(List.of(Bank.builder("sram", 4096, 3).build()));

  private static final class Npus implements TargetProvider {
    @Override
    public ImmutableList<Target> targets() {
      return ImmutableList.of(
          Target.of("acme-npu2", "the large one", MAP), Target.of("acme-npu1", "the small", MAP));
    }
  }

  private static final class Others implements TargetProvider {
    @Override
    public ImmutableList<Target> targets() {
      return ImmutableList.of(Target.of("acme-npu1", "somebody else's", MAP));
    }
  }

  @Test
  void get_ofSeveral_isTheOneOfTheName() {
    TargetCatalog catalog = new TargetCatalog(List.of(new Npus()));
    assertThat(catalog.get("acme-npu1").summary()).isEqualTo("the small");
    assertThat(catalog.get("acme-npu1").map()).isSameAs(MAP);
    assertThat(catalog.all()).extracting(Target::name).containsExactly("acme-npu1", "acme-npu2");
  }

  @Test
  void get_unknown_suggestsTheNearest() {
    Diagnostic fault =
        catchThrowableOfType(
                DiagnosticException.class,
                () -> new TargetCatalog(List.of(new Npus())).get("acme-npx1"))
            .diagnostic();
    assertThat(fault.kind()).isEqualTo(Kinds.UNKNOWN_TARGET);
    assertThat(fault.help()).isEqualTo("did you mean acme-npu1? possible: acme-npu1, acme-npu2");
  }

  @Test
  void get_withoutAnyTarget_saysThatThereIsNone() {
    TargetCatalog none = new TargetCatalog(List.of());
    assertThat(none.all()).isEmpty();
    assertThatThrownBy(() -> none.get("acme-npu1"))
        .isInstanceOfSatisfying(
            DiagnosticException.class,
            e ->
                assertThat(e.diagnostic().help())
                    .isEqualTo("there is none at all; a plug-in may bring some"));
  }

  @Test
  void constructor_twoOfOneName_namesBothProviders() {
    Diagnostic fault =
        catchThrowableOfType(
                DiagnosticException.class,
                () -> new TargetCatalog(List.of(new Npus(), new Others())))
            .diagnostic();
    assertThat(fault.kind()).isEqualTo(Kinds.PLUGIN_CLASH);
    assertThat(fault.message())
        .startsWith("two of kind target are called 'acme-npu1': " + Npus.class.getName() + " from ")
        .contains(" and " + Others.class.getName() + " from ");
  }

  @Test
  void constructor_providerThatFails_isNamed() {
    TargetProvider broken =
        () -> {
          throw new IllegalStateException("no table");
        };
    assertThatThrownBy(() -> new TargetCatalog(List.of(broken)))
        .isInstanceOf(PluginFailedException.class)
        .hasMessageStartingWith("target provider '" + broken.getClass().getName())
        .hasMessageEndingWith("failed: java.lang.IllegalStateException: no table");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Acme", "acme_npu", "acme--npu", "acme npu"})
  void target_nameThatIsNotKebabCase_isRefused(String name) {
    assertThatThrownBy(() -> Target.of(name, "it", MAP))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + name + "'");
  }
}
