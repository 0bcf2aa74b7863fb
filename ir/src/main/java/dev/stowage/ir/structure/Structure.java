package dev.stowage.ir.structure;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.ir.Alias;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Program;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.memory.MemoryKeys;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Checks that a program is well formed: what it refers to exists, tensors are yielded once and
 * before they are used (or are constant, state, or written before they are read), graphs end in
 * their output and run each other without cycles, windows lie inside their bases, annotations name
 * nodes that there are.
 *
 * <p>The model itself rules out alias edges to nothing and in cycles, and annotations of bytes
 * anywhere but at a root.
 */
public final class Structure {
  /** How many graphs each operator runs. */
  private static final ImmutableMap<String, Integer> GRAPHS_OF =
      ImmutableMap.of(Ops.CALL, 1, Ops.IF, 2, Ops.WHILE, 2, Ops.MAP, 1, Ops.SCAN, 1);

  private final Program program;
  private final ImmutableList.Builder<Diagnostic> faults;

  private Structure(Program program, ImmutableList.Builder<Diagnostic> faults) {
    this.program = program;
    this.faults = faults;
  }

  /**
   * All faults of a program, in the order of its text, each with {@code method/graph/node (op)} or
   * the tensor; empty if it is well formed. Linear in the size of the program.
   */
  public static ImmutableList<Diagnostic> check(Program program) {
    ImmutableList.Builder<Diagnostic> faults = ImmutableList.builder();
    Structure structure = new Structure(program, faults);
    Set<String> names = new HashSet<>();
    for (Method method : program.methods()) {
      if (!names.add(method.name())) {
        structure.report(
            Kinds.INPUT_VALUE, method.name(), "there are two methods @" + method.name());
      }
      structure.new MethodCheck(method).check();
    }
    return faults.build();
  }

  private void report(DiagnosticKind kind, String place, String message) {
    faults.add(Diagnostic.of(kind, Location.at(place), message));
  }

  /** A graph that is being walked through, and how far. */
  private static final class Visit {
    final int graph;
    int next;

    /** Index among the graphs of the node before {@link #next} of the one to visit next. */
    int nextCalled;

    Visit(int graph) {
      this.graph = graph;
    }
  }

  /** Checks one method. */
  private final class MethodCheck {
    private final Method method;
    private final ImmutableList<Tensor> tensors;
    private final ImmutableList<Graph> graphs;

    /** By tensor, the graph that yields it, or -1. */
    private final int[] yieldedIn;

    /** By tensor, whether the walk has passed what yields it or, where nothing does, writes it. */
    private final boolean[] passed;

    private final boolean[] visited;
    private final boolean[] open;

    /** The ids of all nodes, where annotations name some. */
    private final Set<Integer> namedNodes = new HashSet<>();

    MethodCheck(Method method) {
      this.method = method;
      tensors = method.tensors();
      graphs = method.body().graphs();
      yieldedIn = new int[tensors.size()];
      Arrays.fill(yieldedIn, -1);
      passed = new boolean[tensors.size()];
      visited = new boolean[graphs.size()];
      open = new boolean[graphs.size()];
      if (method.keys().contains(MemoryKeys.UNTIL)) {
        method.nodes().forEach(node -> namedNodes.add(node.id()));
      }
    }

    void check() {
      tensors.forEach(this::checkTensor);
      if (graphs.isEmpty()) {
        report(Kinds.INPUT_MEMBER, method.name(), "the method has no graph");
        return;
      }
      checkGraphs();
      checkUses();
    }

