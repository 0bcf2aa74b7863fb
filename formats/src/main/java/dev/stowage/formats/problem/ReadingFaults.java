package dev.stowage.formats.problem;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.json.JsonCursor;
import java.util.ArrayList;
import java.util.List;

/**
 * What is wrong with a problem, gathered while the reading goes on, so that all of it is reported
 * at once: the first hundred faults, since a file of another format is wrong everywhere.
 */
final class ReadingFaults {
  private static final int MOST = 100;

  private final JsonCursor cursor;
  private final List<Diagnostic> found = new ArrayList<>();

  /** True once the reading ends, which values around the one at fault are not to hold up. */
  private boolean ended;

  ReadingFaults(JsonCursor cursor) {
    this.cursor = cursor;
  }

  /**
   * Reads the value at the cursor. If that fails, the value is passed over.
   *
   * @throws DiagnosticException about all faults so far if the text is no JSON from here on, or
   *     there are too many
   */
  void read(Runnable reading) {
    int mark = cursor.mark();
    try {
      reading.run();
    } catch (DiagnosticException e) {
      if (ended) {
        throw e;
      }
      add(e.diagnostic());
      cursor.passOver(mark);
    }
  }

  /** Does what reads nothing more. */
  void note(Runnable step) {
    try {
      step.run();
    } catch (DiagnosticException e) {
      add(e.diagnostic());
    }
  }

  /** Adds a fault; see {@link #read} for the exceptions. */
  void add(Diagnostic fault) {
    found.add(fault);
    if (found.size() >= MOST || endsReading(fault.kind())) {
      ended = true;
      throwIfAny();
    }
  }

  private static boolean endsReading(DiagnosticKind kind) {
    return kind.equals(Kinds.INPUT_SYNTAX) || kind.equals(Kinds.INPUT_UNREADABLE);
  }

  /** How many there are. */
  int count() {
    return found.size();
  }

  /** Ends the reading if anything is wrong. */
  void throwIfAny() {
    if (!found.isEmpty()) {
      throw Diagnostic.joined(found).asException();
    }
  }
}
