package dev.stowage.planning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class PlanningProblemTest {
  private final PlanningProblem.Builder builder = PlanningProblem.builder("p");

  @Test
  void build_cycleOfBases_namesTheCycleAlone() {
    buffers(5);
    builder.storage(0, 1, 0).storage(1, 2, 0).storage(2, 3, 0).storage(3, 1, 0).storage(4, 0, 0);
    Diagnostic fault = fault();
    assertThat(fault.kind()).isEqualTo(Kinds.STORAGE_CYCLE);
    assertThat(fault.message())
        .isEqualTo("storage bases form a cycle: buffer 1 -> buffer 2 -> buffer 3 -> buffer 1");
    assertThat(fault.buffer()).isEqualTo(1);
  }

  @Test
  void build_bufferThatIsItsOwnBase_isACycle() {
    buffers(1);
    builder.storage(0, 0, 0);
    assertThat(fault().message()).isEqualTo("storage bases form a cycle: buffer 0 -> buffer 0");
  }

  @Test
  void build_chainOfBases_widensEachOverAllBelowIt() {
    builder.addBuffer(8, 5, 6);
    builder.addBuffer(8, 4, 4);
    builder.addBuffer(8, 9, 12);
    builder.addBuffer(8, 0, 1);
    builder.storage(3, 2, 0).storage(2, 1, 0);
    PlanningProblem problem = builder.build();
    assertThat(lifetimes(problem)).containsExactly("[5, 6]", "[0, 12]", "[0, 12]", "[0, 1]");
    assertThat(problem.horizon()).isEqualTo(12);
  }

  @Test
  void build_longChainOfBases_needsNoRecursion() {
    int n = 100_000;
    for (int i = 0; i < n; i++) {
      builder.addBuffer(8, i, i);
      builder.storage(i, i - 1, 0);
    }
    PlanningProblem problem = builder.build();
    assertThat(problem.end(0)).isEqualTo(n - 1);
    assertThat(problem.start(n - 1)).isEqualTo(n - 1);
  }

  @Test
  void build_sumAbove63Bits_isRefused() {
    builder.addBuffer(Long.MAX_VALUE - 16, 0, 0);
    assertThat(builder.build().allocatedBytes(0)).isEqualTo(Long.MAX_VALUE - 15);
    builder.addBuffer(0, 0, 0);
    assertThat(fault().kind()).isEqualTo(Kinds.INPUT_OVERFLOW);
  }

  @Test
  void build_offsetsThatOverflow_areRefused() {
    buffers(2);
    builder.storage(0, 1, Long.MIN_VALUE);
    assertThat(fault().kind()).isEqualTo(Kinds.INPUT_OVERFLOW);
  }

  @Test
  void build_referenceToNothing_isRefused() {
    assertRefused(b -> b.storage(0, 2, 0), "storage base of buffer 0 does not exist: 2");
    assertRefused(b -> b.storage(0, -3, 0), "storage base of buffer 0 does not exist: -3");
    assertRefused(b -> b.pin(1, 1), "arena of buffer 1 does not exist: 1");
    assertRefused(b -> b.arenaSet(1, 1), "arena set of buffer 1 does not exist: 1");
    assertThatThrownBy(() -> twoBuffers(b -> b.separate(0, 2)).build())
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> twoBuffers(b -> b.addArenaSet(1)).build())
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void build_gaps_mustBeInOrderAndInsideTheLifetime() {
    assertThat(twoBuffers(b -> b.addGap(0, 2, 3).addGap(0, 4, 9).addGap(1, 2, 2)).build())
        .extracting(PlanningProblem::gapCount)
        .isEqualTo(3);
    assertRefused(b -> b.addGap(0, 4, 5).addGap(0, 5, 6), "out of order or overlap");
    assertRefused(b -> b.addGap(1, 2, 2).addGap(0, 2, 2), "out of order or overlap");
    assertRefused(b -> b.addGap(0, 1, 3), "is not inside its lifetime");
    assertRefused(b -> b.addGap(0, 5, 10), "is not inside its lifetime");
    assertRefused(b -> b.addGap(0, 5, 4), "is not inside its lifetime");
  }

  @Test
  void build_gapsOfABase_areLeftOut() {
    builder.addBuffer(64, 0, 9);
    builder.addBuffer(64, 0, 9);
    builder.addBuffer(16, 4, 5);
    builder.addBuffer(16, 6, 9);
    builder.addGap(0, 1, 2).addGap(1, 3, 7).addGap(3, 7, 8);
    builder.storage(2, 1, 0).storage(3, 2, 0);
    PlanningProblem problem = builder.build();
    // Buffer 1 is dead over 3..7, but what lies in it is not: nothing may take its bytes then.
    assertThat(gaps(problem)).containsExactly("0: 1..2", "3: 7..8");
    assertThat(problem.start(1)).isZero();
    assertThat(LowerBounds.of(problem).peakStep()).isZero();
    assertThat(LowerBounds.of(problem).liveAtPeak()).containsExactly(0, 1);
  }

  @Test
  void build_twice_keepsGapsThatOnlyTheSecondProblemMayNotHave() {
    builder.addBuffer(64, 0, 9);
    builder.addBuffer(16, 4, 5);
    builder.addGap(0, 3, 7);
    PlanningProblem before = builder.build();
    builder.storage(1, 0, 0);
    assertThat(gaps(before)).containsExactly("0: 3..7");
    assertThat(gaps(builder.build())).isEmpty();
  }

  @Test
  void build_valuesSetForFewBuffers_leaveTheOthersAtTheirDefaults() {
    buffers(40);
    builder.pin(20, 0).fixedOffset(3, 0).bufferAlignment(39, 64).bufferName(17, "conv");
    builder.traffic(2, 5, 6).overRead(1, 9).oracleAlignment(38, 1);
    PlanningProblem problem = builder.build();
    assertThat(problem.pinnedArena(19)).isEqualTo(-1);
    assertThat(problem.pinnedArena(20)).isZero();
    assertThat(problem.pinnedArena(39)).isEqualTo(-1);
    assertThat(problem.fixedOffset(3)).isZero();
    assertThat(problem.fixedOffset(39)).isEqualTo(-1);
    assertThat(problem.bufferAlignment(38)).isEqualTo(1);
    assertThat(problem.bufferAlignment(39)).isEqualTo(64);
    assertThat(problem.oracleAlignment(39)).isEqualTo(16);
    assertThat(problem.readBytes(2)).isEqualTo(5);
    assertThat(problem.writeBytes(39)).isZero();
    assertThat(problem.describe(17)).isEqualTo("buffer 17 (conv)");
    assertThat(problem.describe(39)).isEqualTo("buffer 39");
    assertThat(problem.constraints())
        .containsExactly(
            Constraint.PINNED_ARENA,
            Constraint.FIXED_OFFSET,
            Constraint.BUFFER_ALIGNMENT,
            Constraint.OVER_READ);
  }

  @Test
  void build_defaultsSetExplicitly_areNoConstraints() {
    buffers(1);
    builder.pin(0, -1).storage(0, -1, 0).bufferAlignment(0, 1).arenaSet(0, 0).overRead(0, 0);
    assertThat(builder.build().constraints()).isEmpty();
  }

  @Test
  void addBuffer_wrongNumbers_areRefused() {
    assertThatThrownBy(() -> builder.addBuffer(-1, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.addBuffer(1, -1, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.addBuffer(1, 3, 2)).hasMessage("lifetime [3, 2] ends early");
  }

  @Test
  void addArena_twoOfOneMemId_areRefused() {
    builder.addArena(Arena.of(2));
    assertThatThrownBy(() -> builder.addArena(Arena.of(2).withName("sram")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("two arenas have mem_id 2");
  }

  private void buffers(int count) {
    for (int i = 0; i < count; i++) {
      builder.addBuffer(8, 0, 0);
    }
  }

  private Diagnostic fault() {
    return catchThrowableOfType(DiagnosticException.class, builder::build).diagnostic();
  }

  private static PlanningProblem.Builder twoBuffers(Consumer<PlanningProblem.Builder> change) {
    PlanningProblem.Builder two = PlanningProblem.builder("two");
    two.addBuffer(8, 2, 9);
    two.addBuffer(8, 2, 9);
    change.accept(two);
    return two;
  }

  private static void assertRefused(Consumer<PlanningProblem.Builder> change, String message) {
    assertThatThrownBy(() -> twoBuffers(change).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  private static ImmutableList<String> gaps(PlanningProblem problem) {
    ImmutableList.Builder<String> gaps = ImmutableList.builder();
    for (int g = 0; g < problem.gapCount(); g++) {
      gaps.add(problem.gapBuffer(g) + ": " + problem.gapStart(g) + ".." + problem.gapEnd(g));
    }
    return gaps.build();
  }

  private static ImmutableList<String> lifetimes(PlanningProblem problem) {
    ImmutableList.Builder<String> lifetimes = ImmutableList.builder();
    for (int i = 0; i < problem.bufferCount(); i++) {
      lifetimes.add("[" + problem.start(i) + ", " + problem.end(i) + "]");
    }
    return lifetimes.build();
  }
}
