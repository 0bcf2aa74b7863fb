package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableSet;
import dev.stowage.ir.Alias;
import dev.stowage.ir.Body;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.memory.MemoryKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * When the nodes of one graph write the bytes of a storage, and until when they are needed: from
 * the first write to the last read, whatever happens in between. Positions are those of the graph;
 * the caller writes inputs before position 0.
 */
final class StorageUse {
  private static final ImmutableSet<String> WITHOUT_ACCESS =
      ImmutableSet.of(Ops.ALLOC, Ops.BIND, Ops.FREE, Ops.INPUT, Ops.VIEW);
  private static final int NO_GRAPH = -1;
  private static final int BEFORE_ALL = -1;

  /**
   * A write of a tensor that is a handle to the storage.
   *
   * @param node that writes; null for the caller
   */
  record Write(int position, @Nullable Node node, int tensor) {}

  private final List<Write> writes = new ArrayList<>();
  private int graph = NO_GRAPH;
  private int first = Integer.MAX_VALUE;
  private int last = Integer.MIN_VALUE;
  private int firstRead = Integer.MAX_VALUE;
  private int firstWholeWrite = Integer.MAX_VALUE;
  private boolean input;
  private boolean output;
  private boolean state;
  private String fault = "";

  private StorageUse() {}

  /** The uses of all storages of a method, by root tensor. */
  static StorageUse[] of(Method method) {
    StorageUse[] uses = new StorageUse[method.tensors().size()];
    Arrays.setAll(uses, tensor -> new StorageUse());
    List<Graph> graphs = method.body().graphs();
    Map<Integer, Integer> graphOfNode = new HashMap<>();
    Map<Integer, Integer> positionOfNode = new HashMap<>();
    for (int graph = 0; graph < graphs.size(); graph++) {
      new Walk(method, uses, graph).walk(graphs.get(graph));
      int position = 0;
      for (Node node : graphs.get(graph).nodes()) {
        graphOfNode.put(node.id(), graph);
        positionOfNode.put(node.id(), position++);
      }
    }
    for (Tensor tensor : method.tensors()) {
      if (tensor.state() != null) {
        // Its contents come from the run before and go to the next one.
        StorageUse use = uses[method.body().root(tensor.id())];
        use.state = true;
        use.first = Integer.MIN_VALUE;
        use.last = Integer.MAX_VALUE;
      }
      if (tensor.alias() == null) {
        StorageUse use = uses[tensor.id()];
        int until = method.get(MemoryKeys.UNTIL, tensor.id()).orElse(-1);
        if (until >= 0 && graphOfNode.getOrDefault(until, NO_GRAPH) != use.graph) {
          use.fault = "is to stay alive until a node of another graph";
        } else if (until >= 0) {
          use.last = Math.max(use.last, positionOfNode.getOrDefault(until, Integer.MAX_VALUE));
        }
      }
    }
    return uses;
  }

  /** All writes, in order. */
  List<Write> writes() {
    return writes;
  }

  /** True if what is written here at a position would destroy what is still needed. */
  boolean isNeededAt(int position) {
    return first <= position && position <= last;
  }

  /** The graph whose nodes use the storage, if there is no fault. */
  int graph() {
    return graph;
  }

  /** True if it is an input of the graph where the method begins. */
  boolean isInput() {
    return input;
  }

  /** True if it is an output of the graph where the method begins. */
  boolean isOutput() {
    return output;
  }

  /** Why it is not known when the bytes are needed; empty if it is. */
  String fault() {
    boolean readBeforeWritten = firstRead != Integer.MAX_VALUE && firstRead <= firstWholeWrite;
    if (fault.isEmpty() && graph > 0 && readBeforeWritten && !state) {
      return "may keep a value from one run of its graph to the next";
    }
    return fault;
  }

  private void use(int inGraph) {
    if (graph != NO_GRAPH && graph != inGraph) {
      fault = "is used in several graphs";
    }
    graph = inGraph;
  }

  private void read(int position) {
    last = Math.max(last, position);
    firstRead = Math.min(firstRead, position);
  }

  private void write(Write write, boolean whole) {
    writes.add(write);
    first = Math.min(first, write.position());
    if (whole) {
      firstWholeWrite = Math.min(firstWholeWrite, write.position());
    }
  }

  /** Goes through the nodes of one graph. */
  private static final class Walk {
    private final Method method;
    private final Body body;
    private final StorageUse[] uses;
    private final int graph;

    Walk(Method method, StorageUse[] uses, int graph) {
      this.method = method;
      this.body = method.body();
      this.uses = uses;
      this.graph = graph;
    }

    void walk(Graph walked) {
      boolean jumps = walked.nodes().stream().anyMatch(node -> node.target() >= 0);
      for (int input : walked.inputs().asList()) {
        StorageUse use = of(input);
        write(BEFORE_ALL, /* node= */ null, input);
        use.input = graph == 0;
        passed(use);
      }
      for (int output : walked.outputs().asList()) {
        of(output).output |= graph == 0;
        passed(of(output));
      }
      for (int position = 0; position < walked.nodes().size(); position++) {
        use(position, walked.nodes().get(position), jumps);
      }
    }

    private void passed(StorageUse use) {
      if (graph > 0) {
        use.fault = "goes into or out of a graph that another runs";
      }
    }

    private void use(int position, Node node, boolean jumps) {
      for (Operand operand : node.operands()) {
        if (!operand.isHole()) {
          meet(of(operand.tensor()), node, jumps);
          if (!WITHOUT_ACCESS.contains(node.op())) {
            access(position, node, operand);
          }
        }
      }
      for (int result : node.results().asList()) {
        meet(of(result), node, jumps);
        Alias alias = method.tensor(result).alias();
        if (WITHOUT_ACCESS.contains(node.op())) {
          continue;
        }
        if (alias == null) {
          write(position, node, result);
        } else if (alias.kind() == Alias.Kind.MUTATES) {
          of(result).read(position);
          write(position, node, result);
        }
      }
    }

    private void meet(StorageUse use, Node node, boolean jumps) {
      use.use(graph);
      if (node.callsGraphs()) {
        use.fault = "is used by " + node.op() + ", which runs graphs";
      } else if (jumps) {
        use.fault = "is used in a graph with jumps";
      }
    }

    private void access(int position, Node node, Operand operand) {
      if (operand.access() == Access.READ || operand.access() == Access.READ_WRITE) {
        of(operand.tensor()).read(position);
      }
      if (operand.access() == Access.WRITE || operand.access() == Access.READ_WRITE) {
        write(position, node, operand.tensor());
      }
    }

    private void write(int position, @Nullable Node node, int tensor) {
      int root = body.root(tensor);
      boolean whole = method.tensor(tensor).type().bytes() == method.tensor(root).type().bytes();
      uses[root].write(new Write(position, node, tensor), whole);
    }

    private StorageUse of(int tensor) {
      return uses[body.root(tensor)];
    }
  }
}
