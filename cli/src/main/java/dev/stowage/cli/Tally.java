package dev.stowage.cli;

import dev.stowage.base.Diagnostic;
import org.jspecify.annotations.Nullable;

/** Counts what went well and what did not, and so what a run ends with. Not thread-safe. */
final class Tally {
  private long total;
  private long failed;
  private long rejected;
  private @Nullable Diagnostic firstError;

  /** Counts something that was done. */
  void done() {
    total++;
  }

  /** Counts something that was done, but in which the verifier found an error. */
  void rejected() {
    total++;
    rejected++;
  }

  /** Counts something that failed. */
  void failed(Diagnostic why) {
    total++;
    failed++;
    if (firstError == null) {
      firstError = why;
    }
  }

  /** How many were counted. */
  long total() {
    return total;
  }

  /** How many failed. */
  long failures() {
    return failed;
  }

  /** In how many the verifier found an error. */
  long rejections() {
    return rejected;
  }

  /** The one error's own code if there was one thing only, else whether there was any. */
  int exitCode() {
    if (total == 1 && firstError != null) {
      return ExitCodes.of(firstError);
    }
    return failed + rejected == 0 ? ExitCodes.DONE : ExitCodes.FAILED;
  }
}
