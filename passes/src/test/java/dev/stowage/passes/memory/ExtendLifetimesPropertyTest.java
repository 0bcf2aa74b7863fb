package dev.stowage.passes.memory;

import static dev.stowage.passes.memory.MemoryPasses.run;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.ir.Alias;
import dev.stowage.ir.DType;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Program;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import dev.stowage.passes.PipelineResult;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.passes.Texts;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.passes.analysis.Lifetimes;
import dev.stowage.passes.lowering.Profiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lifetimes afterwards are the greater of those before and of what was asked for. */
class ExtendLifetimesPropertyTest {
  private static final int SEEDS = 500;

  @Test
  void run_randomMethods_lifetimesAreThoseOfAnObviousSearch() {
    int longer = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Program program = program(random, /* sharing= */ true);
      Method method = program.methods().get(0);
      int by = random.nextInt(5);
      String op = random.nextBoolean() ? "a" : "*";
      String name = "t" + random.nextInt(10) + (random.nextBoolean() ? "*" : "");
      boolean keep = random.nextBoolean();
      String options = "by=" + by + ",op=" + op + (keep ? ",keep=" + name : "");
      PipelineResult result = run(program, "extend-lifetimes{" + options + "}");
      Lifetimes before = new Analyses().lifetimes(method);
      Lifetimes after = new Analyses().lifetimes(result.program().methods().get(0));
      for (int tensor = 0; tensor < method.tensors().size(); tensor++) {
        int expected = Math.max(before.last(tensor), lateRead(method, tensor, op, by));
        if (keep && before.isUsed(tensor) && isNamed(method, tensor, name)) {
          expected = method.entry().nodes().size() - 1;
        }
        assertThat(after.first(tensor)).isEqualTo(before.first(tensor));
        assertThat(after.last(tensor)).as("seed %s, %%%s", seed, tensor).isEqualTo(expected);
        longer += expected > before.last(tensor) ? 1 : 0;
      }
    }
    assertThat(longer).isGreaterThan(SEEDS);
  }

  @Test
  void run_withoutOptions_basesLastAsLongAsAllBelow_andTheSoundProblemIsTheSame() {
    int longer = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Program program = program(new Random(seed), /* sharing= */ true);
      Method method = program.methods().get(0);
      Method extended = run(program, "extend-lifetimes").program().methods().get(0);
      Lifetimes before = new Analyses().lifetimes(method);
      Lifetimes after = new Analyses().lifetimes(extended);
      for (int tensor = 0; tensor < method.tensors().size(); tensor++) {
        int expected = before.isUsed(tensor) ? lastOfAllBelow(method, before, tensor) : -1;
        assertThat(after.last(tensor)).as("seed %s, %%%s", seed, tensor).isEqualTo(expected);
        longer += expected > before.last(tensor) ? 1 : 0;
      }
      assertThat(sound(extended)).as("seed %s", seed).isEqualTo(sound(method));
    }
    assertThat(longer).isGreaterThan(SEEDS / 2);
  }

  @Test
  void run_thenPlanned_everyProfileIsVerified() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Program program = program(new Random(seed), /* sharing= */ false);
      for (String profile : List.of("sound", "executorch")) {
        PipelineResult result =
            run(
                program,
                "extend-lifetimes{by=2,op=a},extend-lifetimes,plan{profile=" + profile + "}");
        PlannedMethod plan = result.plans().get(0);
        assertThat(plan.isVerified()).as("seed %s, %s: %s", seed, profile, plan.result()).isTrue();
      }
    }
  }

  private static List<String> sound(Method method) {
    return Texts.buffers(Profiles.named("sound").lower(method, new Analyses(), Texts.TARGET));
  }

  private static int lateRead(Method method, int tensor, String op, int by) {
    List<Node> nodes = method.entry().nodes();
    int last = -1;
    for (int position = 0; position < nodes.size(); position++) {
      Node node = nodes.get(position);
      boolean names = node.op().equals(Ops.VIEW) || node.op().equals(Ops.INPUT);
      for (Operand operand : node.operands()) {
        if (!names
            && (op.equals("*") || op.equals(node.op()))
            && operand.access() != Access.BIND
            && method.body().root(operand.tensor()) == method.body().root(tensor)) {
          last = Math.max(last, Math.min(position + by, nodes.size() - 1));
        }
      }
    }
    return last;
  }

  private static boolean isNamed(Method method, int tensor, String name) {
    return method.tensors().stream()
        .filter(other -> method.body().root(other.id()) == method.body().root(tensor))
        .anyMatch(
            other ->
                name.endsWith("*")
                    ? other.name().startsWith(name.substring(0, name.length() - 1))
                    : other.name().equals(name));
  }

  private static int lastOfAllBelow(Method method, Lifetimes lifetimes, int tensor) {
    int last = lifetimes.last(tensor);
    for (int other = 0; other < method.tensors().size(); other++) {
      int at = other;
      while (at != method.body().root(tensor) && method.get(MemoryKeys.SHARES, at).isPresent()) {
        at = method.body().root(method.get(MemoryKeys.SHARES, at).get().base());
      }
      last = at == method.body().root(tensor) ? Math.max(last, lifetimes.last(other)) : last;
    }
    return last;
  }

  /** One graph of plain, viewing and in-place nodes; with sharing, storages lie in earlier ones. */
  private static Program program(Random random, boolean sharing) {
    MethodBuilder builder = Method.builder("m");
    int graph = builder.graph("main");
    List<Integer> handles = new ArrayList<>();
    handles.add(tensor(builder, handles.size(), null));
    builder.node(graph, Ops.INPUT).yields(handles.get(0)).add();
    for (int i = 2 + random.nextInt(10); i > 0; i--) {
      int one = handles.get(random.nextInt(handles.size()));
      int other = handles.get(random.nextInt(handles.size()));
      int kind = random.nextInt(5);
      if (kind == 0) {
        handles.add(tensor(builder, handles.size(), Alias.view(one, 0)));
        builder.node(graph, Ops.VIEW).operand(one, Access.BIND).yields(last(handles)).add();
      } else if (kind == 1) {
        handles.add(tensor(builder, handles.size(), Alias.mutates(one)));
        builder
            .node(graph, "a")
            .operand(one, Access.READ_WRITE)
            .reads(other)
            .yields(last(handles))
            .add();
      } else {
        handles.add(tensor(builder, handles.size(), null));
        builder.node(graph, kind == 2 ? "a" : "b").reads(one, other).yields(last(handles)).add();
      }
    }
    builder.node(graph, Ops.OUTPUT).reads(last(handles)).add();
    Method method = builder.build();
    GraphEditor editor = method.edit();
    for (int tensor = 1; tensor < method.tensors().size(); tensor++) {
      if (sharing && method.body().root(tensor) == tensor && random.nextInt(3) == 0) {
        editor.annotate(
            tensor, MemoryKeys.SHARES, new Shares(random.nextInt(tensor), 0, /* derived= */ false));
      }
    }
    return Program.of("p", editor.build());
  }

  private static int last(List<Integer> handles) {
    return handles.get(handles.size() - 1);
  }

  private static int tensor(MethodBuilder builder, int count, @Nullable Alias alias) {
    TensorType type = TensorType.of(DType.U8, 32);
    return builder.tensor("t" + count, type, false, null, alias);
  }
}