    private void checkTensor(Tensor tensor) {
      String place = method.name() + ", tensor " + tensor.describe();
      Alias alias = tensor.alias();
      if (alias != null) {
        checkAlias(tensor, alias, place);
      } else {
        method
            .get(MemoryKeys.SHARES, tensor.id())
            .filter(shares -> !exists(shares.base()))
            .ifPresent(
                shares ->
                    report(
                        Kinds.INPUT_REFERENCE,
                        place,
                        "it shares bytes of %" + shares.base() + ", which does not exist"));
        method
            .get(MemoryKeys.UNTIL, tensor.id())
            .filter(node -> !namedNodes.contains(node))
            .ifPresent(
                node ->
                    report(
                        Kinds.INPUT_REFERENCE,
                        place,
                        "it is to stay alive until node " + node + ", which does not exist"));
      }
      if (tensor.state() != null) {
        TensorType declared = program.states().get(tensor.state());
        if (declared == null) {
          report(
              Kinds.INPUT_REFERENCE,
              place,
              "it stands for the state @" + tensor.state() + ", which the program does not have");
        } else if (declared.bytes() != tensor.type().bytes()) {
          report(
              Kinds.INPUT_VALUE,
              place,
              Message.format(
                  "it has %,d bytes, but the state @%s for which it stands has %,d",
                  tensor.type().bytes(), tensor.state(), declared.bytes()));
        }
      }
    }

    private void checkAlias(Tensor tensor, Alias alias, String place) {
      if (alias.kind() != Alias.Kind.VIEW) {
        if (alias.offsetBytes() != 0) {
          report(
              Kinds.INPUT_VALUE,
              place,
              Message.format(
                  "only a view may begin at an offset, but this one begins at %,d",
                  alias.offsetBytes()));
        }
        return;
      }
      long bytes = tensor.type().bytes();
      long baseBytes = tensors.get(alias.base()).type().bytes();
      if (alias.offsetBytes() < 0) {
        report(
            Kinds.INPUT_VALUE,
            place,
            Message.format(
                "it begins %,d bytes before its base %%%d", -alias.offsetBytes(), alias.base()));
      } else if (bytes != TensorType.UNKNOWN
          && baseBytes != TensorType.UNKNOWN
          && bytes > baseBytes - alias.offsetBytes()) {
        report(
            Kinds.INPUT_VALUE,
            place,
            Message.format(
                "its %,d bytes at offset %,d reach past the end of its base %%%d, which has %,d",
                bytes, alias.offsetBytes(), alias.base(), baseBytes));
      }
    }

    private void checkGraphs() {
      Set<String> names = new HashSet<>();
      Set<Integer> nodeIds = new HashSet<>();
      for (int g = 0; g < graphs.size(); g++) {
        Graph graph = graphs.get(g);
        String place = method.name() + "/" + graph.name();
        if (!names.add(graph.name())) {
          report(Kinds.INPUT_VALUE, place, "there are two graphs @" + graph.name());
        }
        Set<Integer> ownIds = new HashSet<>();
        graph.nodes().forEach(node -> ownIds.add(node.id()));
        ImmutableList<Node> nodes = graph.nodes();
        if (nodes.isEmpty() || !nodes.get(nodes.size() - 1).op().equals(Ops.OUTPUT)) {
          report(Kinds.INPUT_MEMBER, place, "the last node of the graph is no output node");
        }
        for (int n = 0; n < nodes.size(); n++) {
          Node node = nodes.get(n);
          if (!nodeIds.add(node.id())) {
            report(Kinds.INPUT_VALUE, place(g, node), "another node has the same id");
          }
          if (node.op().equals(Ops.OUTPUT) && n < nodes.size() - 1) {
            report(
                Kinds.INPUT_VALUE, place(g, node), "only the last node of a graph is its output");
          }
          checkNode(g, node, ownIds);
        }
      }
    }

    private void checkNode(int graph, Node node, Set<Integer> idsInGraph) {
      String place = place(graph, node);
      for (int result : node.results().asList()) {
        if (!exists(result)) {
          report(Kinds.INPUT_REFERENCE, place, "it yields %" + result + ", which does not exist");
        } else if (yieldedIn[result] >= 0) {
          report(Kinds.INPUT_VALUE, place, "%" + result + " is yielded a second time");
        } else {
          yieldedIn[result] = graph;
        }
      }
      for (int called : node.graphs().asList()) {
        if (called < 0 || called >= graphs.size()) {
          report(
              Kinds.INPUT_REFERENCE,
              place,
              Message.format("it runs graph %d, but the method has %d", called, graphs.size()));
        }
      }
      Integer wanted = GRAPHS_OF.get(node.op());
      if (wanted != null && node.graphs().length() != wanted) {
        report(
            Kinds.INPUT_MEMBER,
            place,
            Message.format("it runs %d graphs instead of %d", node.graphs().length(), wanted));
      }
      if (node.target() >= 0 && !idsInGraph.contains(node.target())) {
        report(
            Kinds.INPUT_REFERENCE,
            place,
            Message.format("it jumps to node %d, which is not in its graph", node.target()));
      }
      if (node.op().equals(Ops.JUMP_IF_FALSE) && node.target() < 0) {
        report(Kinds.INPUT_MEMBER, place, "it does not say where to jump");
      }
    }

