package dev.stowage.verifier;

import dev.stowage.ir.Graph;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

/** Where jumps inside one graph make loops, and what they may skip, by position. */
final class Jumps {
  private final int[] loopsFrom;
  private final int[] backTo;
  private final int[] skippableUntil;

  Jumps(Graph graph) {
    int count = graph.nodes().size();
    loopsFrom = new int[count];
    backTo = new int[count];
    Arrays.fill(backTo, -1);
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
    for (int position = 0; position < count; position++) {
      while (!targets.isEmpty() && targets.peek() <= position) {
        targets.remove();
      }
      if (!targets.isEmpty()) {
        skippableUntil[position] = targets.peek();
      }
      Integer to = positionById.get(graph.nodes().get(position).target());
      if (to != null && to <= position) {
        loopsFrom[to]++;
        backTo[position] = to;
      } else if (to != null) {
        targets.add(to);
      }
    }
  }

  /** How many loops begin at a position. */
  int loopsFrom(int position) {
    return loopsFrom[position];
  }

  /** Where the loop begins that ends at a position, or -1. */
  int backTo(int position) {
    return backTo[position];
  }

  /** The nearest position to which a jump over this one goes, or MAX_VALUE. */
  int skippableUntil(int position) {
    return skippableUntil[position];
  }
}
