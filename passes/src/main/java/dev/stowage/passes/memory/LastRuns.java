package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableList;
import dev.stowage.ir.Body;
import dev.stowage.ir.Node;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * In which order the nodes of a method end for the last time, over all graphs as they run: a graph
 * that two nodes run counts where the later one runs it, and a node ends after the graphs that it
 * runs. Nodes of graphs that nothing runs come before all others.
 */
final class LastRuns {
  private final Map<Integer, Integer> rankByNode = new HashMap<>();
  private final Body body;
  private final boolean[] visited;
  private int nextRank;

  /** A graph on the way back from its end, and what is left of it. */
  private static final class Visit {
    final ImmutableList<Node> nodes;
    int nodesLeft;

    /** How many graphs of the node at {@link #nodesLeft} are left. */
    int graphsLeft;

    Visit(ImmutableList<Node> nodes) {
      this.nodes = nodes;
      nodesLeft = nodes.size();
    }
  }

  private LastRuns(Body body) {
    this.body = body;
    visited = new boolean[body.graphs().size()];
    body.graphs().forEach(graph -> nextRank += graph.nodes().size());
  }

  /** The order of a method's nodes, in time linear in their number. */
  static LastRuns of(Body body) {
    LastRuns runs = new LastRuns(body);
    for (int graph = 0; graph < runs.visited.length; graph++) {
      runs.walkBack(graph);
    }
    return runs;
  }

  /** True if a node ends later than another; -1 stands for no node, which all others end after. */
  boolean isLater(int node, int other) {
    return node >= 0 && (other < 0 || rank(node) > rank(other));
  }

  private int rank(int node) {
    return rankByNode.getOrDefault(node, 0);
  }

  /** Backwards each graph is met first where it runs last. Calls may nest deeply: no recursion. */
  private void walkBack(int first) {
    Deque<Visit> stack = new ArrayDeque<>();
    enter(first, stack);
    while (!stack.isEmpty()) {
      Visit visit = stack.getLast();
      if (visit.graphsLeft > 0) {
        visit.graphsLeft--;
        enter(visit.nodes.get(visit.nodesLeft).graphs().get(visit.graphsLeft), stack);
      } else if (visit.nodesLeft > 0) {
        visit.nodesLeft--;
        Node node = visit.nodes.get(visit.nodesLeft);
        rankByNode.put(node.id(), nextRank--);
        visit.graphsLeft = node.graphs().length();
      } else {
        stack.removeLast();
      }
    }
  }

  private void enter(int graph, Deque<Visit> stack) {
    if (!visited[graph]) {
      visited[graph] = true;
      stack.addLast(new Visit(body.graphs().get(graph).nodes()));
    }
  }
}
