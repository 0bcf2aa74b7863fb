package dev.stowage.verifier;

import com.google.common.collect.ImmutableList;
import dev.stowage.planning.PlanningProblem;

/** Stub. */
public final class ProblemVerifier {
  private ProblemVerifier() {}

  /** Stub. */
  public static ImmutableList<Finding> verify(PlanningProblem problem, ClaimedPlan plan) {
    return ImmutableList.of();
  }

  /** Stub. */
  public static long sharingPairs(PlanningProblem problem, ClaimedPlan plan) {
    return (long) problem.bufferCount() + plan.places().size();
  }
}
