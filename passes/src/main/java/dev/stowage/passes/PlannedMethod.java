package dev.stowage.passes;

import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.passes.lowering.LoweredProblem;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.verifier.RatedFinding;
import java.util.Optional;

/**
 * What planning made of one method.
 *
 * @param method its name
 * @param profile the rules by which it was lowered
 * @param firstStep the number that files and tables show for step 0 of the problem
 * @param strategy what planned it
 * @param lowered the problem, and what its buffers stand for
 * @param result the plan, or why there is none
 * @param elapsedNanos time that the strategy took
 */
public record PlannedMethod(
    String method,
    String profile,
    int firstStep,
    Call strategy,
    LoweredProblem lowered,
    Result result,
    long elapsedNanos) {

  /** A plan with what the verifier found, or why there is none. */
  public sealed interface Result {}

  /**
   * A plan.
   *
   * @param plan where the buffers lie
   * @param bounds what no plan can go below
   * @param verification what the verifiers found
   * @param inputOutputCheck {@code ok} or {@code mismatch}, where the profile checks it
   */
  public record Planned(
      MemoryPlan plan,
      LowerBounds bounds,
      Verification verification,
      Optional<String> inputOutputCheck)
      implements Result {}

  /** No plan, and why. */
  public record Failed(Diagnostic why) implements Result {}

  /** True if there is a plan and the verifier found no error in it. */
  public boolean isVerified() {
    return result instanceof Planned planned
        && planned.verification().findings().stream().noneMatch(RatedFinding::isError);
  }
}
