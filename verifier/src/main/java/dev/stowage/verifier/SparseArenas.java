package dev.stowage.verifier;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Arenas as ranges with stamps, so that an arena of any size costs what is done in it. */
final class SparseArenas implements ArenaBytes {
  private static final Stamp POISON = new Stamp(new Stamp.Write(-1, -1, null, -1), 0);

  private final Map<Integer, Ranges<Stamp>> stampsByMemId = new HashMap<>();

  @Override
  public void begin() {
    stampsByMemId.clear();
  }

  @Override
  public void write(int memId, long from, long to, Stamp stamp) {
    stampsByMemId.computeIfAbsent(memId, any -> new Ranges<>()).put(from, to, stamp);
  }

  @Override
  public void poison(int memId, long from, long to) {
    write(memId, from, to, POISON);
  }

  @Override
  public List<Part> differences(int memId, long from, long to, Stamp expected) {
    List<Part> parts = new ArrayList<>();
    Ranges<Stamp> stamps = stampsByMemId.get(memId);
    long different = from;
    if (stamps != null) {
      for (Ranges.Span<Stamp> span : stamps.within(from, to)) {
        if (span.value().isSameAs(expected)) {
          if (different < span.from()) {
            parts.add(new Part(different, span.from()));
          }
          different = span.to();
        }
      }
    }
    if (different < to) {
      parts.add(new Part(different, to));
    }
    return parts;
  }
}
