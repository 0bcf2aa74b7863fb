package dev.stowage.verifier;

import java.util.Arrays;

/**
 * What a plan claims, geometrically: for each subject a range of bytes in an arena and a span of
 * steps. A subject without a usable place, without bytes or never live meets no other.
 *
 * <p>Bytes are kept 2^63 lower than they are: a claimed offset may be close to 2^63, and so the end
 * of its range lies beyond it, but never beyond 2^64.
 */
final class Boxes {
  private static final int NO_ARENA = Integer.MIN_VALUE;

  private final int[] memId;
  private final long[] from;
  private final long[] to;
  private final int[] first;
  private final int[] last;

  Boxes(int count) {
    this(new int[count], new long[count], new long[count], new int[count], new int[count]);
    Arrays.fill(memId, NO_ARENA);
  }

  private Boxes(int[] memId, long[] from, long[] to, int[] first, int[] last) {
    this.memId = memId;
    this.from = from;
    this.to = to;
    this.first = first;
    this.last = last;
  }

  /** The same bytes, live at other steps. */
  Boxes withSpans(Spans spans) {
    return new Boxes(
        memId.clone(), from.clone(), to.clone(), spans.first.clone(), spans.last.clone());
  }

  int count() {
    return memId.length;
  }

  /** Gives a subject its bytes; {@code offsetBytes} and {@code sizeBytes} are 0 or more. */
  void place(int subject, int arenaMemId, long offsetBytes, long sizeBytes) {
    memId[subject] = arenaMemId;
    from[subject] = offsetBytes + Long.MIN_VALUE;
    to[subject] = offsetBytes + sizeBytes + Long.MIN_VALUE;
  }

  /** Gives a subject its first and last step; an empty span where it is never live. */
  void live(int subject, int firstStep, int lastStep) {
    first[subject] = firstStep;
    last[subject] = lastStep;
  }

  boolean isPlaced(int subject) {
    return memId[subject] != NO_ARENA;
  }

  /** True if the subject can meet another. */
  boolean isPresent(int subject) {
    return hasBytes(subject) && first[subject] <= last[subject];
  }

  boolean hasBytes(int subject) {
    return isPlaced(subject) && from[subject] < to[subject];
  }

  int memId(int subject) {
    return memId[subject];
  }

  /** First byte of a subject, less 2^63. */
  long from(int subject) {
    return from[subject];
  }

  /** Last byte of a subject, exclusive, less 2^63. */
  long to(int subject) {
    return to[subject];
  }

  /** First byte of a subject. */
  long fromBytes(int subject) {
    return from[subject] - Long.MIN_VALUE;
  }

  /** Last byte of a subject, exclusive; 2^63 - 1 where it is more. */
  long toBytes(int subject) {
    return to[subject] >= 0 ? Long.MAX_VALUE : to[subject] - Long.MIN_VALUE;
  }

  int first(int subject) {
    return first[subject];
  }

  int last(int subject) {
    return last[subject];
  }

  boolean overlapInBytes(int a, int b) {
    return hasBytes(a) && hasBytes(b) && memId[a] == memId[b] && from[a] < to[b] && from[b] < to[a];
  }

  /** True if all bytes of {@code inner} are bytes of {@code outer}. */
  boolean covers(int outer, int inner) {
    return isPlaced(outer)
        && memId[outer] == memId[inner]
        && from[outer] <= from[inner]
        && to[inner] <= to[outer];
  }
}
