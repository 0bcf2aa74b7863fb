package dev.stowage.ir.text;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

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
import dev.stowage.ir.memory.Placement;
import dev.stowage.ir.memory.Shares;
import dev.stowage.ir.structure.Structure;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random well-formed programs with every feature survive printing and parsing. */
class ProgramTextPropertyTest {
  private static final ImmutableList<String> NAMES =
      ImmutableList.of(
          "", "x", "conv 1", "a\"b\\c", "line\nbreak\r\t", "größe", "# %3", "@{}", "1");

  private static final ImmutableList<String> OPS =
      ImmutableList.of(
          "aten.add.out",
          "a::b",
          "higher_order.cond",
          "7z",
          "out",
          "_",
          "const",
          "has blank",
          "",
          "edge.aten.index_put_.default",
          "é",
          "graph",
          "tensor",
          "state");

  @Test
  void parse_printedProgram_equalsTheProgram() {
    for (int seed = 0; seed < 400; seed++) {
      Program program = new Generator(seed).program();
      assertThat(Structure.check(program)).as("seed %s", seed).isEmpty();
      String text = ProgramPrinter.print(program);
      Program parsed = ProgramParser.parse("seed " + seed, text);
      assertThat(parsed).as("seed %s\n%s", seed, text).isEqualTo(program);
      assertThat(ProgramPrinter.print(parsed)).as("seed %s", seed).isEqualTo(text);
    }
  }

  private static final class Generator {
    private final Random random;
    private final ImmutableMap<String, TensorType> states;

    Generator(int seed) {
      random = new Random(seed);
      ImmutableMap.Builder<String, TensorType> built = ImmutableMap.builder();
      for (int i = random.nextInt(3); i > 0; i--) {
        built.put(pick(NAMES) + i, type());
      }
      states = built.buildOrThrow();
    }

    Program program() {
      ImmutableList.Builder<Method> methods = ImmutableList.builder();
      for (int i = random.nextInt(3); i >= 0; i--) {
        methods.add(annotated(method(pick(NAMES) + i)));
      }
      return new Program(pick(NAMES), methods.build(), states);
    }

    private Method method(String name) {
      MethodBuilder builder = Method.builder(name);
      int graphs = 1 + random.nextInt(4);
      for (int g = 0; g < graphs; g++) {
        builder.graph(pick(NAMES) + g);
      }
      List<TensorType> types = new ArrayList<>();
      List<Integer> outer = new ArrayList<>();
      for (int i = random.nextInt(3); i > 0; i--) {
        outer.add(tensor(builder, types, /* constant= */ true));
      }
      tensor(builder, types, /* constant= */ false);
      // Graph g runs only later graphs, so that there are no cycles; each is run at most once, and
      // sees only the constants: what it may see beyond them depends on where it runs.
      List<Integer> toRun = new ArrayList<>();
      for (int g = 1; g < graphs; g++) {
        toRun.add(g);
      }
      int id = 0;
      for (int g = 0; g < graphs; g++) {
        List<Integer> visible = new ArrayList<>(outer);
        List<Integer> ids = new ArrayList<>();
        int nodes = random.nextInt(8);
        for (int n = 0; n <= nodes; n++) {
          int graph = g;
          toRun.removeIf(later -> later <= graph);
          id += random.nextInt(6) == 0 ? 1 + random.nextInt(1000) : 1;
          boolean last = n == nodes;
          int[] called = last ? new int[0] : called(toRun);
          String op = last ? Ops.OUTPUT : called.length == 2 ? Ops.IF : pick(OPS);
          NodeBuilder node = builder.node(g, called.length == 1 ? Ops.CALL : op).id(id);
          ids.add(id);
          operands(node, visible);
          for (int run : called) {
            node.runs(run);
          }
          for (int i = last ? 0 : random.nextInt(3); i > 0; i--) {
            int result = tensor(builder, types, /* constant= */ false);
            node.yields(result);
            visible.add(result);
          }
          if (random.nextInt(6) == 0) {
            node.jumpsTo(pick(ids));
          }
          if (random.nextInt(4) == 0) {
            node.attribute(pick(NAMES), pick(NAMES)).attribute("backend", "xnn:%+*/pack");
          }
          node.add();
        }
      }
      return builder.build();
    }

    private int[] called(List<Integer> toRun) {
      int count = Math.min(toRun.size(), random.nextInt(3));
      int[] called = new int[count];
      for (int i = 0; i < count; i++) {
        called[i] = toRun.remove(/* index */ random.nextInt(toRun.size()));
      }
      return called;
    }

