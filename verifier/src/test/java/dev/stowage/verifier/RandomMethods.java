package dev.stowage.verifier;

import com.google.common.collect.ImmutableList;
import dev.stowage.ir.Alias;
import dev.stowage.ir.DType;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.MethodBuilder.NodeBuilder;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random methods on which two verifiers are compared. */
final class RandomMethods {
  private static final int MOST_BYTES = 60;

  private final Random random;

  /** True if whatever is live must be seen to be. */
  private final boolean tight;

  private final MethodBuilder builder = Method.builder("random");
  private final List<Integer> sizes = new ArrayList<>();
  private final Map<Integer, Shares> shares = new LinkedHashMap<>();
  private int graphs;

  private RandomMethods(Random random, boolean tight) {
    this.random = random;
    this.tight = tight;
  }

  /**
   * A method in which every byte of a storage is read at the last step of its life, and nothing is
   * written that was not read before; only then is it true that two that are live at one time lose
   * bytes. So there are no windows on parts, no writes that end a value early, no branches, loops
   * and jumps, and what lies in a storage base covers it and is made from it.
   */
  static Method tight(Random random) {
    return new RandomMethods(random, /* tight= */ true).build();
  }

  /** A method with all that there is, also reads of what nobody has written. */
  static Method loose(Random random) {
    return new RandomMethods(random, /* tight= */ false).build();
  }

  private Method build() {
    List<Integer> visible = new ArrayList<>();
    if (random.nextInt(4) == 0) {
      sizes.add(32);
      visible.add(builder.tensor("state", TensorType.of(DType.U8, 32), false, "state", null));
    }
    graph(visible, 3 + random.nextInt(10), 0);
    GraphEditor editor = builder.build().edit();
    shares.forEach((tensor, it) -> editor.annotate(tensor, MemoryKeys.SHARES, it));
    Method method = editor.build();
    return random.nextInt(4) == 0 ? outlasting(method) : method;
  }

  /** Lets some storages stay alive until nodes at random, also before they are used. */
  private Method outlasting(Method method) {
    GraphEditor editor = method.edit();
    List<Node> nodes = ImmutableList.copyOf(method.nodes());
    for (int tensor = 0; tensor < sizes.size(); tensor++) {
      if (method.tensor(tensor).alias() == null && random.nextInt(6) == 0) {
        editor.annotate(tensor, MemoryKeys.UNTIL, nodes.get(random.nextInt(nodes.size())).id());
      }
    }
    return editor.build();
  }

  private int graph(List<Integer> outer, int nodes, int depth) {
    int graph = builder.graph("g" + graphs++);
    List<Integer> visible = new ArrayList<>(outer);
    for (int i = random.nextInt(3) + (depth == 0 ? 1 : 0); i > 0; i--) {
      NodeBuilder input = builder.node(graph, Ops.INPUT);
      visible.add(fresh(input));
      input.add();
    }
    List<Integer> ids = new ArrayList<>();
    for (int i = 0; i < nodes || visible.isEmpty(); i++) {
      ids.add(node(graph, visible, ids, depth));
    }
    NodeBuilder output = builder.node(graph, Ops.OUTPUT);
    for (int i = random.nextInt(3); i >= 0; i--) {
      output.reads(pick(visible));
    }
    output.add();
    return graph;
  }

  private int node(int graph, List<Integer> visible, List<Integer> ids, int depth) {
    int kind = visible.isEmpty() ? 9 : random.nextInt(tight ? 10 : 13);
    return switch (kind) {
      case 0 -> view(graph, visible);
      case 1, 2 -> inPlace(graph, visible);
      case 3 -> outArgument(graph, visible);
      case 4 -> shared(graph, visible);
      case 5 -> depth < 2 && graphs < 5 ? calling(graph, visible, depth) : plain(graph, visible);
      case 10 -> rewrite(graph, visible);
      case 11 -> ids.isEmpty() ? plain(graph, visible) : jump(graph, visible, ids);
      case 12 -> scratch(graph, visible);
      default -> plain(graph, visible);
    };
  }

  private int plain(int graph, List<Integer> visible) {
    NodeBuilder node = reading(builder.node(graph, "add"), visible);
    List<Integer> results = new ArrayList<>();
    for (int i = random.nextInt(4) / 3; i >= 0; i--) {
      results.add(fresh(node));
    }
    visible.addAll(results);
    return node.add();
  }

