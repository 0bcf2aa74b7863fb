package dev.stowage.verifier;

import java.util.Arrays;
import java.util.Comparator;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Finds the pairs of one arena that overlap in bytes and in time.
 *
 * <p>A line sweeps over the steps. The boxes that it crosses are in a tree ordered by first byte,
 * each node of which knows the largest end below it; so all that intersect a new box are found in
 * O(log n) each, however many there are and however they overlap. Where only their number is asked
 * for, two Fenwick trees give it in O(n log n).
 *
 * <p>Boxes that are kin may share bytes. Each has a span of numbers, and those of two boxes meet if
 * they are kin. The nodes of the tree know how far the spans below them reach, so that the many kin
 * of a box are passed over without a look at each.
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
  private final IntUnaryOperator kinBegin;
  private final IntUnaryOperator kinEnd;

  /**
   * A sweep over boxes of one arena, all present.
   *
   * @param kinBegin first number of a box's span
   * @param kinEnd last number of it, exclusive
   */
  OverlapSweep(Boxes boxes, int[] members, IntUnaryOperator kinBegin, IntUnaryOperator kinEnd) {
    this.boxes = boxes;
    this.kinBegin = kinBegin;
    this.kinEnd = kinEnd;
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
   * Visits every pair that overlaps in bytes and time and is not kin, in an order that depends on
   * nothing else.
   */
  void forEachPair(PairVisitor visitor) {
    LiveTree live = new LiveTree(byFrom.length);
    int expired = 0;
    for (int box : byFirst) {
      while (boxes.last(byLast[expired]) < boxes.first(box)) {
        live.remove(rankByBox[byLast[expired++]]);
      }
      boolean goOn =
          live.visitAbove(
              countBelow(froms, boxes.to(box)),
              boxes.from(box),
              kinBegin.applyAsInt(box),
              kinEnd.applyAsInt(box),
              rank -> {
                int other = byFrom[rank];
                return visitor.visit(Math.min(box, other), Math.max(box, other));
              });
      if (!goOn) {
        return;
      }
      live.set(rankByBox[box], boxes.to(box), kinBegin.applyAsInt(box), kinEnd.applyAsInt(box));
    }
  }

  /** How many pairs overlap in bytes and time, where no two are kin. */
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

  /** Boxes by rank; each inner node has the largest end and the outermost spans below it. */
  private static final class LiveTree {
    private static final long ABSENT = Long.MIN_VALUE;

    private final int leaves;
    private final long[] maxTo;
    private final int[] maxBegin;
    private final int[] minEnd;

    LiveTree(int size) {
      leaves = Math.max(1, Integer.highestOneBit(Math.max(1, size - 1)) << 1);
      maxTo = new long[2 * leaves];
      Arrays.fill(maxTo, ABSENT);
      maxBegin = new int[2 * leaves];
      Arrays.fill(maxBegin, Integer.MIN_VALUE);
      minEnd = new int[2 * leaves];
      Arrays.fill(minEnd, Integer.MAX_VALUE);
    }

    void remove(int rank) {
      set(rank, ABSENT, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    void set(int rank, long to, int begin, int end) {
      int node = leaves + rank;
      maxTo[node] = to;
      maxBegin[node] = begin;
      minEnd[node] = end;
      for (node >>= 1; node > 0; node >>= 1) {
        maxTo[node] = Math.max(maxTo[2 * node], maxTo[2 * node + 1]);
        maxBegin[node] = Math.max(maxBegin[2 * node], maxBegin[2 * node + 1]);
        minEnd[node] = Math.min(minEnd[2 * node], minEnd[2 * node + 1]);
      }
    }

    /** Visits in order the ranks below a limit that end above a bound and meet no span. */
    boolean visitAbove(int limit, long bound, int begin, int end, IntPredicate visitor) {
      return visitAbove(1, 0, leaves, limit, bound, begin, end, visitor);
    }

    private boolean visitAbove(
        int node,
        int low,
        int high,
        int limit,
        long bound,
        int begin,
        int end,
        IntPredicate visitor) {
      boolean allKin = minEnd[node] > begin && maxBegin[node] < end;
      if (low >= limit || maxTo[node] <= bound || allKin) {
        return true;
      }
      if (high - low == 1) {
        return visitor.test(low);
      }
      int middle = (low + high) >>> 1;
      return visitAbove(2 * node, low, middle, limit, bound, begin, end, visitor)
          && visitAbove(2 * node + 1, middle, high, limit, bound, begin, end, visitor);
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
