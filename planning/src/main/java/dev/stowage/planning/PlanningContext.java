package dev.stowage.planning;

import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.Options;

/** What a strategy may use while it plans. */
public final class PlanningContext {
  private final Planner planner;
  private final Options options;
  private final Deadline deadline;

  PlanningContext(Planner planner, Options options, Deadline deadline) {
    this.planner = planner;
    this.options = options;
    this.deadline = deadline;
  }

  /** The value of an option that the strategy declares. */
  public <T> T get(OptionSpec<T> option) {
    return options.get(option);
  }

  /** True once the strategy should stop and answer with what it has. */
  public boolean expired() {
    return deadline.expired();
  }

  /**
   * Runs another strategy on a problem, so that strategies nest. Its plan is as the strategy made
   * it: whether it keeps to the capacities is checked for the outermost strategy only.
   */
  public PlanningOutcome run(Call call, PlanningProblem problem) {
    return planner.run(call, problem, deadline);
  }
}
