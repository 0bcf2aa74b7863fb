package dev.stowage.passes.analysis;

import static dev.stowage.passes.Texts.method;
import static dev.stowage.passes.Texts.methodWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.memory.MemoryKeys;
import org.junit.jupiter.api.Test;

class AnalysesTest {
  private static final String CHAIN =
      """
      %0 : u8[64] = input
      %1 : u8[32] = relu(%0)
      %2 : u8[32] mutates %1 = add_(inout %1, %0)
      %3 : u8[16] view %2+16 = view(bind %2)
      40: %4 : u8[8] = relu(%3)
      output(%4)
      """;

  private final Analyses analyses = new Analyses();

  @Test
  void analyses_annotatedMethod_keepsThem() {
    Method method = method(CHAIN);
    Method annotated = method.edit().annotate(0, MemoryKeys.PIN, 2).build();
    assertThat(annotated).isNotEqualTo(method);
    assertThat(analyses.schedule(annotated)).isSameAs(analyses.schedule(method));
    assertThat(analyses.aliases(annotated)).isSameAs(analyses.aliases(method));
    assertThat(analyses.lifetimes(annotated)).isSameAs(analyses.lifetimes(method));
    assertThat(analyses.liveness(annotated)).isSameAs(analyses.liveness(method));
  }

  @Test
  void analyses_changedStructure_areComputedAnew() {
    Method method = method(CHAIN);
    Lifetimes before = analyses.lifetimes(method);
    Method changed = method.edit().remove(method.entry().nodes().get(2).id()).build();
    assertThat(analyses.lifetimes(changed).last(1)).isEqualTo(3);
    assertThat(analyses.lifetimes(method)).isSameAs(before);
    assertThat(before.last(1)).isEqualTo(4);
  }

  @Test
  void analyses_equalBodyOfAnotherMethod_isNotTheSame() {
    // By identity: comparing would cost as much as computing.
    assertThat(analyses.lifetimes(method(CHAIN))).isNotSameAs(analyses.lifetimes(method(CHAIN)));
  }

  @Test
  void schedule_nodes_areAtTheirPositionsWhateverTheirIds() {
    Method method = method(CHAIN);
    Schedule schedule = analyses.schedule(method);
    Node relu = method.entry().nodes().get(4);
    assertThat(relu.id()).isEqualTo(40);
    assertThat(schedule.position(relu)).isEqualTo(4);
    assertThat(schedule.last()).isEqualTo(5);
    Node foreign = method("7: output()").entry().nodes().get(0);
    assertThatThrownBy(() -> schedule.position(foreign))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("node 7 is not in this method");
  }

  @Test
  void aliases_handles_haveOneRoot() {
    Aliases aliases = analyses.aliases(method(CHAIN));
    assertThat(aliases.root(3)).isEqualTo(1);
    assertThat(aliases.root(1)).isEqualTo(1);
    assertThat(aliases.root(0)).isEqualTo(0);
  }

  @Test
  void lifetimes_anyHandle_isThatOfTheBytes() {
    Lifetimes lifetimes = analyses.lifetimes(method(CHAIN));
    for (int handle : new int[] {1, 2, 3}) {
      assertThat(lifetimes.first(handle)).isEqualTo(1);
      assertThat(lifetimes.last(handle)).isEqualTo(4);
    }
  }

  @Test
  void lifetimes_stateThatNoNodeYields_lastsTheWholeRunIfUsed() {
    Method method =
        methodWith(
            """
            tensor %1 : u8[64] state @cache
            tensor %2 : u8[64] state @cache
            """,
            """
            %0 : u8[4] = input
            a(%0)
            a(inout %1)
            output(%0)
            """);
    Lifetimes lifetimes = analyses.lifetimes(method);
    assertThat(lifetimes.first(1)).isZero();
    assertThat(lifetimes.last(1)).isEqualTo(3);
    assertThat(lifetimes.isUsed(2)).isFalse();
    assertThat(lifetimes.first(2)).isEqualTo(-1);
  }

  @Test
  void lifetimes_untilChanges_areComputedAnewAndWhatDependsOnThem() {
    Method method = method(CHAIN);
    int output = method.entry().nodes().get(5).id();
    Liveness liveness = analyses.liveness(method);
    Method held = method.edit().annotate(3, MemoryKeys.UNTIL, output).build();
    assertThat(analyses.lifetimes(held).last(1)).isEqualTo(5);
    assertThat(analyses.lifetimes(held)).isNotEqualTo(analyses.lifetimes(method));
    assertThat(analyses.liveness(held).liveBytes(5)).isEqualTo(liveness.liveBytes(5) + 32);
    assertThat(analyses.schedule(held)).isSameAs(analyses.schedule(method));
  }
}
