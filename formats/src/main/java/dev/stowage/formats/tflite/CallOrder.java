package dev.stowage.formats.tflite;

import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.formats.tflite.TfliteModel.Operator;
import dev.stowage.formats.tflite.TfliteModel.Subgraph;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/**
 * How often TFLite Micro's one clock walks each subgraph. It walks a subgraph anew for every
 * operator that names it, so that a small file could ask for a walk without end.
 */
final class CallOrder {
  /** Far above what any real model has, and little enough to be walked in a second. */
  private static final long MAX_WALKS = 100_000;

  private static final long MAX_STEPS = 10_000_000;
  private static final int SHOWN_OF_CYCLE = 10;

  private CallOrder() {}

  /**
   * Walks by subgraph; 0 where nothing reaches it.
   *
   * @throws DiagnosticException of kind {@code input-reference} if subgraphs run each other in a
   *     circle, {@code input-unsupported} if there are too many walks
   */
  static long[] walks(String source, List<Subgraph> subgraphs) {
    long[] walks = new long[subgraphs.size()];
    walks[0] = 1;
    long walked = 0;
    long steps = 0;
    for (int caller : callersFirst(source, subgraphs)) {
      walked += walks[caller];
      steps += walks[caller] * (1L + subgraphs.get(caller).operators().size());
      if (walked > MAX_WALKS || steps > MAX_STEPS) {
        throw Diagnostic.of(
                Kinds.INPUT_UNSUPPORTED,
                new Location(source, subgraphs.get(caller).describe()),
                Message.format(
                    "one run of the model goes through more than %s subgraphs or %s operators,"
                        + " counting each as often as it is named",
                    MAX_WALKS, MAX_STEPS))
            .asException();
      }
      for (Operator operator : subgraphs.get(caller).operators()) {
        ImmutableIntArray called = operator.subgraphs();
        for (int i = 0; i < called.length(); i++) {
          // Bounded: a caller has at most MAX_WALKS, an operator names two, and a file has fewer
          // than 2^31 operators.
          walks[called.get(i)] += walks[caller];
        }
      }
    }
    return walks;
  }

  /** All subgraphs, each after those that run it. Chains may be long, so no recursion. */
  private static List<Integer> callersFirst(String source, List<Subgraph> subgraphs) {
    List<ImmutableIntArray> called = new ArrayList<>();
    for (Subgraph subgraph : subgraphs) {
      ImmutableIntArray.Builder all = ImmutableIntArray.builder();
      subgraph.operators().forEach(operator -> all.addAll(operator.subgraphs()));
      called.add(all.build());
    }
    boolean[] done = new boolean[subgraphs.size()];
    boolean[] onPath = new boolean[subgraphs.size()];
    int[] next = new int[subgraphs.size()];
    List<Integer> order = new ArrayList<>();
    Deque<Integer> path = new ArrayDeque<>();
    for (int start = 0; start < subgraphs.size(); start++) {
      if (!done[start]) {
        path.addLast(start);
        onPath[start] = true;
      }
      while (!path.isEmpty()) {
        int at = path.getLast();
        if (next[at] == called.get(at).length()) {
          path.removeLast();
          onPath[at] = false;
          done[at] = true;
          order.add(at);
          continue;
        }
        int callee = called.get(at).get(next[at]++);
        if (onPath[callee]) {
          throw cycle(source, subgraphs, path, callee);
        }
        if (!done[callee]) {
          path.addLast(callee);
          onPath[callee] = true;
        }
      }
    }
    Collections.reverse(order);
    return order;
  }

  private static DiagnosticException cycle(
      String source, List<Subgraph> subgraphs, Deque<Integer> path, int again) {
    List<String> names = new ArrayList<>();
    boolean inside = false;
    int left = 0;
    for (int subgraph : path) {
      inside |= subgraph == again;
      if (inside && names.size() < SHOWN_OF_CYCLE) {
        names.add(subgraphs.get(subgraph).describe());
      } else if (inside) {
        left++;
      }
    }
    if (left > 0) {
      names.add(left + " more");
    }
    names.add(subgraphs.get(again).describe());
    return Diagnostic.of(
            Kinds.INPUT_REFERENCE,
            new Location(source, subgraphs.get(again).describe()),
            "subgraphs run each other in a circle: " + String.join(" -> ", names))
        .asException();
  }
}
