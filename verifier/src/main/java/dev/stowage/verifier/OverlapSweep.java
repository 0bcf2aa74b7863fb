package dev.stowage.verifier;

import java.util.Arrays;
import java.util.Comparator;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Finds the pairs of one arena that overlap in bytes and in time.
 *
 * <p>A line sweeps over the steps. The boxes that it crosses are in a tree ordered by first byte,
 * each node of which knows the largest end below it; so all that intersect a new box are found in
 * O(log n) each, however many there are and however they overlap. Where only their number is asked
 * for, two Fenwick trees give it in O(n log n).
 */
final class OverlapSweep {
  /** Takes a pair, the lower number first; false ends the search. */
  @FunctionalInterface
  interface PairVisitor {
    boolean visit(int a, int b);
  }

  private final Boxes boxes;
  private final int[] byFirst;
  private final int[] byLast;
  private final int[] byFrom;
  private final long[] froms;
  private final int[] rankByBox;

  /** A sweep over boxes of one arena, all present. */
  OverlapSweep(Boxes boxes, int[] members) {
    this.boxes = boxes;
    byFirst = sorted(members, Comparator.comparingInt(boxes::first));
    byLast = sorted(members, Comparator.comparingInt(boxes::last));
    byFrom = sorted(members, Comparator.comparingLong(boxes::from));
    froms = Arrays.stream(byFrom).mapToLong(boxes::from).toArray();
    int[] rank = new int[members.length == 0 ? 0 : Arrays.stream(members).max().getAsInt() + 1];
    for (int i = 0; i < byFrom.length; i++) {
      rank[byFrom[i]] = i;
    }
    rankByBox = rank;
  }

  private static int[] sorted(int[] members, Comparator<Integer> order) {
    return IntStream.of(members)
        .boxed()
        .sorted(order.thenComparing(Comparator.naturalOrder()))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  /**
   * Visits every pair that overlaps in bytes and time, in an order that depends on nothing else.
   */
  void forEachPair(PairVisitor visitor) {
    MaxTree live = new MaxTree(byFrom.length);
    int expired = 0;
    for (int box : byFirst) {
      while (boxes.last(byLast[expired]) < boxes.first(box)) {
        live.set(rankByBox[byLast[expired++]], MaxTree.ABSENT);
      }
      boolean goOn =
          live.visitAbove(
              countBelow(froms, boxes.to(box)),
              boxes.from(box),
              rank -> {
                int other = byFrom[rank];
                return visitor.visit(Math.min(box, other), Math.max(box, other));
              });
      if (!goOn) {
        return;
      }
      live.set(rankByBox[box], boxes.to(box));
    }
  }

  /** How many pairs overlap in bytes and time. */
  long pairCount() {
    long[] tos = Arrays.stream(byFrom).mapToLong(boxes::to).sorted().toArray();
    Fenwick liveByFrom = new Fenwick(froms.length);
    Fenwick liveByTo = new Fenwick(tos.length);
    long pairs = 0;
    int expired = 0;
    for (int box : byFirst) {
      while (boxes.last(byLast[expired]) < boxes.first(box)) {
        int gone = byLast[expired++];
        liveByFrom.add(countBelow(froms, boxes.from(gone)), -1);
        liveByTo.add(countBelow(tos, boxes.to(gone)), -1);
      }
      // What ends before the box begins also begins before the box ends.
      pairs +=
          liveByFrom.sumBelow(countBelow(froms, boxes.to(box)))
              - liveByTo.sumBelow(countBelow(tos, boxes.from(box) + 1));
      liveByFrom.add(countBelow(froms, boxes.from(box)), 1);
      liveByTo.add(countBelow(tos, boxes.to(box)), 1);
    }
    return pairs;
  }

  /** How many of the sorted values are less than a limit. */
  static int countBelow(long[] sorted, long limit) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle] < limit) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Values by rank, and in each inner node the largest below it. */
  private static final class MaxTree {
    static final long ABSENT = Long.MIN_VALUE;

    private final int leaves;
    private final long[] max;

    MaxTree(int size) {
      leaves = Math.max(1, Integer.highestOneBit(Math.max(1, size - 1)) << 1);
      max = new long[2 * leaves];
      Arrays.fill(max, ABSENT);
    }

    void set(int rank, long value) {
      int node = leaves + rank;
      max[node] = value;
      for (node >>= 1; node > 0; node >>= 1) {
        max[node] = Math.max(max[2 * node], max[2 * node + 1]);
      }
    }

    /** Visits the ranks below a limit whose values are above a bound, in order. */
    boolean visitAbove(int limit, long bound, IntPredicate visitor) {
      return visitAbove(1, 0, leaves, limit, bound, visitor);
    }

    private boolean visitAbove(
        int node, int low, int high, int limit, long bound, IntPredicate visitor) {
      if (low >= limit || max[node] <= bound) {
        return true;
      }
      if (high - low == 1) {
        return visitor.test(low);
      }
      int middle = (low + high) >>> 1;
      return visitAbove(2 * node, low, middle, limit, bound, visitor)
          && visitAbove(2 * node + 1, middle, high, limit, bound, visitor);
    }
  }

  /** Counters by rank, with sums of prefixes. */
  private static final class Fenwick {
    private final int[] sums;

    Fenwick(int size) {
      sums = new int[size + 1];
    }

    void add(int rank, int change) {
      for (int i = rank + 1; i < sums.length; i += i & -i) {
        sums[i] += change;
      }
    }

    int sumBelow(int rank) {
      int sum = 0;
      for (int i = rank; i > 0; i -= i & -i) {
        sum += sums[i];
      }
      return sum;
    }
  }
}
