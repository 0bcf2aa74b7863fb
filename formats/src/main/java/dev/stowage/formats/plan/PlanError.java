package dev.stowage.formats.plan;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Diagnostic.Shortfall;
import dev.stowage.planning.PlanningProblem;
import java.util.Optional;

/**
 * An answer that is an error instead of a plan.
 *
 * @param kind the stable word
 * @param message for people
 * @param buffer number of the buffer it is about, or -1
 * @param proof the bytes that are missing, where it is proved that no plan can exist; steps and
 *     buffers by their numbers in the source
 */
public record PlanError(String kind, String message, int buffer, Optional<Shortfall> proof) {
  /**
   * The error in one text: where, what, its notes and its help.
   *
   * @param diagnostic that speaks of no buffer of a problem
   */
  public static PlanError of(Diagnostic diagnostic) {
    return new PlanError(diagnostic.kind().name(), text(diagnostic), -1, Optional.empty());
  }

  /** The same of an error about a problem. */
  public static PlanError of(Diagnostic diagnostic, PlanningProblem problem) {
    int buffer = diagnostic.buffer() < 0 ? -1 : problem.bufferNumber(diagnostic.buffer());
    Optional<Shortfall> proof =
        diagnostic
            .shortfall()
            .map(
                it ->
                    new Shortfall(
                        it.requiredBytes(),
                        it.availableBytes(),
                        it.step() < 0 ? -1 : problem.stepNumber(it.step()),
                        it.buffers().stream()
                            .map(problem::bufferNumber)
                            .collect(ImmutableList.toImmutableList())));
    return new PlanError(diagnostic.kind().name(), text(diagnostic), buffer, proof);
  }

  private static String text(Diagnostic diagnostic) {
    StringBuilder text = new StringBuilder();
    if (!diagnostic.location().isEmpty()) {
      text.append(diagnostic.location()).append(": ");
    }
    text.append(diagnostic.message());
    diagnostic.notes().forEach(note -> text.append("; ").append(note));
    if (!diagnostic.help().isEmpty()) {
      text.append("; ").append(diagnostic.help());
    }
    return text.toString();
  }
}
