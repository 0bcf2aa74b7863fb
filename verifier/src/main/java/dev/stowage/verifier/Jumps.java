package dev.stowage.verifier;

import dev.stowage.ir.Graph;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Where jumps inside one graph make loops, and what they may skip, by position.
 *
 * <p>Where a jump goes back into the middle of what an earlier one repeats, the earlier one may
 * jump on from there to its own beginning, so the later one repeats that too.
 */
final class Jumps {
  private final int[] loopsFrom;
  private final int[] backTo;
  private final int[] repeatsFrom;
  private final int[] skippableUntil;

  Jumps(Graph graph) {
    int count = graph.nodes().size();
    loopsFrom = new int[count];
    backTo = new int[count];
    Arrays.fill(backTo, -1);
    repeatsFrom = new int[count];
    skippableUntil = new int[count];
    Arrays.fill(skippableUntil, Integer.MAX_VALUE);
    if (graph.nodes().stream().noneMatch(node -> node.target() >= 0)) {
      return;
    }
    Map<Integer, Integer> positionById = new HashMap<>();
    for (int i = 0; i < count; i++) {
      positionById.put(graph.nodes().get(i).id(), i);
    }
    // Where several jumps skip a position, the nearest target wins.
    PriorityQueue<Integer> targets = new PriorityQueue<>();
    // Loops that end before a position and are in no other, by their ends.
    Deque<Integer> ends = new ArrayDeque<>();
    for (int position = 0; position < count; position++) {
      while (!targets.isEmpty() && targets.peek() <= position) {
        targets.remove();
      }
      if (!targets.isEmpty()) {
        skippableUntil[position] = targets.peek();
      }
      Integer to = positionById.get(graph.nodes().get(position).target());
      if (to != null && to <= position) {
        int begin = to;
        while (!ends.isEmpty() && ends.peek() >= begin) {
          begin = Math.min(begin, repeatsFrom[ends.pop()]);
        }
        loopsFrom[to]++;
        if (begin < to) {
          loopsFrom[begin]++;
        }
        backTo[position] = to;
        repeatsFrom[position] = begin;
        ends.push(position);
      } else if (to != null) {
        targets.add(to);
      }
    }
  }

  /** How many loops begin at a position, both for {@link #backTo} and {@link #repeatsFrom}. */
  int loopsFrom(int position) {
    return loopsFrom[position];
  }

  /** Where the jump at a position goes back to, or -1. */
  int backTo(int position) {
    return backTo[position];
  }

  /** The first position that a jump back may lead to, perhaps by way of others. */
  int repeatsFrom(int position) {
    return repeatsFrom[position];
  }

  /** The nearest position to which a jump over this one goes, or MAX_VALUE. */
  int skippableUntil(int position) {
    return skippableUntil[position];
  }
}
