package dev.stowage.verifier;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ListMultimap;
import dev.stowage.ir.Alias;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.memory.MemoryKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Walks through a method as a runtime would and tells what is read and written, one access after
 * the other.
 *
 * <p>Graphs get and return copies: what runs a graph reads its operands while it writes the graph's
 * inputs, and reads the graph's outputs while it writes its results. The results of a {@code while}
 * carry the loop's values from trip to trip, those of a {@code map} or {@code scan} get a part in
 * each.
 */
final class ScheduleWalk {
  private static final ImmutableSet<String> WITHOUT_ACCESS =
      ImmutableSet.of(Ops.ALLOC, Ops.BIND, Ops.FREE, Ops.INPUT, Ops.VIEW);

  private final List<Accesses> accessesByGraph = new ArrayList<>();
  private final ImmutableList<Integer> usedState;
  private final ListMultimap<Integer, Integer> heldByNode = ArrayListMultimap.create();

  /** Why something is read or written. */
  enum Reason {
    /** The caller begins: state is as the last call left it, inputs are written. */
    BEGIN,
    /** An operator runs. */
    OPERATOR,
    /** Values go into a graph that a node runs, or come out of it. */
    PASSING,
    /** A storage is to stay alive until a node has run. */
    UNTIL,
    /** The method is done; the next call finds the state. */
    END,
  }

  /**
   * Reads, then writes, that happen together: what is read must still be there when all is written.
   *
   * @param node that does it, or null for the caller
   * @param clock number of the step, from 0 on; there may be several of one number
   * @param reads tensors, each once
   * @param writes tensors, each once
   */
  record Step(
      Reason reason,
      @Nullable Node node,
      int clock,
      ImmutableList<Integer> reads,
      ImmutableList<Integer> writes) {}

  /** What the nodes of a graph access, by position. */
  private static final class Accesses {
    final Graph graph;
    final int[] targets;
    final ImmutableList<Integer> inputs;
    final ImmutableList<Integer> outputs;
    final List<NodeAccesses> nodes = new ArrayList<>();

    Accesses(Graph graph, Method method) {
      this.graph = graph;
      targets = ScheduleChoices.targets(graph);
      inputs = ImmutableSet.copyOf(graph.inputs().asList()).asList();
      outputs = ImmutableSet.copyOf(graph.outputs().asList()).asList();
      graph.nodes().forEach(node -> nodes.add(new NodeAccesses(node, method)));
    }
  }

  /** What a node accesses. The result of an in-place operator stands for what that writes. */
  private static final class NodeAccesses {
    final ImmutableList<Integer> reads;
    final ImmutableList<Integer> writtenOperands;
    final ImmutableList<Integer> writtenResults;
    final ImmutableList<Integer> writes;

    NodeAccesses(Node node, Method method) {
      Set<Integer> read = new LinkedHashSet<>();
      Set<Integer> written = new LinkedHashSet<>();
      Set<Integer> results = new LinkedHashSet<>();
      for (Operand operand : node.operands()) {
        if (!operand.isHole() && operand.access() != Access.BIND) {
          if (operand.access() != Access.WRITE) {
            read.add(operand.tensor());
          }
          if (operand.access() != Access.READ) {
            written.add(operand.tensor());
          }
        }
      }
      for (int result : node.results().asList()) {
        Alias alias = method.tensor(result).alias();
        if (alias == null) {
          results.add(result);
        } else if (alias.kind() == Alias.Kind.MUTATES) {
          read.add(alias.base());
          results.add(alias.base());
        }
      }
      reads = ImmutableList.copyOf(read);
      writtenOperands = ImmutableList.copyOf(written);
      writtenResults = ImmutableList.copyOf(results);
      written.addAll(results);
      writes = ImmutableList.copyOf(written);
    }
  }

  ScheduleWalk(Method method, ScheduleChoices choices) {
    Set<Integer> used = new LinkedHashSet<>();
    for (Graph graph : method.body().graphs()) {
      if (choices.isReached(accessesByGraph.size())) {
        for (Node node : graph.nodes()) {
          node.operands().stream()
              .filter(operand -> !operand.isHole())
              .forEach(operand -> used.add(operand.tensor()));
          used.addAll(node.results().asList());
        }
      }
      accessesByGraph.add(new Accesses(graph, method));
    }
    Set<Integer> state = new LinkedHashSet<>();
    for (int tensor : used) {
      if (method.tensor(tensor).state() != null) {
        state.add(tensor);
      }
    }
    usedState = ImmutableList.copyOf(state);
    if (method.keys().contains(MemoryKeys.UNTIL)) {
      for (Tensor tensor : method.tensors()) {
        if (tensor.alias() == null) {
          method
              .get(MemoryKeys.UNTIL, tensor.id())
              .ifPresent(node -> heldByNode.put(node, tensor.id()));
        }
      }
    }
  }

  /** Walks once, by the choices of a run; a method without graphs has no steps. */
  void walk(ScheduleChoices.Run choices, Consumer<Step> visitor) {
    if (!accessesByGraph.isEmpty()) {
      new OneRun(choices, visitor).walk();
    }
  }

