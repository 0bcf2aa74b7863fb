package dev.stowage.planning;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;

/** What a strategy made of a problem. */
public sealed interface PlanningOutcome {
  /** A plan. */
  record Planned(MemoryPlan plan) implements PlanningOutcome {}

  /** There is no plan, and the diagnostic says why there cannot be one. */
  record Infeasible(Diagnostic proof) implements PlanningOutcome {}

  /**
   * The strategy found no plan; another might.
   *
   * @param bestBoundBytes bytes in all that no plan can go below, as far as is known
   */
  record GaveUp(Diagnostic why, long bestBoundBytes) implements PlanningOutcome {}

  /** A plan. */
  static PlanningOutcome planned(MemoryPlan plan) {
    return new Planned(plan);
  }

  /** No plan found, with the liveness bound of the problem. */
  static PlanningOutcome gaveUp(Diagnostic why, PlanningProblem problem) {
    return new GaveUp(why, LowerBounds.of(problem).totalBytes());
  }

  /** No plan found before the deadline, with the liveness bound of the problem. */
  static PlanningOutcome outOfTime(PlanningProblem problem) {
    return gaveUp(
        Diagnostic.of(Kinds.DEADLINE, "the deadline came before there was a plan")
            .help("give more time, or use another strategy"),
        problem);
  }
}
