package dev.stowage.planning;

/** Rounding to alignments, which may be any positive number, not only powers of two. */
public final class Alignment {
  private Alignment() {}

  /**
   * Rounds up to a multiple of {@code alignment}, both in bytes. Unchecked: a {@link
   * PlanningProblem} is only built where nothing in it overflows.
   *
   * @param bytes 0 or more
   * @param alignment 1 or more
   */
  public static long up(long bytes, long alignment) {
    long remainder = bytes % alignment;
    return remainder == 0 ? bytes : bytes + (alignment - remainder);
  }
}
