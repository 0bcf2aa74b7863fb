package dev.stowage.driver;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.io.Source;
import java.util.Optional;

/** What a file's ending says is to be written. */
enum OutputForm {
  JSON,
  MINIMALLOC_CSV,
  STOW;

  /** The form of a name, {@code .gz} passed over; empty if its ending says none of them. */
  static Optional<OutputForm> of(String name) {
    String plain = Source.uncompressedName(name);
    if (plain.endsWith(".json") || plain.endsWith(".jsonl")) {
      return Optional.of(JSON);
    }
    if (plain.endsWith(".csv")) {
      return Optional.of(MINIMALLOC_CSV);
    }
    return plain.endsWith(".stow") ? Optional.of(STOW) : Optional.empty();
  }

  /**
   * The error about a name whose ending says nothing.
   *
   * @param help the endings that there are
   */
  static DiagnosticException unknown(String name, String help) {
    return Diagnostic.of(Kinds.USAGE, "the ending of '" + name + "' does not say what to write")
        .help(help)
        .asException();
  }
}
