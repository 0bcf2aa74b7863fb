package dev.stowage.planning.strategies;

import dev.stowage.planning.Blocks;
import dev.stowage.planning.Constraint;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningContext;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.planning.PlanningStrategy;
import dev.stowage.planning.StrategySpec;
import java.util.stream.IntStream;

/**
 * ExecuTorch's naive planner, bit for bit ({@code naive} in its {@code exir/memory_planning.py},
 * 1.5.1): nothing is shared, each buffer lies at the end of its arena. Padding is ignored, and
 * reserved bytes stay in the sizes also where an arena holds nothing. Where a problem asks for what
 * that planner does not know, such as fixed offsets, each buffer goes to the lowest offset that
 * nothing else takes at any time.
 */
public final class NaiveStrategy implements PlanningStrategy {
  private static final StrategySpec SPEC =
      StrategySpec.named("naive")
          .summary("no sharing: every buffer has bytes of its own")
          .honours(Constraints.allBut(Constraint.STORAGE, Constraint.OBJECTIVE))
          .build();

  @Override
  public StrategySpec spec() {
    return SPEC;
  }

  @Override
  public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
    int defaultArena = GreedyStrategy.defaultArena(problem);
    if (!Constraints.areThoseOfExecutorch(problem.constraints())) {
      return FreeOffsetPlanning.plan(
          problem,
          new Blocks(problem),
          IntStream.range(0, problem.bufferCount()).toArray(),
          context,
          FreeOffsetPlanning.Rule.APART);
    }
    MemoryPlan.Builder plan = MemoryPlan.builder(problem);
    long[] ends = new long[problem.arenaCount()];
    boolean[] listed = new boolean[problem.arenaCount()];
    for (int a = 0; a < ends.length; a++) {
      ends[a] = problem.arena(a).reservedBytes();
      listed[a] = ends[a] > 0;
    }
    for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
      if (context.expired()) {
        return PlanningOutcome.outOfTime(problem);
      }
      int arena = arena(problem, buffer, defaultArena);
      if (arena < 0) {
        return GreedyStrategy.noOpenArena(problem, buffer);
      }
      plan.place(buffer, arena, ends[arena], 0);
      ends[arena] += problem.allocatedBytes(buffer, arena);
      listed[arena] = true;
    }
    for (int a = 0; a < ends.length; a++) {
      if (listed[a]) {
        plan.arenaSize(a, ends[a]);
      }
    }
    return PlanningOutcome.planned(plan.build());
  }

  private static int arena(PlanningProblem problem, int buffer, int defaultArena) {
    int pin = problem.pinnedArena(buffer);
    return pin >= 0 ? pin : defaultArena;
  }
}