    /** Walks through the graphs as they run, each once, where it is run first. */
    private void checkUses() {
      boolean[] called = new boolean[graphs.size()];
      for (Node node : method.nodes()) {
        node.graphs().stream()
            .filter(graph -> graph >= 0 && graph < called.length)
            .forEach(graph -> called[graph] = true);
      }
      walk(0);
      for (int g = 0; g < graphs.size(); g++) {
        if (!called[g]) {
          walk(g);
        }
      }
      // What is left runs on cycles that nothing else runs.
      for (int g = 0; g < graphs.size(); g++) {
        walk(g);
      }
    }

    private void walk(int first) {
      if (visited[first]) {
        return;
      }
      // Calls may nest deeply, so no recursion.
      Deque<Visit> stack = new ArrayDeque<>();
      enter(stack, first);
      while (!stack.isEmpty()) {
        Visit visit = stack.getLast();
        ImmutableList<Node> nodes = graphs.get(visit.graph).nodes();
        if (visit.next > 0) {
          Node current = nodes.get(visit.next - 1);
          if (visit.nextCalled < current.graphs().length()) {
            enterCalled(stack, visit, current);
            continue;
          }
          current.results().stream().filter(this::exists).forEach(result -> passed[result] = true);
        }
        if (visit.next == nodes.size()) {
          open[visit.graph] = false;
          stack.removeLast();
        } else {
          checkOperands(visit.graph, nodes.get(visit.next));
          visit.next++;
          visit.nextCalled = 0;
        }
      }
    }

    private void enterCalled(Deque<Visit> stack, Visit visit, Node caller) {
      int graph = caller.graphs().get(visit.nextCalled++);
      if (graph < 0 || graph >= graphs.size()) {
        return;
      }
      if (open[graph]) {
        report(
            Kinds.INPUT_VALUE,
            place(visit.graph, caller),
            Message.format(
                "it runs @%s, which is running already: graphs must not run one another in a cycle",
                graphs.get(graph).name()));
      } else if (!visited[graph]) {
        enter(stack, graph);
      }
    }

    private void enter(Deque<Visit> stack, int graph) {
      visited[graph] = true;
      open[graph] = true;
      stack.addLast(new Visit(graph));
    }

    private void checkOperands(int graph, Node node) {
      for (Operand operand : node.operands()) {
        int id = operand.tensor();
        if (operand.isHole()) {
          continue;
        }
        if (!exists(id)) {
          report(
              Kinds.INPUT_REFERENCE,
              place(graph, node),
              "it uses %" + id + ", which does not exist");
          continue;
        }
        Tensor tensor = tensors.get(id);
        String fault = null;
        if (yieldedIn[id] < 0) {
          // What is written first is scratch, or a result at a place of its own.
          passed[id] |= operand.access() == Operand.Access.WRITE;
          if (!passed[id] && !tensor.constant() && tensor.state() == null) {
            fault = "it is used, but no node yields it, and it is neither constant nor state";
          }
        } else if (!passed[id]) {
          fault = "it is used before it is yielded";
        } else if (!open[yieldedIn[id]]) {
          fault =
              Message.format(
                  "it is yielded in graph @%s, which does not run this one",
                  graphs.get(yieldedIn[id]).name());
        }
        if (fault != null) {
          String place = place(graph, node) + ", tensor " + tensor.describe();
          report(Kinds.INPUT_REFERENCE, place, fault);
        }
      }
    }

    private boolean exists(int tensor) {
      return tensor >= 0 && tensor < tensors.size();
    }

    private String place(int graph, Node node) {
      return method.name()
          + "/"
          + graphs.get(graph).name()
          + "/"
          + node.id()
          + " ("
          + node.op()
          + ")";
    }
  }
}
