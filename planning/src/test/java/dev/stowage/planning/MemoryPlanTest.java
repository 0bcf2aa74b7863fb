package dev.stowage.planning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MemoryPlanTest {
  private PlanningProblem problem;

  @BeforeEach
  void buildProblem() {
    PlanningProblem.Builder builder = PlanningProblem.builder("p").alignment(16);
    builder.addArena(Arena.of(3).withReserved(100, 7));
    builder.addArena(Arena.of(1));
    builder.addBuffer(10, 0, 0);
    builder.addBuffer(20, 0, 0);
    problem = builder.build();
  }

  @Test
  void build_bufferLeftOut_isRefused() {
    assertThatThrownBy(() -> MemoryPlan.builder(problem).place(0, 0, 0).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("buffer 1 is not placed");
  }

  @Test
  void place_twice_isRefused() {
    MemoryPlan.Builder builder = MemoryPlan.builder(problem).place(0, 0, 0);
    assertThatThrownBy(() -> builder.place(0, 1, 0)).hasMessage("buffer 0 is placed twice");
  }

  @Test
  void place_nowhere_isRefused() {
    MemoryPlan.Builder builder = MemoryPlan.builder(problem);
    assertThatThrownBy(() -> builder.place(0, 2, 0)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> builder.place(0, 0, -16))
        .hasMessage("offset of buffer 0 is negative: -16");
  }

  @Test
  void build_sizesNotSet_endAfterTheLastBufferAndPadding() {
    MemoryPlan plan = MemoryPlan.builder(problem).place(0, 0, 112).place(1, 1, 0).build();
    assertThat(plan.arenaSizes()).containsExactly(0, 32, 0, 135);
    assertThat(plan.totalBytes()).isEqualTo(167);
    assertThat(plan.arenaSizeBytes(3)).isEqualTo(135);
    assertThat(plan.arenaSizeBytes(4)).isZero();
    assertThat(plan.object(0)).isEqualTo(-1);
  }

  @Test
  void build_sizeSet_isKeptAndListed() {
    MemoryPlan plan =
        MemoryPlan.builder(problem).place(0, 1, 0).place(1, 1, 16).arenaSize(0, 0).build();
    assertThat(plan.arenaSizes()).containsExactly(0, 48, 0, 0);
  }
}
