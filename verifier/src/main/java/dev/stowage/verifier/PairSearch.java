package dev.stowage.verifier;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Multimaps;
import com.google.common.primitives.Ints;
import java.util.Arrays;
import java.util.Collection;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Finds the pairs that are in conflict where some boxes lie inside others.
 *
 * <p>A box that has a base lies in the bytes of that, and the base is live whenever it is. So in
 * its arena the outermost base, the root, speaks for all that lies in it, and the parts of one root
 * are compared among themselves. A part that is not inside its root as it should be also speaks for
 * itself. A base and what it backs, directly or through a chain, are never in conflict.
 */
final class PairSearch {
  /** Told of the pairs. */
  interface Judge {
    /**
     * Two with different roots overlap, the lower number first.
     *
     * @return false if it is enough to count the others, where that is quicker
     */
    boolean overlap(int a, int b);

    /** So many more with different roots overlap among boxes of one arena, all of them roots. */
    void moreOverlaps(int[] roots, long pairs);

    /** Two parts of one root overlap, neither inside the other, the lower number first. */
    void siblings(int a, int b);
  }

  private final Boxes boxes;
  private final int[] base;
  private final int[] root;

  /** Numbers that the boxes of a family have in pre-order: its own, and the one past its parts'. */
  private final int[] begin;

  private final int[] end;

  /** A search among boxes; {@code base} has the base of each or a negative number, no cycles. */
  PairSearch(Boxes boxes, int[] base) {
    this.boxes = boxes;
    this.base = base;
    root = new int[base.length];
    Arrays.fill(root, -1);
    begin = new int[base.length];
    end = new int[base.length];
    number(rootsFirst());
  }

  /** Finds the roots, and an order in which every box comes after its base. */
  private int[] rootsFirst() {
    int[] order = new int[base.length];
    int[] chain = new int[base.length];
    int ordered = 0;
    for (int i = 0; i < base.length; i++) {
      int length = 0;
      int at = i;
      for (; root[at] < 0 && base[at] >= 0; at = base[at]) {
        chain[length++] = at;
      }
      if (root[at] < 0) {
        root[at] = at;
        order[ordered++] = at;
      }
      while (length > 0) {
        int next = chain[--length];
        root[next] = root[at];
        order[ordered++] = next;
      }
    }
    return order;
  }

  /**
   * For each box, whether it or one of those that it lies in is chosen.
   *
   * @param base of each box, or a negative number; no cycles
   */
  static boolean[] liesInChosen(int[] base, IntPredicate chosen) {
    boolean[] known = new boolean[base.length];
    boolean[] lies = new boolean[base.length];
    int[] chain = new int[base.length];
    for (int i = 0; i < base.length; i++) {
      int length = 0;
      int at = i;
      for (; at >= 0 && !known[at]; at = base[at]) {
        chain[length++] = at;
      }
      boolean above = at >= 0 && lies[at];
      while (length > 0) {
        int next = chain[--length];
        above |= chosen.test(next);
        lies[next] = above;
        known[next] = true;
      }
    }
    return lies;
  }

  private void number(int[] order) {
    int[] size = new int[base.length];
    for (int i = order.length - 1; i >= 0; i--) {
      int box = order[i];
      size[box]++;
      if (base[box] >= 0) {
        size[base[box]] += size[box];
      }
    }
    int roots = 0;
    for (int box : order) {
      if (base[box] < 0) {
        begin[box] = roots;
        roots += size[box];
      } else {
        // Until all its parts are numbered, the end of a box is where the next of them begins.
        begin[box] = end[base[box]];
        end[base[box]] += size[box];
      }
      end[box] = begin[box] + 1;
    }
  }

  void run(Judge judge) {
    int[] speakers = present(i -> root[i] == i || !boxes.covers(root[i], i));
    for (Collection<Integer> arena : groups(speakers, boxes::memId)) {
      searchArena(Ints.toArray(arena), judge);
    }
    int[] children = new int[base.length];
    boolean[] branches = new boolean[base.length];
    for (int i = 0; i < base.length; i++) {
      if (base[i] >= 0 && ++children[base[i]] > 1) {
        branches[root[i]] = true;
      }
    }
    // In a family that is one chain there are no siblings, however long it is.
    int[] parts = present(i -> root[i] != i && branches[root[i]]);
    for (Collection<Integer> family : groups(parts, i -> root[i])) {
      for (Collection<Integer> members : groups(Ints.toArray(family), boxes::memId)) {
        new OverlapSweep(boxes, Ints.toArray(members), i -> begin[i], i -> end[i])
            .forEachPair(
                (a, b) -> {
                  judge.siblings(a, b);
                  return true;
                });
      }
    }
  }

  private void searchArena(int[] speakers, Judge judge) {
    OverlapSweep sweep = new OverlapSweep(boxes, speakers, i -> begin[root[i]], i -> end[root[i]]);
    if (Arrays.stream(speakers).anyMatch(i -> root[i] != i)) {
      sweep.forEachPair(
          (a, b) -> {
            judge.overlap(a, b);
            return true;
          });
      return;
    }
    long[] seen = new long[1];
    boolean[] stopped = new boolean[1];
    sweep.forEachPair(
        (a, b) -> {
          seen[0]++;
          stopped[0] = !judge.overlap(a, b);
          return !stopped[0];
        });
    if (stopped[0]) {
      judge.moreOverlaps(speakers, sweep.pairCount() - seen[0]);
    }
  }

  private int[] present(IntPredicate condition) {
    return IntStream.range(0, boxes.count()).filter(boxes::isPresent).filter(condition).toArray();
  }

  private static Iterable<Collection<Integer>> groups(int[] members, IntUnaryOperator key) {
    ImmutableListMultimap<Integer, Integer> byKey =
        Multimaps.index(Ints.asList(members), key::applyAsInt);
    return byKey.asMap().values();
  }
}