  /** One run in progress. */
  private final class OneRun {
    private final ScheduleChoices.Run choices;
    private final Consumer<Step> visitor;
    private int clock;

    OneRun(ScheduleChoices.Run choices, Consumer<Step> visitor) {
      this.choices = choices;
      this.visitor = visitor;
    }

    void walk() {
      Set<Integer> given = new LinkedHashSet<>(usedState);
      given.addAll(accessesByGraph.get(0).inputs);
      visitor.accept(
          new Step(Reason.BEGIN, null, 0, ImmutableList.of(), ImmutableList.copyOf(given)));
      walk(0);
      visitor.accept(
          new Step(Reason.END, null, Math.max(0, clock - 1), usedState, ImmutableList.of()));
    }

    private void walk(int index) {
      Accesses accesses = accessesByGraph.get(index);
      Map<Integer, Integer> jumpsByPosition = new HashMap<>();
      int position = 0;
      while (position < accesses.graph.nodes().size()) {
        Node node = accesses.graph.nodes().get(position);
        run(node, accesses.nodes.get(position));
        List<Integer> held = heldByNode.get(node.id());
        if (!held.isEmpty()) {
          tell(Reason.UNTIL, node, clock - 1, held, ImmutableList.of());
        }
        position = next(accesses, position, jumpsByPosition);
      }
    }

    private int next(Accesses accesses, int position, Map<Integer, Integer> jumpsByPosition) {
      Node node = accesses.graph.nodes().get(position);
      int target = accesses.targets[position];
      if (ScheduleChoices.isBack(accesses.targets, position)) {
        int jumps = jumpsByPosition.merge(position, 1, Integer::sum);
        if (jumps <= choices.trips(node)) {
          return target;
        }
        jumpsByPosition.remove(position);
      } else if (target >= 0 && choices.way(node) == 1) {
        return target;
      }
      return position + 1;
    }

    private void run(Node node, NodeAccesses of) {
      int step = clock++;
      if (WITHOUT_ACCESS.contains(node.op())) {
        return;
      }
      if (!node.callsGraphs()) {
        tell(Reason.OPERATOR, node, step, of.reads, of.writes);
      } else if (node.op().equals(Ops.WHILE) && node.graphs().length() == 2) {
        repeatWhile(node, of, step);
      } else if (ScheduleChoices.isRepeating(node)) {
        repeatForSlices(node, of, step);
      } else {
        runOnce(node, of, step);
      }
    }

    private void repeatWhile(Node node, NodeAccesses of, int opening) {
      int condition = node.graphs().get(0);
      int body = node.graphs().get(1);
      // The results carry the values, so that no operand is needed after this.
      tell(Reason.PASSING, node, opening, of.reads, of.writes);
      int trips = choices.trips(node);
      for (int trip = 0; trip <= trips; trip++) {
        enter(node, condition, trip == 0 ? opening : clock, of.writtenResults);
        walk(condition);
        if (trip < trips) {
          enter(node, body, clock, of.writtenResults);
          walk(body);
          tell(Reason.PASSING, node, clock, accessesByGraph.get(body).outputs, of.writtenResults);
        }
      }
      tell(Reason.PASSING, node, clock++, of.writtenResults, ImmutableList.of());
    }

    private void repeatForSlices(Node node, NodeAccesses of, int opening) {
      tell(Reason.PASSING, node, opening, of.reads, of.writes);
      int trips = choices.trips(node);
      for (int trip = 0; trip < trips; trip++) {
        for (int i = 0; i < node.graphs().length(); i++) {
          int graph = node.graphs().get(i);
          enter(node, graph, trip == 0 && i == 0 ? opening : clock, of.reads);
          walk(graph);
          // A part of the results is written; the others must still be there.
          Set<Integer> needed = new LinkedHashSet<>(accessesByGraph.get(graph).outputs);
          needed.addAll(of.writtenResults);
          tell(Reason.PASSING, node, clock, ImmutableList.copyOf(needed), of.writtenResults);
        }
      }
      tell(Reason.PASSING, node, clock++, of.writtenResults, ImmutableList.of());
    }

    private void runOnce(Node node, NodeAccesses of, int opening) {
      tell(Reason.PASSING, node, opening, of.reads, of.writtenOperands);
      int first = 0;
      int end = node.graphs().length();
      if (node.op().equals(Ops.IF)) {
        first = Math.min(end - 1, choices.way(node));
        end = first + 1;
      }
      ImmutableList<Integer> outputs = ImmutableList.of();
      for (int i = first; i < end; i++) {
        int graph = node.graphs().get(i);
        enter(node, graph, i == first ? opening : clock, of.reads);
        walk(graph);
        outputs = accessesByGraph.get(graph).outputs;
      }
      tell(Reason.PASSING, node, clock++, outputs, of.writtenResults);
    }

    private void enter(Node node, int graph, int step, List<Integer> from) {
      tell(Reason.PASSING, node, step, from, accessesByGraph.get(graph).inputs);
    }

    private void tell(
        Reason reason, Node node, int step, List<Integer> reads, List<Integer> writes) {
      visitor.accept(
          new Step(reason, node, step, ImmutableList.copyOf(reads), ImmutableList.copyOf(writes)));
    }
  }
}
