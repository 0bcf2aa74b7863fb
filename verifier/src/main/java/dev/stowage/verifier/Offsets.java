package dev.stowage.verifier;

/** Exact arithmetic on claimed offsets, which may be any number. */
final class Offsets {
  private Offsets() {}

  /** True if {@code value} is exactly {@code difference} more than {@code from}. */
  static boolean differBy(long value, long from, long difference) {
    try {
      return Math.subtractExact(value, from) == difference;
    } catch (ArithmeticException e) {
      return false;
    }
  }
}