    private void operands(NodeBuilder node, List<Integer> visible) {
      int position = 0;
      for (int i = random.nextInt(5); i > 0; i--) {
        int where = random.nextInt(8);
        position =
            where == 0 ? random.nextInt(10) : where < 3 ? Math.max(0, position - 1) : position;
        int tensor = visible.isEmpty() || random.nextInt(5) == 0 ? -1 : pick(visible);
        node.operand(tensor, position, pick(ImmutableList.copyOf(Access.values())));
        position++;
      }
    }

    private int tensor(MethodBuilder builder, List<TensorType> types, boolean constant) {
      TensorType type = type();
      Alias alias = null;
      String state = null;
      if (!types.isEmpty() && random.nextInt(3) == 0) {
        int base = random.nextInt(types.size());
        long room = types.get(base).bytes() - type.bytes();
        boolean unknown =
            type.bytes() == TensorType.UNKNOWN || types.get(base).bytes() == TensorType.UNKNOWN;
        alias =
            switch (random.nextInt(3)) {
              case 0 -> Alias.same(base);
              case 1 -> Alias.mutates(base);
              default ->
                  unknown || room >= 0
                      ? Alias.view(base, unknown ? random.nextInt(100) : room - room / 2)
                      : null;
            };
      } else if (!states.isEmpty() && random.nextInt(4) == 0) {
        state = pick(states.keySet().asList());
        type = requireNonNull(states.get(state));
      }
      types.add(type);
      return builder.tensor(pick(NAMES), type, constant, state, alias);
    }

    private TensorType type() {
      DType dtype = pick(ImmutableList.copyOf(DType.values()));
      ImmutableLongArray.Builder shape = ImmutableLongArray.builder();
      boolean huge = random.nextInt(20) == 0;
      for (int i = random.nextInt(4); i > 0; i--) {
        shape.add(huge ? 1L << 40 : random.nextInt(7) - 1);
      }
      Dynamism dynamism = pick(ImmutableList.copyOf(Dynamism.values()));
      long bytes =
          dynamism == Dynamism.UNBOUNDED && random.nextBoolean()
              ? TensorType.UNKNOWN
              : random.nextInt(1000);
      if (!huge && dynamism != Dynamism.UNBOUNDED && random.nextInt(4) > 0) {
        bytes = TensorType.denseBytes(dtype, shape.build()).orElse(bytes);
      }
      return new TensorType(dtype, shape.build(), dynamism, bytes);
    }

    private Method annotated(Method method) {
      GraphEditor editor = method.edit();
      for (int i = 0; i < method.tensors().size(); i++) {
        switch (random.nextInt(13)) {
          case 0 -> editor.annotate(i, MemoryKeys.DEVICE, Device.CPU);
          case 1 -> editor.annotate(i, MemoryKeys.DEVICE, new Device("CUDA", random.nextInt(2)));
          case 2 -> editor.annotate(i, MemoryKeys.PIN, random.nextInt());
          case 3 ->
              editor.annotate(i, MemoryKeys.OWNER, pick(ImmutableList.copyOf(Owner.values())));
          case 4 -> editor.annotate(i, MemoryKeys.SHARES, new Shares(0, -5, random.nextBoolean()));
          case 5 -> editor.annotate(i, MemoryKeys.TRAINABLE, random.nextBoolean());
          case 6 -> editor.annotate(i, MemoryKeys.PLACEMENT, new Placement(1, -1, 1L << 50));
          case 7 -> editor.annotate(i, MemoryKeys.RESULT_PIN, 3);
          case 8 -> editor.annotate(i, MemoryKeys.UNTIL, pick(method.entry().nodes()).id());
          default -> editor.annotate(i, MemoryKeys.ORIGIN, i);
        }
      }
      if (random.nextBoolean()) {
        editor.annotate(
            MemoryKeys.ALLOCATION,
            new Allocation(random.nextBoolean(), random.nextBoolean(), random.nextBoolean()));
        editor.annotate(
            MemoryKeys.ARENAS,
            random.nextBoolean() ? ImmutableLongArray.of() : ImmutableLongArray.of(0, 1L << 60));
      }
      return editor.build();
    }

    private <T> T pick(List<T> from) {
      return from.get(random.nextInt(from.size()));
    }
  }
}
