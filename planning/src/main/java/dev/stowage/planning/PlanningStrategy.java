package dev.stowage.planning;

/**
 * A planning algorithm. Implementations are found by {@link java.util.ServiceLoader}; they keep no
 * state, and give the same plan for the same problem and options.
 */
public interface PlanningStrategy {
  /** What it is called, may be asked, and honours. */
  StrategySpec spec();

  /** Plans. An exception is a defect of the strategy; bad luck is a {@link PlanningOutcome}. */
  PlanningOutcome plan(PlanningProblem problem, PlanningContext context);
}
