package dev.stowage.testkit;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.Device;
import dev.stowage.ir.Alias;
import dev.stowage.ir.DType;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.MethodBuilder.NodeBuilder;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Program;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.TensorType.Dynamism;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Owner;
import dev.stowage.ir.memory.Shares;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Random well-formed programs: each feature alone, then mixtures. */
final class GeneratedPrograms {
  /** What a program may have beside plain nodes. */
  private enum Feature {
    SEVERAL_METHODS,
    VIEWS,
    IN_PLACE,
    OUT_ARGUMENTS,
    STATE,
    CONSTANTS,
    SHARES,
    GRAPHS,
    DEVICES,
    PINS,
    OWNERS,
    DYNAMIC,
    EMPTY_TENSORS,
    ALLOCATION,
    SCRATCH,
    JUMPS,
  }

  private static final ImmutableList<String> OPS =
      ImmutableList.of("relu", "add", "conv", "dma_load", "aten.mul.out", "aten.cat.out");

  private static final String STATE = "cache";

  private final Random random;
  private final Set<Feature> features;
  private final String name;

  private GeneratedPrograms(int seed) {
    random = new Random(seed);
    features = EnumSet.noneOf(Feature.class);
    Feature[] all = Feature.values();
    if (seed >= 1 && seed <= all.length) {
      features.add(all[seed - 1]);
    } else if (seed > all.length) {
      for (Feature feature : all) {
        if (random.nextInt(3) == 0) {
          features.add(feature);
        }
      }
    }
    name = "generated " + seed;
  }

  /** The program of a seed, 0 or more: 0 is plain, and the next have one feature each. */
  static Program of(int seed) {
    return new GeneratedPrograms(seed).program();
  }

  /** Programs without nodes, or nearly so. */
  static ImmutableList<Program> empty() {
    MethodBuilder method = Method.builder("main");
    method.node(method.graph("main"), Ops.OUTPUT).add();
    return ImmutableList.of(
        new Program("without methods", ImmutableList.of(), ImmutableMap.of()),
        Program.of("without nodes", method.build()));
  }

  private boolean has(Feature feature) {
    return features.contains(feature);
  }

