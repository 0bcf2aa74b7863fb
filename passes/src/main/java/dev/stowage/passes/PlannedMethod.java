package dev.stowage.passes;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.passes.lowering.LoweredProblem;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.verifier.Finding;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What planning made of one method.
 *
 * @param method its name
 * @param profile the rules by which it was lowered
 * @param strategy what planned it
 * @param lowered the problem, and what its buffers stand for
 * @param result the plan, or why there is none
 * @param elapsedNanos time that the strategy took
 */
public record PlannedMethod(
    String method,
    String profile,
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
   * @param findings of the verifier, with severities
   * @param storageReusePairs pairs of buffers that share bytes, where the profile counts them and
   *     the reference check finds no clash
   * @param inputOutputCheck {@code ok} or {@code mismatch}, where the profile checks it
   */
  public record Planned(
      MemoryPlan plan,
      LowerBounds bounds,
      ImmutableList<JudgedFinding> findings,
      OptionalLong storageReusePairs,
      Optional<String> inputOutputCheck)
      implements Result {}

  /** No plan, and why. */
  public record Failed(Diagnostic why) implements Result {}

  /**
   * A finding and what the profile thinks of it.
   *
   * @param tolerated true for a warning, false for an error
   */
  public record JudgedFinding(Finding finding, boolean tolerated) {}

  /** True if there is a plan and the verifier found no error in it. */
  public boolean isVerified() {
    return result instanceof Planned planned
        && planned.findings().stream().allMatch(JudgedFinding::tolerated);
  }
}
