package dev.stowage.planning;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * Bytes of an arena that are taken all the time, by something that the plan does not place.
 *
 * @param offsetBytes from the start of the arena, 0 or more
 * @param sizeBytes 1 or more
 * @param owner who has them; a label
 */
public record ReservedRange(long offsetBytes, long sizeBytes, String owner) {
  /** Refuses ranges that are empty, or end above 2^63 - 1. */
  public ReservedRange {
    checkArgument(offsetBytes >= 0, "offset is negative: %s", offsetBytes);
    checkArgument(
        sizeBytes >= 1 && sizeBytes <= Long.MAX_VALUE - offsetBytes,
        "size is below 1 or too large: %s",
        sizeBytes);
  }

  /** The first byte behind it. */
  public long endBytes() {
    return offsetBytes + sizeBytes;
  }
}
