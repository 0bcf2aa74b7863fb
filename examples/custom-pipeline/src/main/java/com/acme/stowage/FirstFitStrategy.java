package com.acme.stowage;

import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningContext;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.planning.PlanningStrategy;
import dev.stowage.planning.StrategySpec;

/** Places each buffer at the lowest offset that is free for its whole lifetime. */
public final class FirstFitStrategy implements PlanningStrategy {
  @Override
  public StrategySpec spec() {
    return StrategySpec.named("acme-first-fit")
        .summary("lowest free offset, in the order of the problem")
        .build();
  }

  @Override
  public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
    MemoryPlan.Builder plan = MemoryPlan.builder(problem);
    long[] offsets = new long[problem.bufferCount()];
    for (int buffer = 0; buffer < offsets.length; buffer++) {
      if (context.expired()) {
        return PlanningOutcome.outOfTime(problem);
      }
      offsets[buffer] = lowestFreeOffset(problem, offsets, buffer);
      plan.place(buffer, 0, offsets[buffer]);
    }
    return PlanningOutcome.planned(plan.build());
  }

  /** Moves up past each placed buffer that is in the way, until none is. */
  private static long lowestFreeOffset(PlanningProblem problem, long[] offsets, int buffer) {
    long offset = problem.arena(0).reservedBytes();
    for (int placed = 0; placed < buffer; placed++) {
      long end = offsets[placed] + problem.allocatedBytes(placed);
      if (problem.overlapInTime(placed, buffer)
          && offset < end
          && offsets[placed] < offset + problem.allocatedBytes(buffer)) {
        offset = end;
        placed = -1; // what was below may be in the way now
      }
    }
    return offset;
  }
}
