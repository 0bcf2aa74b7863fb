package dev.stowage.planning;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.stowage.memmap.ReservedRange;
import dev.stowage.planning.ArenaExplanation.Link;
import org.junit.jupiter.api.Test;

class ArenaExplanationTest {
  /** Three buffers of 10 bytes, of which each meets the next only. */
  private static PlanningProblem relay(Arena arena) {
    PlanningProblem.Builder builder = PlanningProblem.builder("relay").alignment(1);
    builder.addArena(arena);
    builder.addBuffer(10, 0, 1);
    builder.addBuffer(10, 1, 2);
    builder.addBuffer(10, 2, 3);
    return builder.build();
  }

  private static MemoryPlan plan(PlanningProblem problem, long... offsets) {
    MemoryPlan.Builder plan = MemoryPlan.builder(problem);
    for (int i = 0; i < offsets.length; i++) {
      plan.place(i, 0, offsets[i]);
    }
    return plan.build();
  }

  @Test
  void fragmentation_isExplainedByWhatHoldsWhatUp() {
    PlanningProblem problem = relay(Arena.of(1));
    assertThat(ArenaExplanation.of(problem, plan(problem, 0, 10, 25), 0))
        .isEqualTo(
            new ArenaExplanation(
                0,
                35,
                20,
                1,
                ImmutableList.of(0, 1),
                ImmutableList.of(
                    new Link(2, 25, 35, 5), new Link(1, 10, 20, 0), new Link(0, 0, 10, 0)),
                0));
  }

  @Test
  void fragmentation_ofATightPlan_isNone() {
    PlanningProblem problem = relay(Arena.of(1));
    ArenaExplanation it = ArenaExplanation.of(problem, plan(problem, 0, 10, 0), 0);
    assertThat(it.sizeBytes()).isEqualTo(20);
    assertThat(it.fragmentationBytes()).isZero();
    assertThat(it.chain()).containsExactly(new Link(1, 10, 20, 0), new Link(0, 0, 10, 0));
  }

  @Test
  void bound_countsReservedBytesAndPadding() {
    PlanningProblem problem = relay(Arena.of(1).withReserved(7, 64));
    ArenaExplanation it = ArenaExplanation.of(problem, plan(problem, 7, 17, 7), 0);
    assertThat(it.sizeBytes()).isEqualTo(7 + 20 + 64);
    assertThat(it.boundBytes()).isEqualTo(it.sizeBytes());
    assertThat(it.topBytes()).isEqualTo(64);
    assertThat(it.chain().get(1)).isEqualTo(new Link(0, 7, 17, 0));
  }

  @Test
  void bound_countsReservedRangesThatMustBePassed() {
    PlanningProblem problem =
        relay(
            Arena.of(1)
                .withReservedRanges(
                    ImmutableList.of(
                        new ReservedRange(12, 4, "rom"), new ReservedRange(90, 9, "x"))));
    // Of 20 live bytes 12 are below the first range and 8 above it; a plan of whole buffers has 26.
    ArenaExplanation it = ArenaExplanation.of(problem, plan(problem, 0, 16, 0), 0);
    assertThat(it.boundBytes()).isEqualTo(24);
    assertThat(it.sizeBytes()).isEqualTo(26);
    assertThat(it.chain()).containsExactly(new Link(1, 16, 26, 0));
  }

  @Test
  void empty_arenaHasNoPeak() {
    PlanningProblem.Builder builder = PlanningProblem.builder("two").alignment(1);
    builder.addArena(Arena.of(1));
    builder.addArena(Arena.of(2));
    builder.addBuffer(10, 0, 1);
    PlanningProblem problem = builder.build();
    assertThat(ArenaExplanation.of(problem, plan(problem, 0), 1))
        .isEqualTo(new ArenaExplanation(1, 0, 0, 0, ImmutableList.of(), ImmutableList.of(), 0));
  }

  @Test
  void bound_roundsAsTheArenaDoes() {
    PlanningProblem.Builder builder = PlanningProblem.builder("dma").alignment(4);
    builder.addArena(Arena.of(1).withAlignment(32, 0));
    builder.addBuffer(5, 0, 1);
    builder.addBuffer(33, 1, 1);
    PlanningProblem problem = builder.build();
    ArenaExplanation it = ArenaExplanation.of(problem, plan(problem, 64, 0), 0);
    assertThat(it.boundBytes()).isEqualTo(32 + 64);
    assertThat(it.live()).containsExactly(1, 0);
  }
}
