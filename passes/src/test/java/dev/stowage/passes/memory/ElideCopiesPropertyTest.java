package dev.stowage.passes.memory;

import static dev.stowage.passes.memory.MemoryPasses.run;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.ir.Alias;
import dev.stowage.ir.DType;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.MethodBuilder.NodeBuilder;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Program;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.passes.PipelineResult;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.verifier.RatedFinding;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random methods that move bytes and compute with them give the same outputs in their plan, with
 * the idle nodes left out, as with every storage in bytes of its own; and nothing is wrong with the
 * plan.
 */
class ElideCopiesPropertyTest {
  private static final int SEEDS = 1_000;
  private static final String ALL =
      "copies=[whole,select,slice,split,unpack,pack,concatenation,pad]";

  @Test
  void run_randomMethods_planIsSoundAndOutputsAreTheSame() {
    int shared = 0;
    int idle = 0;
    int all = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Program program = new Generator(seed).program();
      Method method = program.methods().get(0);
      String align = "part-align=" + List.of(1, 2, 8).get(seed % 3);
      String elide = "elide-copies{" + ALL + "," + align + "}";
      PipelineResult result = run(program, elide + "," + plan(seed));
      Method planned = result.program().methods().get(0);
      assertThat(errors(result)).as("seed %s", seed).isEmpty();
      Interpreter apart = new Interpreter(method, /* inArenas= */ false, false);
      Interpreter together = new Interpreter(planned, /* inArenas= */ true, seed % 2 == 0);
      for (int run = 0; run < 2; run++) {
        assertThat(together.run(seed + run))
            .as("seed %s, run %s", seed, run)
            .isEqualTo(apart.run(seed + run));
      }
      int nodes = 0;
      for (Node node : planned.nodes()) {
        idle += node.attributes().containsKey("nop") ? 1 : 0;
        nodes++;
      }
      for (int tensor = 0; tensor < planned.tensors().size(); tensor++) {
        shared += planned.get(MemoryKeys.SHARES, tensor).isPresent() ? 1 : 0;
      }
      all += nodes;
      assertThat(run(result.program(), "strip-plan," + elide).program())
          .as("seed %s, again", seed)
          .isEqualTo(run(result.program(), "strip-plan").program());
    }
    // That is: there is something to see.
    assertThat(shared).isGreaterThan(SEEDS);
    assertThat(idle).isBetween(SEEDS, all - SEEDS);
  }

  private static String plan(int seed) {
    return List.of("plan", "plan{strategy=first-fit}", "plan{alignment=1}").get(seed / 3 % 3);
  }

  private static List<String> errors(PipelineResult result) {
    List<String> errors = new ArrayList<>();
    for (PlannedMethod method : result.plans()) {
      if (method.result() instanceof PlannedMethod.Failed failed) {
        errors.add(failed.why().render());
      } else if (method.result() instanceof PlannedMethod.Planned planned) {
        planned.verification().findings().stream()
            .filter(RatedFinding::isError)
            .forEach(finding -> errors.add(finding.finding().toString()));
      }
    }
    return errors;
  }

  /** Makes methods of tensors with two dimensions of bytes. */
  private static final class Generator {
    private final Random random;
    private final MethodBuilder builder = Method.builder("m");
    private final int graph = builder.graph("main");

    /** Handles that may be read, and their shapes. */
    private final List<Integer> values = new ArrayList<>();

    private final List<long[]> shapes = new ArrayList<>();

    Generator(long seed) {
      random = new Random(seed);
    }

    Program program() {
      for (int i = 0; i <= random.nextInt(2); i++) {
        long[] shape = shape();
        builder.node(graph, Ops.INPUT).yields(tensor(shape, null, null)).add();
      }
      if (random.nextInt(4) == 0) {
        builder.node(graph, Ops.INPUT).yields(tensor(new long[] {4, 4}, "cache", null)).add();
      }
      int nodes = 3 + random.nextInt(12);
      for (int i = 0; i < nodes; i++) {
        addNode();
      }
      NodeBuilder output = builder.node(graph, Ops.OUTPUT);
      for (int i = 0; i <= random.nextInt(3); i++) {
        output.reads(values.get(values.size() - 1 - random.nextInt(Math.min(6, values.size()))));
      }
      output.add();
      return Program.of("p", builder.build());
    }

    private long[] shape() {
      return new long[] {1 + random.nextInt(4), 1 + random.nextInt(8)};
    }

    private int tensor(long[] shape, @Nullable String state, @Nullable Alias alias) {
      int id = builder.tensor("", TensorType.of(DType.U8, shape), false, state, alias);
      values.add(id);
      shapes.add(shape);
      return id;
    }

    private int any(Predicate<long[]> wanted) {
      List<Integer> found = new ArrayList<>();
      for (int i = 0; i < values.size(); i++) {
        if (wanted.test(shapes.get(i))) {
          found.add(i);
        }
      }
      return found.isEmpty() ? -1 : found.get(random.nextInt(found.size()));
    }

    private void addNode() {
      int at = any(shape -> true);
      long[] shape = shapes.get(at);
      int value = values.get(at);
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> {
          int other = values.get(any(it -> true));
          node("mix", random.nextBoolean() ? shape : shape(), value, other);
        }
        case 3, 4, 5 -> concat(at);
        case 6 -> slice(shape, value);
        case 7 -> split(shape, value);
        case 8 -> node("reshape", new long[] {1, shape[0] * shape[1]}, value);
        case 9 -> pad(shape, value);
        case 10 -> {
          if (shapes.size() > 3) {
            builder
                .node(graph, "relu_")
                .operand(value, Access.READ_WRITE)
                .yields(tensor(shape, null, Alias.mutates(value)))
                .add();
          }
        }
        default -> {
          if (random.nextBoolean()) {
            builder
                .node(graph, Ops.VIEW)
                .operand(value, Access.BIND)
                .yields(tensor(new long[] {1, shape[1]}, null, Alias.view(value, 0)))
                .add();
          } else {
            builder
                .node(graph, "fill")
                .reads(values.get(any(it -> true)))
                .operand(value, Access.WRITE)
                .add();
          }
        }
      }
    }

    private void node(String op, long[] shape, int... operands) {
      builder.node(graph, op).reads(operands).yields(tensor(shape, null, null)).add();
    }

    private void concat(int first) {
      int axis = random.nextInt(3) == 0 ? 1 : 0;
      long[] shape = shapes.get(first).clone();
      List<Integer> parts = new ArrayList<>(List.of(values.get(first)));
      for (int i = 0; i <= random.nextInt(2); i++) {
        int part = any(it -> it[1 - axis] == shape[1 - axis]);
        parts.add(values.get(part));
        shape[axis] += shapes.get(part)[axis];
      }
      boolean fills = random.nextInt(3) == 0;
      int target = fills ? tensor(shape, null, null) : -1;
      if (fills) {
        builder.node(graph, Ops.ALLOC).yields(target).add();
      }
      NodeBuilder node = builder.node(graph, fills ? "aten.cat.out" : "concat");
      parts.forEach(node::reads);
      if (fills) {
        node.operand(target, Access.WRITE).yields(tensor(shape, null, Alias.same(target)));
      } else {
        node.yields(tensor(shape, null, null));
      }
      node.attribute("axis", String.valueOf(axis)).add();
    }

    private void slice(long[] shape, int value) {
      int axis = random.nextInt(2);
      long begin = random.nextInt((int) shape[axis]);
      long[] size = shape.clone();
      size[axis] = 1L + random.nextInt((int) (shape[axis] - begin));
      builder
          .node(graph, "slice")
          .reads(value)
          .yields(tensor(size, null, null))
          .attribute("begin", axis == 0 ? begin + ":0" : "0:" + begin)
          .add();
    }

    private void split(long[] shape, int value) {
      int axis = shape[0] > 1 ? 0 : 1;
      if (shape[axis] < 2) {
        return;
      }
      long[] left = shape.clone();
      left[axis] = 1L + random.nextInt((int) shape[axis] - 1);
      long[] right = shape.clone();
      right[axis] -= left[axis];
      builder
          .node(graph, "split")
          .reads(value)
          .yields(tensor(left, null, null), tensor(right, null, null))
          .attribute("axis", String.valueOf(axis))
          .add();
    }

    private void pad(long[] shape, int value) {
      long[] before = {random.nextInt(3), random.nextInt(3) == 0 ? 1 : 0};
      long[] padded = {shape[0] + before[0] + random.nextInt(2), shape[1] + before[1]};
      builder
          .node(graph, "pad")
          .reads(value)
          .yields(tensor(padded, null, null))
          .attribute("before", before[0] + ":" + before[1])
          .add();
    }
  }
}
