package dev.stowage.planning;

import static com.google.common.base.Verify.verify;
import static java.util.Objects.requireNonNull;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** Which buffers of a problem lie in whose bytes, while it is built. */
final class StorageBases {
  private final int count;
  private final IntColumn base;

  /** How many buffers lie directly in each. */
  private final IntFunction<String> describe;

  private final int[] children;

  /**
   * Counts what each buffer backs.
   *
   * @param base of each buffer, or a negative number; all others are below {@code count}
   * @param describe what a buffer is called in messages
   */
  StorageBases(int count, IntColumn base, IntFunction<String> describe) {
    this.count = count;
    this.base = base;
    this.describe = describe;
    children = new int[count];
    for (int i = 0; i < count; i++) {
      if (base.get(i) >= 0) {
        children[base.get(i)]++;
      }
    }
  }

  /** True if another buffer lies in this one's bytes. */
  boolean isBase(int buffer) {
    return children[buffer] > 0;
  }

  /**
   * Widens the lifetime of each base over the whole chain below it, in O(n).
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code storage-cycle}
   */
  void widen(int[] start, int[] end) {
    if (base.isDefault()) {
      return;
    }
    // Leaves first: when a buffer's turn comes, all that it backs has been merged into it.
    int[] childrenLeft = children.clone();
    int[] ready = new int[count];
    int readyCount = 0;
    for (int i = 0; i < count; i++) {
      if (childrenLeft[i] == 0) {
        ready[readyCount++] = i;
      }
    }
    for (int next = 0; next < readyCount; next++) {
      int child = ready[next];
      int parent = base.get(child);
      if (parent >= 0) {
        start[parent] = Math.min(start[parent], start[child]);
        end[parent] = Math.max(end[parent], end[child]);
        if (--childrenLeft[parent] == 0) {
          ready[readyCount++] = parent;
        }
      }
    }
    if (readyCount < count) {
      throw cycle(childrenLeft).asException();
    }
  }

  private Diagnostic cycle(int[] childrenLeft) {
    int at = 0;
    while (childrenLeft[at] == 0) {
      at++;
    }
    // What is left is on a cycle or is a base of one; walking towards bases ends on the cycle.
    Map<Integer, Integer> seen = new HashMap<>();
    List<Integer> path = new ArrayList<>();
    while (seen.putIfAbsent(at, path.size()) == null) {
      path.add(at);
      at = base.get(at);
      verify(at >= 0, "a chain left the cycle");
    }
    StringBuilder text = new StringBuilder();
    for (int buffer : path.subList(requireNonNull(seen.get(at)), path.size())) {
      text.append(describe.apply(buffer)).append(" -> ");
    }
    return Diagnostic.of(
            Kinds.STORAGE_CYCLE,
            Location.at(describe.apply(at)),
            "storage bases form a cycle: " + text + describe.apply(at))
        .aboutBuffer(at)
        .help("let one of them have bytes of its own");
  }
}
