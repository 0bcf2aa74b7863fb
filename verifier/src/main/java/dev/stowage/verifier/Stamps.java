package dev.stowage.verifier;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What lies in a run of bytes: for each byte which value it is of, and the how manieth byte of it.
 * Kept as ranges, so that large tensors cost no more than small ones.
 */
final class Stamps {
  /**
   * Bytes that follow one another in one value.
   *
   * @param from first byte
   * @param to last byte, exclusive
   * @param value number of the value
   * @param shift what to take from a position to get the byte's index in the value
   * @param writer storage through which they were written
   */
  record Range(long from, long to, int value, long shift, int writer) {
    Range cut(long newFrom, long newTo) {
      return new Range(Math.max(from, newFrom), Math.min(to, newTo), value, shift, writer);
    }

    /** The same bytes of the value at another place. */
    Range moved(long by, int newWriter) {
      return new Range(from + by, to + by, value, shift + by, newWriter);
    }

    boolean agreesWith(Range other, long distance) {
      return value == other.value && shift + distance == other.shift;
    }
  }

  private final TreeMap<Long, Range> ranges = new TreeMap<>();

  /** The ranges between two positions, in order; what was never written is left out. */
  List<Range> between(long from, long to) {
    List<Range> found = new ArrayList<>();
    Map.Entry<Long, Range> before = ranges.lowerEntry(from);
    if (before != null && before.getValue().to() > from) {
      found.add(before.getValue().cut(from, to));
    }
    for (Range range : ranges.subMap(from, to).values()) {
      found.add(range.cut(from, to));
    }
    return found;
  }

  /** Writes a range over what is there. */
  void put(Range range) {
    if (range.from() >= range.to()) {
      return;
    }
    Map.Entry<Long, Range> before = ranges.lowerEntry(range.from());
    if (before != null && before.getValue().to() > range.from()) {
      Range cut = before.getValue();
      ranges.put(cut.from(), cut.cut(cut.from(), range.from()));
      if (cut.to() > range.to()) {
        ranges.put(range.to(), cut.cut(range.to(), cut.to()));
      }
    }
    Map<Long, Range> covered = ranges.subMap(range.from(), range.to());
    if (!covered.isEmpty()) {
      Range last = requireNonNull(ranges.lowerEntry(range.to())).getValue();
      covered.clear();
      if (last.to() > range.to()) {
        ranges.put(range.to(), last.cut(range.to(), last.to()));
      }
    }
    ranges.put(range.from(), range);
  }
}
