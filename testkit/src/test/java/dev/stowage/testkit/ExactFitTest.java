package dev.stowage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.ProblemVerifier;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The seeded experiment of {@code docs/memory-maps.md}: 300 problems with one bank of exactly the
 * least size that holds them. Nothing that fits may be refused where nobody asked for a strategy.
 */
class ExactFitTest {
  private static final int PROBLEMS = 300;

  private final Planner planner = Planner.withInstalledStrategies();

  @Test
  void plan_bankOfTheOptimalSize_isRefusedByBankedGreedyAloneButNotByTheFallbacks() {
    Random random = new Random(20_261_130);
    int refused = 0;
    for (int i = 0; i < PROBLEMS; i++) {
      long[] sizes = new long[6];
      int[] starts = new int[6];
      int[] ends = new int[6];
      for (int b = 0; b < 6; b++) {
        sizes[b] = 16L + random.nextInt(241);
        starts[b] = random.nextInt(8);
        ends[b] = starts[b] + random.nextInt(3);
      }
      PlanningOutcome best =
          planner.plan(problem(sizes, starts, ends, Arena.UNLIMITED), Call.of("exhaustive"));
      long least = ((PlanningOutcome.Planned) best).plan().totalBytes();
      PlanningProblem exact = problem(sizes, starts, ends, least);
      PlanningOutcome alone = planner.plan(exact, Call.of("banked-greedy"));
      assertThat(alone).as("problem %s", i).isNotInstanceOf(PlanningOutcome.Infeasible.class);
      refused += alone instanceof PlanningOutcome.Planned ? 0 : 1;
      PlanningOutcome found = planner.planWithFallbacks(exact, true, Deadline.NONE).outcome();
      assertThat(found).as("problem %s", i).isInstanceOf(PlanningOutcome.Planned.class);
      assertThat(
              ProblemVerifier.verify(
                  exact, ClaimedPlan.of(exact, ((PlanningOutcome.Planned) found).plan())))
          .as("problem %s", i)
          .isEmpty();
      PlanningOutcome smaller =
          planner
              .planWithFallbacks(problem(sizes, starts, ends, least - 16), true, Deadline.NONE)
              .outcome();
      assertThat(smaller).as("problem %s", i).isInstanceOf(PlanningOutcome.Infeasible.class);
    }
    assertThat(refused).isEqualTo(111);
  }

  private static PlanningProblem problem(long[] sizes, int[] starts, int[] ends, long capacity) {
    PlanningProblem.Builder builder = PlanningProblem.builder("exact").alignment(16);
    builder.addArena(Arena.of(1).withName("sram").withCapacity(capacity));
    for (int b = 0; b < sizes.length; b++) {
      builder.addBuffer(sizes[b], starts[b], ends[b]);
    }
    return builder.build();
  }
}
