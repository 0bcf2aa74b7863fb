package dev.stowage.base.io;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;

/** One of several documents in a file, or why it could not be read; reading goes on either way. */
public sealed interface Entry<T> {
  /** A document that was read. */
  record Read<T>(T value) implements Entry<T> {}

  /**
   * A document that is invalid.
   *
   * @param name its own name if that was read before the error, else one made from file and line
   * @param error what is wrong, and where
   */
  record Bad<T>(String name, Diagnostic error) implements Entry<T> {}

  /**
   * The document.
   *
   * @throws DiagnosticException if it is invalid
   */
  default T orThrow() {
    if (this instanceof Read<T> read) {
      return read.value();
    }
    throw ((Bad<T>) this).error().asException();
  }
}
