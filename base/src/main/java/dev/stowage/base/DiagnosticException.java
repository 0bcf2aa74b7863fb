package dev.stowage.base;

/** Ends an operation because of the user's input; carries the one message that the user sees. */
public final class DiagnosticException extends RuntimeException {
  private final transient Diagnostic diagnostic;

  /** Wraps a diagnostic. */
  public DiagnosticException(Diagnostic diagnostic) {
    super(diagnostic.render());
    this.diagnostic = diagnostic;
  }

  /** What to tell the user. */
  public Diagnostic diagnostic() {
    return diagnostic;
  }
}
