package dev.stowage.planning;

/** Bounds that hold in every file format and option, and what holds where nothing is said. */
public final class Limits {
  /** Alignment of offsets and sizes, in bytes, where neither the caller nor the file says one. */
  public static final int DEFAULT_ALIGNMENT = 16;

  /** The largest alignment that may be asked for, in bytes. */
  public static final int MAX_ALIGNMENT = 1 << 30;

  /** The largest number of an arena, so that a small file cannot make long lists of arenas. */
  public static final int MAX_MEM_ID = 65_535;

  private Limits() {}
}
