package dev.stowage.passes;

import dev.stowage.base.OptionSpec;
import dev.stowage.base.Options;
import dev.stowage.passes.analysis.Analyses;
import java.util.ArrayList;
import java.util.List;

/** What a pass may use while it runs, and where it leaves what is no part of the program. */
public final class PassContext {
  private final Options options;
  private final PlanningSettings settings;
  private final Analyses analyses;
  private final List<PlannedMethod> plans;

  PassContext(
      Options options, PlanningSettings settings, Analyses analyses, List<PlannedMethod> plans) {
    this.options = options;
    this.settings = settings;
    this.analyses = analyses;
    this.plans = plans;
  }

  /** The value of an option that the pass declares. */
  public <T> T get(OptionSpec<T> option) {
    return options.get(option);
  }

  /** What the caller and the file ask of planning. */
  public PlanningSettings settings() {
    return settings;
  }

  /** Facts about methods, computed on demand and cached. */
  public Analyses analyses() {
    return analyses;
  }

  /** Leaves plans for the caller; those of an earlier planning are dropped. */
  public void replacePlans(List<PlannedMethod> newPlans) {
    plans.clear();
    plans.addAll(new ArrayList<>(newPlans));
  }
}
