package dev.stowage.ir;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableIntArray;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds a method from nothing, as importers do; not thread-safe. */
public final class MethodBuilder {
  private final String name;
  private final List<Tensor> tensors = new ArrayList<>();
  private final List<String> graphNames = new ArrayList<>();
  private final List<List<Node>> graphs = new ArrayList<>();
  private int nextNode;

  MethodBuilder(String name) {
    this.name = name;
  }

  /** Adds a tensor with bytes of its own and returns its id. */
  public int tensor(String label, TensorType type) {
    return tensor(label, type, /* constant= */ false, /* state= */ null, /* alias= */ null);
  }

  /** Adds a tensor and returns its id; see {@link Tensor} for the parameters. */
  public int tensor(
      String label,
      TensorType type,
      boolean constant,
      @Nullable String state,
      @Nullable Alias alias) {
    tensors.add(new Tensor(tensors.size(), label, type, constant, state, alias));
    return tensors.size() - 1;
  }

  /** Adds an empty graph and returns its index; the first one is where the method begins. */
  public int graph(String label) {
    graphNames.add(label);
    graphs.add(new ArrayList<>());
    return graphs.size() - 1;
  }

  /** Starts a node at the end of a graph. */
  public NodeBuilder node(int graph, String op) {
    return new NodeBuilder(graph, op);
  }

  /** Puts a finished node at the end of a graph. */
  public void add(int graph, Node node) {
    nextNode = Math.max(nextNode, node.id() + 1);
    graphs.get(graph).add(node);
  }

  /**
   * The method, without annotations.
   *
   * @throws IllegalArgumentException if an alias base does not exist, or alias edges form a cycle
   * @throws ArithmeticException if the offsets of a chain of views add up to 2^63 or more
   */
  public Method build() {
    ImmutableList.Builder<Graph> built = ImmutableList.builder();
    for (int i = 0; i < graphs.size(); i++) {
      built.add(new Graph(graphNames.get(i), ImmutableList.copyOf(graphs.get(i))));
    }
    return new Method(
        name, new Body(ImmutableList.copyOf(tensors), built.build()), ImmutableMap.of());
  }

  /** Collects one node; {@link #add} puts it into its graph. */
  public final class NodeBuilder {
    private final int graph;
    private final String op;
    private final ImmutableList.Builder<Operand> operands = ImmutableList.builder();
    private final ImmutableIntArray.Builder results = ImmutableIntArray.builder();
    private final ImmutableIntArray.Builder called = ImmutableIntArray.builder();
    private final ImmutableMap.Builder<String, String> attributes = ImmutableMap.builder();
    private int position;
    private int target = -1;
    private int id = -1;

    private NodeBuilder(int graph, String op) {
      this.graph = graph;
      this.op = op;
    }

    /** Uses a tensor as the next argument. */
    public NodeBuilder operand(int tensor, Operand.Access access) {
      return operand(tensor, position, access);
    }

    /** Uses a tensor as (part of) an argument. */
    public NodeBuilder operand(int tensor, int atPosition, Operand.Access access) {
      operands.add(new Operand(tensor, atPosition, access));
      position = atPosition + 1;
      return this;
    }

    /** Reads tensors as the next arguments. */
    public NodeBuilder reads(int... read) {
      for (int tensor : read) {
        operand(tensor, Operand.Access.READ);
      }
      return this;
    }

    /** Leaves the next argument out. */
    public NodeBuilder hole() {
      return operand(Operand.HOLE, Operand.Access.READ);
    }

    /** Yields tensors. */
    public NodeBuilder yields(int... yielded) {
      for (int tensor : yielded) {
        results.add(tensor);
      }
      return this;
    }

    /** Runs a graph. */
    public NodeBuilder runs(int graphIndex) {
      called.add(graphIndex);
      return this;
    }

    /** May jump to a node. */
    public NodeBuilder jumpsTo(int node) {
      target = node;
      return this;
    }

    /** States a further fact. */
    public NodeBuilder attribute(String key, String value) {
      attributes.put(key, value);
      return this;
    }

    /** Gives the node an id of the caller's choice, unique in the method. */
    public NodeBuilder id(int chosen) {
      id = chosen;
      return this;
    }

    /** Puts the node at the end of its graph and returns its id. */
    public int add() {
      int chosen = id < 0 ? nextNode : id;
      MethodBuilder.this.add(
          graph,
          new Node(
              chosen,
              op,
              operands.build(),
              results.build(),
              called.build(),
              target,
              attributes.buildOrThrow()));
      return chosen;
    }
  }
}
