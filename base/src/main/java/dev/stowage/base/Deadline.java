package dev.stowage.base;

import com.google.common.math.LongMath;
import java.time.Duration;

/**
 * A moment after which nobody wants to wait any more. Work that checks {@link #expired} in its
 * loops ends by itself.
 */
public final class Deadline {
  /** A deadline that never comes. */
  public static final Deadline NONE = new Deadline(Duration.ZERO, Long.MAX_VALUE, false);

  private final Duration length;
  private final long endNanos;
  private final boolean limited;

  private Deadline(Duration length, long endNanos, boolean limited) {
    this.length = length;
    this.endNanos = endNanos;
    this.limited = limited;
  }

  /** A deadline that comes so long after now. */
  public static Deadline after(Duration length) {
    long nanos;
    try {
      nanos = length.toNanos();
    } catch (ArithmeticException e) {
      return NONE; // in three centuries
    }
    return new Deadline(length, System.nanoTime() + nanos, true);
  }

  /** True if it will come. */
  public boolean isLimited() {
    return limited;
  }

  /** How long after its making it comes. */
  public Duration length() {
    return length;
  }

  /** True once it has come, or the current thread is interrupted: work should end. */
  public boolean expired() {
    return Thread.currentThread().isInterrupted() || hasCome();
  }

  /** True once it has come. */
  public boolean hasCome() {
    return limited && System.nanoTime() - endNanos >= 0;
  }

  /**
   * Nanoseconds until it has come and some more have passed, 0 or more.
   *
   * @param graceNanos how much later, 0 or more
   */
  long remainingNanos(long graceNanos) {
    return limited
        ? Math.max(0, LongMath.saturatedAdd(endNanos - System.nanoTime(), graceNanos))
        : Long.MAX_VALUE;
  }

  /**
   * The error that something was not done by now, of kind {@code deadline}.
   *
   * @param who as in {@code pass 'plan'}
   * @param what as in {@code did not end}
   */
  public Diagnostic missed(String who, String what) {
    return Diagnostic.of(
        Kinds.DEADLINE, Message.format("%s %s within %s s", who, what, length.toMillis() / 1000.0));
  }
}