  private Program program() {
    int count = has(Feature.SEVERAL_METHODS) ? 2 + random.nextInt(3) : 1;
    ImmutableList.Builder<Method> methods = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      methods.add(new OneMethod(i == 0 ? "forward" : "method" + i).build());
    }
    return Program.of(name, methods.build());
  }

  /** One method in the making. */
  private final class OneMethod {
    private final MethodBuilder builder;
    private final List<TensorType> types = new ArrayList<>();

    /** Of each tensor: whether it has bytes of its own that a plan may put anywhere. */
    private final List<Boolean> own = new ArrayList<>();

    private int graphCount;

    OneMethod(String name) {
      builder = Method.builder(name);
    }

    Method build() {
      List<Integer> visible = new ArrayList<>();
      if (has(Feature.CONSTANTS)) {
        for (int i = 0; i < 2; i++) {
          visible.add(tensor("weight" + i, type(), /* constant= */ true, null));
        }
      }
      if (has(Feature.STATE)) {
        visible.add(state());
      }
      graph("main", visible, 3 + random.nextInt(25), /* depth= */ 0);
      return annotate(builder.build());
    }

    /** Adds a graph whose nodes may use what is visible where it is run. */
    private int graph(String label, List<Integer> outer, int nodes, int depth) {
      int graph = builder.graph(label);
      graphCount++;
      List<Integer> visible = new ArrayList<>(outer);
      if (random.nextInt(8) > 0) {
        NodeBuilder input = builder.node(graph, Ops.INPUT);
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
          visible.add(yielded(input, "x" + types.size(), type(), null));
        }
        input.add();
      }
      List<Integer> ids = new ArrayList<>();
      for (int i = 0; i < nodes; i++) {
        node(graph, visible, ids, depth);
      }
      NodeBuilder output = builder.node(graph, Ops.OUTPUT);
      for (int i = 1 + random.nextInt(2); i > 0 && !visible.isEmpty(); i--) {
        output.reads(pick(visible));
      }
      output.add();
      return graph;
    }

    private void node(int graph, List<Integer> visible, List<Integer> ids, int depth) {
      int kind = random.nextInt(8);
      if (kind == 0 && has(Feature.VIEWS) && !visible.isEmpty()) {
        view(graph, visible);
      } else if (kind == 1 && has(Feature.IN_PLACE) && !visible.isEmpty()) {
        inPlace(graph, visible);
      } else if (kind == 2 && has(Feature.OUT_ARGUMENTS)) {
        outArgument(graph, visible);
      } else if (kind == 3 && has(Feature.GRAPHS) && depth < 2 && graphCount < 6) {
        calling(graph, visible, depth);
      } else if (kind == 4 && has(Feature.JUMPS) && !visible.isEmpty() && !ids.isEmpty()) {
        builder.node(graph, Ops.JUMP_IF_FALSE).reads(pick(visible)).jumpsTo(pick(ids)).add();
      } else {
        NodeBuilder node = builder.node(graph, pick(OPS));
        reads(node, visible);
        if (has(Feature.SCRATCH) && random.nextInt(4) == 0) {
          node.operand(tensor("scratch", type(), /* constant= */ false, null), Access.WRITE);
        }
        List<Integer> results = new ArrayList<>();
        for (int i = 1 + random.nextInt(10) / 9; i > 0; i--) {
          results.add(yielded(node, "t" + types.size(), type(), null));
        }
        ids.add(node.add());
        visible.addAll(results);
      }
    }

    private void view(int graph, List<Integer> visible) {
      int base = pick(visible);
      long bytes = Math.max(0, types.get(base).bytes());
      long offset = random.nextInt(4) == 0 ? bytes - bytes / 2 : 0;
      TensorType type = TensorType.of(DType.U8, bytes - offset);
      NodeBuilder node = builder.node(graph, Ops.VIEW).operand(base, Access.BIND);
      visible.add(yielded(node, "", type, Alias.view(base, offset)));
      node.add();
    }

    private void inPlace(int graph, List<Integer> visible) {
      int base = pick(visible);
      NodeBuilder node = builder.node(graph, "add_").operand(base, Access.READ_WRITE);
      reads(node, visible);
      visible.add(yielded(node, "m" + types.size(), types.get(base), Alias.mutates(base)));
      node.add();
    }

    private void outArgument(int graph, List<Integer> visible) {
      TensorType type = type();
      NodeBuilder alloc = builder.node(graph, Ops.ALLOC);
      int bytes = yielded(alloc, "alloc", type, null);
      alloc.add();
      NodeBuilder node = builder.node(graph, "aten.add.out");
      reads(node, visible);
      node.operand(bytes, Access.WRITE);
      visible.add(yielded(node, "o" + types.size(), type, Alias.same(bytes)));
      node.add();
    }

    /** The called graphs come behind this one, and see nothing of it, as those of files do. */
    private void calling(int graph, List<Integer> visible, int depth) {
      String op = pick(ImmutableList.of(Ops.CALL, Ops.IF, Ops.WHILE, Ops.MAP));
      List<Integer> called = new ArrayList<>();
      for (int i = op.equals(Ops.CALL) || op.equals(Ops.MAP) ? 1 : 2; i > 0; i--) {
        String label = op + graphCount;
        called.add(graph(label, ImmutableList.of(), 1 + random.nextInt(4), depth + 1));
      }
      NodeBuilder node = builder.node(graph, op);
      reads(node, visible);
      called.forEach(node::runs);
      visible.add(yielded(node, "c" + types.size(), type(), null));
      node.add();
    }

    private void reads(NodeBuilder node, List<Integer> visible) {
      for (int i = random.nextInt(3); i >= 0 && !visible.isEmpty(); i--) {
        // The latest are read more often, or everything would live long.
        int back = Math.min(visible.size(), 1 + random.nextInt(1 + random.nextInt(8)));
        node.reads(visible.get(visible.size() - back));
      }
      if (random.nextInt(10) == 0) {
        node.hole();
      }
    }

    private int yielded(NodeBuilder node, String label, TensorType type, @Nullable Alias alias) {
      int tensor = tensor(label, type, /* constant= */ false, alias);
      node.yields(tensor);
      return tensor;
    }

    private int tensor(String label, TensorType type, boolean constant, @Nullable Alias alias) {
      types.add(type);
      own.add(!constant && alias == null);
      return builder.tensor(label, type, constant, /* state= */ null, alias);
    }

    /** All methods have the same state. */
    private int state() {
      TensorType type = TensorType.of(DType.F32, 4, 8);
      types.add(type);
      own.add(false);
      return builder.tensor(STATE, type, /* constant= */ false, STATE, /* alias= */ null);
    }

    private TensorType type() {
      if (has(Feature.DYNAMIC) && random.nextInt(4) == 0) {
        boolean bounded = random.nextBoolean();
        return new TensorType(
            DType.F32,
            ImmutableLongArray.of(TensorType.UNKNOWN, 4),
            bounded ? Dynamism.BOUNDED : Dynamism.UNBOUNDED,
            bounded ? 16L * (1 + random.nextInt(9)) : TensorType.UNKNOWN);
      }
      if (has(Feature.EMPTY_TENSORS) && random.nextInt(3) == 0) {
        return TensorType.of(DType.F32, 0, 4);
      }
      return TensorType.of(
          random.nextBoolean() ? DType.U8 : DType.F32,
          1 + random.nextInt(4),
          1 + random.nextInt(99));
    }

    private Method annotate(Method method) {
      GraphEditor editor = method.edit();
      for (int tensor = 0; tensor < types.size(); tensor++) {
        editor.annotate(tensor, MemoryKeys.ORIGIN, tensor);
        if (own.get(tensor)) {
          annotate(editor, tensor);
        } else if (method.tensor(tensor).constant() && random.nextInt(4) == 0) {
          editor.annotate(tensor, MemoryKeys.TRAINABLE, true);
        }
      }
      if (has(Feature.SHARES)) {
        shares(editor);
      }
      if (has(Feature.ALLOCATION)) {
        editor.annotate(
            MemoryKeys.ALLOCATION,
            new Allocation(random.nextBoolean(), random.nextBoolean(), random.nextBoolean()));
      }
      return editor.build();
    }

    private void annotate(GraphEditor editor, int tensor) {
      if (has(Feature.DEVICES) && random.nextInt(3) == 0) {
        editor.annotate(tensor, MemoryKeys.DEVICE, new Device("cuda", random.nextInt(2)));
      }
      if (has(Feature.PINS) && random.nextInt(4) == 0) {
        editor.annotate(tensor, MemoryKeys.PIN, 1 + random.nextInt(3));
      }
      if (has(Feature.OWNERS) && random.nextInt(5) == 0) {
        editor.annotate(tensor, MemoryKeys.OWNER, pick(ImmutableList.copyOf(Owner.values())));
      }
    }

    /**
     * Puts some tensors into the bytes of earlier ones that are as large, each in one of its own.
     */
    private void shares(GraphEditor editor) {
      List<Integer> taken = new ArrayList<>();
      for (int tensor = 1; tensor < types.size(); tensor++) {
        int base = random.nextInt(tensor);
        if (own.get(tensor)
            && own.get(base)
            && !taken.contains(base)
            && types.get(tensor).dynamism() != Dynamism.UNBOUNDED
            && types.get(base).bytes() >= types.get(tensor).bytes()
            && random.nextInt(2) == 0) {
          editor.annotate(tensor, MemoryKeys.SHARES, new Shares(base, 0, random.nextBoolean()));
          taken.add(base);
        }
      }
    }
  }

  private <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }
}
