package dev.stowage.planning;

import dev.stowage.memmap.ReservedRange;

/** How much of an arena buffers may fill, beside what others own and the padding. */
final class ArenaRoom {
  private ArenaRoom() {}

  /** Bytes of an arena that buffers may fill at one time, or {@link Arena#UNLIMITED}. */
  static long usableBytes(Arena arena) {
    long end = arena.usableEndBytes();
    if (end == Arena.UNLIMITED) {
      return Arena.UNLIMITED;
    }
    long usable = 0;
    long from = arena.reservedBytes();
    for (ReservedRange range : arena.reservedRanges()) {
      usable += Math.max(0, Math.min(range.offsetBytes(), end) - from);
      from = Math.max(from, range.endBytes());
    }
    return usable + Math.max(0, end - from);
  }

  /** The least end, padding left out, of so many bytes outside of what is reserved. */
  static long endOf(Arena arena, long bytes) {
    long end = arena.reservedBytes();
    long left = bytes;
    for (ReservedRange range : arena.reservedRanges()) {
      long free = Math.max(0, range.offsetBytes() - end);
      if (left <= free) {
        break;
      }
      left -= free;
      end = Math.max(end, range.endBytes());
    }
    return end + left;
  }
}
