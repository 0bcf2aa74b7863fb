package dev.stowage.memmap;

/**
 * Bytes of a bank that somebody else owns, so that nothing is planned there.
 *
 * <p>Its numbers are checked where the bank becomes part of a {@link MemoryMap}.
 *
 * @param offsetBytes where it begins, counted from the start of the bank, 0 or more
 * @param sizeBytes how long it is, at least 1
 * @param owner whose it is, in words for people, such as {@code bootloader}
 */
public record ReservedRange(long offsetBytes, long sizeBytes, String owner) {
  /** The first byte behind it. */
  public long endBytes() {
    return offsetBytes + sizeBytes;
  }

  @Override
  public String toString() {
    return "[" + offsetBytes + ", +" + sizeBytes + ") of " + owner;
  }
}
