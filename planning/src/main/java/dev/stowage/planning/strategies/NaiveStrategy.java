package dev.stowage.planning.strategies;

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
 * reserved bytes stay in the sizes also where an arena holds nothing.
 */
public final class NaiveStrategy implements PlanningStrategy {
  private static final StrategySpec SPEC =
      StrategySpec.named("naive")
          .summary("no sharing: every buffer has bytes of its own")
          .honours(Constraint.PINNED_ARENA)
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
    for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
      int pin = problem.pinnedArena(buffer);
      int arena = pin >= 0 ? pin : defaultArena;
      plan.place(buffer, arena, ends[arena], 0);
      ends[arena] += problem.allocatedBytes(buffer);
      listed[arena] = true;
    }
    for (int a = 0; a < ends.length; a++) {
      if (listed[a]) {
        plan.arenaSize(a, ends[a]);
      }
    }
    return PlanningOutcome.planned(plan.build());
  }
}
