package dev.stowage.verifier;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Values of ranges of bytes, of which none overlap. A range costs the same however long it is: all
 * is O(log n + k), where k ranges are touched. Not thread-safe.
 */
final class Ranges<V> {
  private final TreeMap<Long, Span<V>> byFrom = new TreeMap<>();

  /** Bytes from one, inclusive, to another, exclusive, and what they hold. */
  record Span<V>(long from, long to, V value) {}

  /** Gives a range a value, whatever it had before. */
  void put(long from, long to, V value) {
    if (from >= to) {
      return;
    }
    cut(from);
    cut(to);
    byFrom.subMap(from, to).clear();
    byFrom.put(from, new Span<>(from, to, value));
  }

  /** The parts of a range that have values, in order, as far as they lie in it. */
  List<Span<V>> within(long from, long to) {
    List<Span<V>> spans = new ArrayList<>();
    Map.Entry<Long, Span<V>> before = byFrom.lowerEntry(from);
    if (before != null && before.getValue().to() > from) {
      Span<V> span = before.getValue();
      spans.add(new Span<>(from, Math.min(to, span.to()), span.value()));
    }
    for (Span<V> span : byFrom.subMap(from, Math.max(from, to)).values()) {
      spans.add(span.to() <= to ? span : new Span<>(span.from(), to, span.value()));
    }
    return spans;
  }

  /** Makes a range begin at a byte, where one reaches over it. */
  private void cut(long at) {
    Map.Entry<Long, Span<V>> before = byFrom.lowerEntry(at);
    if (before != null && before.getValue().to() > at) {
      Span<V> span = before.getValue();
      byFrom.put(span.from(), new Span<>(span.from(), at, span.value()));
      byFrom.put(at, new Span<>(at, span.to(), span.value()));
    }
  }
}
