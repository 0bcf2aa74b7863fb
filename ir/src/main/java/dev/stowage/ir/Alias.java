package dev.stowage.ir;

/**
 * A semantic alias edge from a tensor to the one whose bytes it is a handle to. Set by importers
 * and trusted; sharing that somebody chose is an annotation instead.
 *
 * @param kind how the two are related
 * @param base id of the other tensor
 * @param offsetBytes where this one begins in the other; 0 but for views
 */
public record Alias(Kind kind, int base, long offsetBytes) {
  /** How a tensor is related to its base. */
  public enum Kind {
    /** The same tensor by another handle: the result of a call with an out argument, a getitem. */
    SAME,
    /** A window on the base, or another shape of it. */
    VIEW,
    /** The base after it was written in place. */
    MUTATES,
  }

  /** The same tensor by another handle. */
  public static Alias same(int base) {
    return new Alias(Kind.SAME, base, 0);
  }

  /** A window on the base. */
  public static Alias view(int base, long offsetBytes) {
    return new Alias(Kind.VIEW, base, offsetBytes);
  }

  /** The base after it was written in place. */
  public static Alias mutates(int base) {
    return new Alias(Kind.MUTATES, base, 0);
  }
}
