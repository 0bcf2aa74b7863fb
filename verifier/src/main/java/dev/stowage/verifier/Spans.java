package dev.stowage.verifier;

import java.util.Arrays;

/** First and last steps by storage, empty ones from MAX_VALUE to -1. */
final class Spans {
  final int[] first;
  final int[] last;

  Spans(int count) {
    first = new int[count];
    Arrays.fill(first, Integer.MAX_VALUE);
    last = new int[count];
    Arrays.fill(last, -1);
  }

  void include(int subject, int from, int to) {
    first[subject] = Math.min(first[subject], from);
    last[subject] = Math.max(last[subject], to);
  }

  Spans copy() {
    Spans copy = new Spans(first.length);
    System.arraycopy(first, 0, copy.first, 0, first.length);
    System.arraycopy(last, 0, copy.last, 0, last.length);
    return copy;
  }

  boolean overlap(int a, int b) {
    return first[a] <= last[b] && first[b] <= last[a];
  }
}