  private int view(int graph, List<Integer> visible) {
    int base = pick(visible);
    int from = tight ? 0 : random.nextInt(sizes.get(base));
    int bytes = tight ? sizes.get(base) : 1 + random.nextInt(sizes.get(base) - from);
    NodeBuilder node = builder.node(graph, Ops.VIEW).operand(base, Access.BIND);
    visible.add(yielded(node, bytes, Alias.view(base, from)));
    return node.add();
  }

  private int inPlace(int graph, List<Integer> visible) {
    int base = pick(visible);
    NodeBuilder node = builder.node(graph, "add_").operand(base, Access.READ_WRITE);
    reading(node, visible);
    visible.add(yielded(node, sizes.get(base), Alias.mutates(base)));
    return node.add();
  }

  private int outArgument(int graph, List<Integer> visible) {
    NodeBuilder alloc = builder.node(graph, Ops.ALLOC);
    int out = fresh(alloc);
    alloc.add();
    NodeBuilder node = reading(builder.node(graph, "add.out"), visible);
    node.operand(out, Access.WRITE);
    visible.add(yielded(node, sizes.get(out), Alias.same(out)));
    return node.add();
  }

  /** A result that lies in an operand, as the model declares. */
  private int shared(int graph, List<Integer> visible) {
    int base = pick(visible);
    boolean taken = shares.containsKey(base) || (tight && isBase(base));
    if (taken || builder.build().tensor(base).alias() != null) {
      return plain(graph, visible);
    }
    NodeBuilder node = reading(builder.node(graph, "part").reads(base), visible);
    int from = tight ? 0 : random.nextInt(sizes.get(base));
    int part = yielded(node, tight ? sizes.get(base) : sizes.get(base) - from, null);
    shares.put(part, new Shares(base, from, /* derived= */ false));
    visible.add(part);
    return node.add();
  }

  private boolean isBase(int tensor) {
    return shares.values().stream().anyMatch(it -> it.base() == tensor);
  }

  private int calling(int graph, List<Integer> visible, int depth) {
    String op = tight ? Ops.CALL : pick(List.of(Ops.CALL, Ops.IF, Ops.WHILE, Ops.MAP, Ops.SCAN));
    List<Integer> called = new ArrayList<>();
    List<Integer> seen = tight || random.nextBoolean() ? List.of() : visible;
    for (int i = op.equals(Ops.IF) || op.equals(Ops.WHILE) ? 2 : 1; i > 0; i--) {
      called.add(graph(seen, 1 + random.nextInt(4), depth + 1));
    }
    NodeBuilder node = reading(builder.node(graph, op), visible);
    called.forEach(node::runs);
    List<Integer> results = new ArrayList<>();
    for (int i = random.nextInt(2); i >= 0; i--) {
      results.add(fresh(node));
    }
    visible.addAll(results);
    return node.add();
  }

  /** Ends a value early. */
  private int rewrite(int graph, List<Integer> visible) {
    NodeBuilder node = reading(builder.node(graph, "fill"), visible);
    return node.operand(pick(visible), Access.WRITE).add();
  }

  private int jump(int graph, List<Integer> visible, List<Integer> ids) {
    return builder.node(graph, Ops.JUMP_IF_FALSE).reads(pick(visible)).jumpsTo(pick(ids)).add();
  }

  private int scratch(int graph, List<Integer> visible) {
    NodeBuilder node = reading(builder.node(graph, "sort"), visible);
    return node.operand(yielded(null, 1 + random.nextInt(MOST_BYTES), null), Access.WRITE).add();
  }

  private NodeBuilder reading(NodeBuilder node, List<Integer> visible) {
    for (int i = random.nextInt(3); i > 0 && !visible.isEmpty(); i--) {
      node.reads(pick(visible));
    }
    return node;
  }

  private int fresh(NodeBuilder node) {
    return yielded(node, 1 + random.nextInt(MOST_BYTES), null);
  }

  private int yielded(@Nullable NodeBuilder node, int bytes, @Nullable Alias alias) {
    int tensor = builder.tensor("", TensorType.of(DType.U8, bytes), false, null, alias);
    sizes.add(bytes);
    if (node != null) {
      node.yields(tensor);
    }
    return tensor;
  }

  private <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }
}
