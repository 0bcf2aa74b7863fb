package dev.stowage.passes.analysis;

import dev.stowage.ir.Body;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Node;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The position of each node in its graph, from 0: the clock of a method without called graphs. */
public final class Schedule {
  /** The fact as {@link Analyses} knows it. */
  public static final Analysis<Schedule> ANALYSIS =
      Analysis.of("schedule", (method, analyses) -> Schedule.of(method.body()));

  private final Map<Integer, Integer> positionByNode;
  private final int last;

  private Schedule(Map<Integer, Integer> positionByNode, int last) {
    this.positionByNode = positionByNode;
    this.last = last;
  }

  private static Schedule of(Body body) {
    Map<Integer, Integer> positions = new HashMap<>();
    for (Graph graph : body.graphs()) {
      int position = 0;
      for (Node node : graph.nodes()) {
        positions.put(node.id(), position++);
      }
    }
    return new Schedule(positions, Math.max(0, body.graphs().get(0).nodes().size() - 1));
  }

  /** Position of a node in its graph. */
  public int position(Node node) {
    return position(node.id());
  }

  /**
   * Position of the node of an id in its graph.
   *
   * @throws IllegalArgumentException if the method has no such node
   */
  public int position(int nodeId) {
    Integer position = positionByNode.get(nodeId);
    if (position == null) {
      throw new IllegalArgumentException("node " + nodeId + " is not in this method");
    }
    return position;
  }

  /** Position of the last node of the graph where the method begins. */
  public int last() {
    return last;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Schedule schedule && positionByNode.equals(schedule.positionByNode);
  }

  @Override
  public int hashCode() {
    return positionByNode.hashCode();
  }
}
