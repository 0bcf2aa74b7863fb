package dev.stowage.planning.strategies;

import com.google.common.math.LongMath;
import dev.stowage.planning.Alignment;
import dev.stowage.planning.Constraint;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningContext;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.planning.PlanningStrategy;
import dev.stowage.planning.StrategySpec;

/**
 * ExecuTorch's naive planner, bit for bit ({@code naive} in its {@code exir/memory_planning.py},
 * 1.5.1): nothing is shared, each buffer lies at the end of its arena. Padding is ignored, and
 * reserved bytes stay in the sizes also where an arena holds nothing. Buffers with fixed offsets
 * and alignments of their own, which that planner does not know, are placed as they ask.
 */
public final class NaiveStrategy implements PlanningStrategy {
  private static final StrategySpec SPEC =
      StrategySpec.named("naive")
          .summary("no sharing: every buffer has bytes of its own")
          .honours(Constraint.PINNED_ARENA, Constraint.FIXED_OFFSET, Constraint.BUFFER_ALIGNMENT)
          .build();

  @Override
  public StrategySpec spec() {
    return SPEC;
  }

  @Override
  public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
    int defaultArena = GreedyStrategy.defaultArena(problem);
    MemoryPlan.Builder plan = MemoryPlan.builder(problem);
    long[] ends = new long[problem.arenaCount()];
    boolean[] listed = new boolean[problem.arenaCount()];
    for (int a = 0; a < ends.length; a++) {
      ends[a] = problem.arena(a).reservedBytes();
      listed[a] = ends[a] > 0;
    }
    // What is fixed comes first, so that the others lie behind all of it.
    for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
      long offset = problem.fixedOffset(buffer);
      if (offset >= 0) {
        int arena = arena(problem, buffer, defaultArena);
        plan.place(buffer, arena, offset, 0);
        ends[arena] = Math.max(ends[arena], offset + problem.allocatedBytes(buffer));
        listed[arena] = true;
      }
    }
    for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
      if (context.expired()) {
        return PlanningOutcome.outOfTime(problem);
      }
      if (problem.fixedOffset(buffer) < 0) {
        int arena = arena(problem, buffer, defaultArena);
        long offset = ends[arena];
        if (problem.bufferAlignment(buffer) > 1) {
          offset = Alignment.up(offset, combinedAlignment(problem, buffer));
        }
        plan.place(buffer, arena, offset, 0);
        ends[arena] = offset + problem.allocatedBytes(buffer);
        listed[arena] = true;
      }
    }
    for (int a = 0; a < ends.length; a++) {
      if (listed[a]) {
        plan.arenaSize(a, ends[a]);
      }
    }
    return PlanningOutcome.planned(plan.build());
  }

  /** The least common multiple of the buffer's alignment and the plan's. */
  private static long combinedAlignment(PlanningProblem problem, int buffer) {
    long own = problem.bufferAlignment(buffer);
    return problem.alignment() / LongMath.gcd(own, problem.alignment()) * own;
  }

  private static int arena(PlanningProblem problem, int buffer, int defaultArena) {
    int pin = problem.pinnedArena(buffer);
    return pin >= 0 ? pin : defaultArena;
  }
}
