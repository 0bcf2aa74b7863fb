package dev.stowage.passes;

import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The observers of a run as a stack. Whatever one throws, the others are told all the same, so that
 * each sees an end of all that it saw begin.
 */
final class Observers {
  private final ImmutableList<PassInstrumentation> outermostFirst;

  Observers(ImmutableList<PassInstrumentation> outermostFirst) {
    this.outermostFirst = outermostFirst;
  }

  /** Tells that something begins; what the first that fails throws is thrown in the end. */
  void tell(Consumer<PassInstrumentation> event) {
    tell(outermostFirst, event);
  }

  /** Tells that something has ended, the innermost first; otherwise as at a beginning. */
  void tellEnd(Consumer<PassInstrumentation> event) {
    tell(outermostFirst.reverse(), event);
  }

  /**
   * Tells that something has failed, the innermost first, which is thrown whoever fails at that.
   */
  void tellFailure(Throwable failure, Consumer<PassInstrumentation> event) {
    try {
      tellEnd(event);
    } catch (RuntimeException | Error e) {
      suppress(failure, e);
    }
  }

  private static void tell(
      List<PassInstrumentation> observers, Consumer<PassInstrumentation> event) {
    Throwable first = null;
    for (PassInstrumentation observer : observers) {
      try {
        event.accept(observer);
      } catch (RuntimeException | Error e) {
        if (first == null) {
          first = e;
        } else {
          suppress(first, e);
        }
      }
    }
    if (first != null) {
      Throwables.throwIfUnchecked(first);
    }
  }

  /** Nothing can suppress itself. */
  @SuppressWarnings("ReferenceEquality") // by identity on purpose
  private static void suppress(Throwable failure, Throwable other) {
    if (failure != other) {
      failure.addSuppressed(other);
    }
  }
}
