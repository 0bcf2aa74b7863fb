package dev.stowage.passes.lowering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.ir.DType;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Ops;
import dev.stowage.ir.TensorType;
import dev.stowage.passes.Texts;
import dev.stowage.passes.analysis.Analyses;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The profile agrees with a trace of TFLite Micro's walk that is looked through tensor by tensor.
 */
class TflmProfilePropertyTest {
  private static final int SEEDS = 2_000;

  /** A tensor is named at a time of the clock; it begins its life there, or is only used. */
  private record Event(int time, int tensor, boolean begins, boolean ends) {}

  @Test
  void lower_randomNestedPrograms_hasTheLifetimesOfTheTrace() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Method method = method(new Random(seed));
      LoweredProblem lowered = Profiles.named("tflm").lower(method, new Analyses(), Texts.TARGET);
      assertThat(Texts.buffers(lowered)).as("seed %s", seed).isEqualTo(expected(method));
    }
  }

  private static List<String> expected(Method method) {
    List<Event> trace = new ArrayList<>();
    trace(method, method.entry(), 0, trace);
    List<String> buffers = new ArrayList<>();
    for (int tensor = 0; tensor < method.tensors().size(); tensor++) {
      long bytes = method.tensor(tensor).type().bytes();
      if (bytes == 0 || method.tensor(tensor).constant() || method.tensor(tensor).state() != null) {
        continue;
      }
      int id = tensor;
      int first =
          trace.stream()
              .filter(event -> event.tensor() == id && event.begins())
              .mapToInt(Event::time)
              .min()
              .orElse(-1);
      int last =
          trace.stream()
              .filter(event -> event.tensor() == id && event.ends())
              .mapToInt(Event::time)
              .max()
              .orElse(-1);
      buffers.add("%d: %d [%d, %d]".formatted(tensor, bytes, first + 1, last + 1));
    }
    return buffers;
  }

  /** Appends what happens while a graph runs, and returns the clock at its end. */
  private static int trace(Method method, Graph graph, int clock, List<Event> trace) {
    int now = clock;
    for (int input : graph.inputs().asList()) {
      trace.add(new Event(now, input, true, true));
    }
    for (Node node : graph.nodes()) {
      if (node.op().equals(Ops.INPUT) || node.op().equals(Ops.OUTPUT)) {
        continue;
      }
      now++;
      for (int result : node.results().asList()) {
        trace.add(new Event(now, result, true, false));
      }
      for (int called : node.graphs().asList()) {
        now = trace(method, method.body().graphs().get(called), now + 1, trace);
      }
      for (Operand operand : node.operands()) {
        trace.add(new Event(now, operand.tensor(), false, true));
      }
      for (int result : node.results().asList()) {
        trace.add(new Event(now, result, false, true));
      }
    }
    for (int output : graph.outputs().asList()) {
      trace.add(new Event(now, output, true, true));
    }
    return now;
  }

  /** Up to five graphs that run only later ones, so never in a circle. */
  private static Method method(Random random) {
    MethodBuilder builder = Method.builder("m");
    int graphs = 1 + random.nextInt(5);
    for (int g = 0; g < graphs; g++) {
      builder.graph("g" + g);
    }
    for (int g = 0; g < graphs; g++) {
      List<Integer> known = new ArrayList<>();
      MethodBuilder.NodeBuilder input = builder.node(g, Ops.INPUT);
      for (int i = random.nextInt(3); i > 0; i--) {
        int tensor = tensor(builder, random);
        input.yields(tensor);
        known.add(tensor);
      }
      input.add();
      for (int i = random.nextInt(5); i > 0; i--) {
        operator(builder, random, g, graphs, known);
      }
      MethodBuilder.NodeBuilder output = builder.node(g, Ops.OUTPUT);
      for (int i = random.nextInt(3); i > 0 && !known.isEmpty(); i--) {
        output.reads(known.get(random.nextInt(known.size())));
      }
      output.add();
    }
    return builder.build();
  }

  private static void operator(
      MethodBuilder builder, Random random, int graph, int graphs, List<Integer> known) {
    int called = graph + 1 < graphs && random.nextInt(3) == 0 ? 1 + random.nextInt(2) : 0;
    MethodBuilder.NodeBuilder node =
        builder.node(graph, called == 0 ? "A" : called == 1 ? Ops.CALL : Ops.IF);
    for (int i = random.nextInt(4); i > 0 && !known.isEmpty(); i--) {
      node.reads(known.get(random.nextInt(known.size())));
    }
    for (int i = 0; i < called; i++) {
      node.runs(graph + 1 + random.nextInt(graphs - graph - 1));
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      int tensor = tensor(builder, random);
      node.yields(tensor);
      known.add(tensor);
    }
    node.add();
  }

  private static int tensor(MethodBuilder builder, Random random) {
    TensorType type = TensorType.of(DType.U8, random.nextInt(8) * 5L);
    String state = random.nextInt(12) == 0 ? "v" : null;
    return builder.tensor("", type, random.nextInt(12) == 0, state, /* alias= */ null);
  }
}
