package dev.stowage.passes.lowering;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.verifier.FindingKind;
import java.util.Optional;

/** The rules by which a method becomes a planning problem. */
public interface Profile {
  /** What it is called in pipelines and files. */
  String name();

  /** One line without a full stop. */
  String summary();

  /** The name of the pipeline that plans by it. */
  String pipelineName();

  /** The kinds of finding that its own rules force on a plan: warnings, where others are errors. */
  ImmutableSet<FindingKind> tolerated();

  /** The number that files and tables show for step 0 of its problems. */
  default int firstStep() {
    return 0;
  }

  /** The node that runs at a step of the method's problem, if there is a single one. */
  default Optional<Node> nodeAt(Method method, int step) {
    ImmutableList<Node> nodes = method.entry().nodes();
    return step < nodes.size() ? Optional.of(nodes.get(step)) : Optional.empty();
  }

  /**
   * The planning problem of a method.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-unsupported} if the rules do
   *     not cover the method, or of a kind {@code storage-*} if its sharing makes no sense
   */
  LoweredProblem lower(Method method, Analyses analyses, LoweringTarget target);

  /**
   * True if the profile reports the two checks of ExecuTorch's own verifier, the pairs that share
   * bytes and the one of inputs and outputs.
   */
  default boolean reportsReferenceChecks() {
    return false;
  }

  /** What ExecuTorch's check of inputs and outputs says, {@code ok} or {@code mismatch}. */
  default Optional<String> inputOutputCheck(Method method, LoweredProblem lowered) {
    return Optional.empty();
  }
}
