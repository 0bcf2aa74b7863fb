package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableSet;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.memory.MemoryKeys;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * When the bytes of storages are accessed, each on the clock of the one graph that accesses them:
 * positions of nodes in that graph. A graph may run many times; what only it accesses begins anew
 * each time, unless it is an input.
 */
final class GraphUses {
  /** Stands for the graph of a storage that none accesses. */
  static final int NO_GRAPH = -1;

  /** Stands for the graph of a storage that several access. */
  static final int SEVERAL = -2;

  private static final ImmutableSet<String> WITHOUT_ACCESS =
      ImmutableSet.of(Ops.ALLOC, Ops.BIND, Ops.VIEW, Ops.FREE);

  private final int[] graph;
  private final int[] first;
  private final int[] last;

  private GraphUses(int count) {
    graph = new int[count];
    first = new int[count];
    last = new int[count];
    Arrays.fill(graph, NO_GRAPH);
  }

  static GraphUses of(Method method) {
    GraphUses uses = new GraphUses(method.tensors().size());
    Map<Integer, int[]> places = new HashMap<>();
    for (int index = 0; index < method.body().graphs().size(); index++) {
      Graph graph = method.body().graphs().get(index);
      for (int position = 0; position < graph.nodes().size(); position++) {
        Node node = graph.nodes().get(position);
        places.put(node.id(), new int[] {index, position});
        if (!WITHOUT_ACCESS.contains(node.op())) {
          for (Operand operand : node.operands()) {
            if (!operand.isHole() && operand.access() != Access.BIND) {
              uses.touch(method.body().root(operand.tensor()), index, position);
            }
          }
          for (int result : node.results().asList()) {
            uses.touch(method.body().root(result), index, position);
          }
        }
      }
    }
    for (int root = 0; root < uses.graph.length; root++) {
      boolean accessed = method.body().root(root) == root && uses.graph[root] != NO_GRAPH;
      Integer until = accessed ? method.get(MemoryKeys.UNTIL, root).orElse(null) : null;
      int[] place = until == null ? null : places.get(until);
      if (place != null) {
        uses.touch(root, place[0], place[1]);
      }
    }
    return uses;
  }

  private void touch(int root, int inGraph, int position) {
    if (graph[root] == NO_GRAPH) {
      graph[root] = inGraph;
      first[root] = position;
    } else if (graph[root] != inGraph) {
      graph[root] = SEVERAL;
    }
    last[root] = Math.max(last[root], position);
  }

  /** The graph that accesses a storage, {@link #NO_GRAPH} or {@link #SEVERAL}. */
  int graph(int root) {
    return graph[root];
  }

  /** Position of the first access, where one graph has all. */
  int first(int root) {
    return first[root];
  }

  /** Position of the last access, where one graph has all. */
  int last(int root) {
    return last[root];
  }
}
