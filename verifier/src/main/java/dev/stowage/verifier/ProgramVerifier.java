package dev.stowage.verifier;

import com.google.common.collect.ImmutableList;
import dev.stowage.ir.Method;
import dev.stowage.planning.PlanningProblem;

/** Stub. */
public final class ProgramVerifier {
  private ProgramVerifier() {}

  /** Stub. */
  public record Rules(int alignment) {
    /** Stub. */
    public static Rules of(PlanningProblem problem) {
      return new Rules(problem.alignment());
    }
  }

  /** Stub. */
  public static ImmutableList<Finding> verify(Method method, ClaimedPlan plan, Rules rules) {
    return ImmutableList.of();
  }
}
