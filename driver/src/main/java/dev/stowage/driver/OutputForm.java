package dev.stowage.driver;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.io.Source;

/** What a file's ending says is to be written. */
enum OutputForm {
  JSON,
  MINIMALLOC_CSV,
  STOW;

  /**
   * The form of a name, {@code .gz} passed over.
   *
   * @param help the endings that there are, for the message
   * @throws dev.stowage.base.DiagnosticException of kind {@code usage} if the ending is none of
   *     them
   */
  static OutputForm of(String name, String help) {
    String plain = Source.uncompressedName(name);
    if (plain.endsWith(".json") || plain.endsWith(".jsonl")) {
      return JSON;
    }
    if (plain.endsWith(".csv")) {
      return MINIMALLOC_CSV;
    }
    if (plain.endsWith(".stow")) {
      return STOW;
    }
    throw Diagnostic.of(Kinds.USAGE, "the ending of '" + name + "' does not say what to write")
        .help(help)
        .asException();
  }
}
