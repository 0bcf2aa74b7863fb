package dev.stowage.cli;

import dev.stowage.base.Diagnostic;

/** What a run ends with, for scripts to go by. */
final class ExitCodes {
  /** Done. */
  static final int DONE = 0;

  /** The input is valid but has no plan, an error was found in one, or one of several failed. */
  static final int FAILED = 1;

  /** Wrong usage. */
  static final int USAGE = 2;

  /** The input is unreadable or invalid, or the output cannot be written. */
  static final int INPUT = 3;

  /** A defect of Stowage. */
  static final int INTERNAL = 4;

  /** A plug-in failed. */
  static final int PLUGIN = 5;

  /** A deadline or budget was reached before there was a plan. */
  static final int BUDGET = 6;

  private ExitCodes() {}

  /** The code of a run that ends with an error. */
  static int of(Diagnostic error) {
    return switch (error.kind().category()) {
      case PLANNING -> FAILED;
      case USAGE -> USAGE;
      case INPUT -> INPUT;
      case BUDGET -> BUDGET;
      case PLUGIN -> PLUGIN;
    };
  }

  /** True if an error says that there is no plan for a valid input: an answer of its own. */
  static boolean isAnswer(Diagnostic error) {
    int code = of(error);
    return code == FAILED || code == BUDGET;
  }
}
