package dev.stowage.formats.plan;

import dev.stowage.base.Diagnostic;

/**
 * An answer that is an error instead of a plan.
 *
 * @param kind the stable word
 * @param message for people
 * @param buffer index of the buffer it is about, or -1
 */
public record PlanError(String kind, String message, int buffer) {
  /** The error in one text: where, what, its notes and its help. */
  public static PlanError of(Diagnostic diagnostic) {
    StringBuilder text = new StringBuilder();
    if (!diagnostic.location().isEmpty()) {
      text.append(diagnostic.location()).append(": ");
    }
    text.append(diagnostic.message());
    diagnostic.notes().forEach(note -> text.append("; ").append(note));
    if (!diagnostic.help().isEmpty()) {
      text.append("; ").append(diagnostic.help());
    }
    return new PlanError(diagnostic.kind().name(), text.toString(), diagnostic.buffer());
  }
}
