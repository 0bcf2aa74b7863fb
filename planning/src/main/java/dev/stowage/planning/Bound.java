package dev.stowage.planning;

/**
 * What no plan of a problem can go below.
 *
 * @param bytes sum of all arenas
 * @param kind how it was proved
 */
public record Bound(long bytes, Kind kind) {
  /** Nothing is proved. */
  public static final Bound NONE = new Bound(0, Kind.NONE);

  /** How a bound was proved. */
  public enum Kind {
    NONE,
    /** By what is live at one time. */
    LIVENESS,
    /** By a search that left nothing out. */
    SEARCH,
  }
}
