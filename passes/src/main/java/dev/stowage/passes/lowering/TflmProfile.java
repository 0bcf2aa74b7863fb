package dev.stowage.passes.lowering;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ListMultimap;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.ir.Alias;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.FindingKind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * TensorFlow Lite Micro's lifetimes ({@code micro_allocation_info.cc}): one clock over all graphs,
 * which ticks at each operator and at each graph that an operator runs; the operands of a
 * control-flow operator stay alive through its graphs, and both branches of a conditional come one
 * after the other. Constants, variables and what the runtime owns are not planned.
 *
 * <p>Pins, {@link MemoryKeys#UNTIL}, and storages that lie inside others (which live as long as all
 * that is in them) are beyond TFLite Micro; nothing changes without them.
 *
 * <p>The clock here begins at 1, so that what no operator reaches (which TFLite Micro keeps at -1,
 * and allocates all the same) lies at [0, 0].
 */
final class TflmProfile implements Profile {
  private static final int NEVER = -1;

  /** A graph that is run by two nodes is walked twice, so nesting may double the walk each time. */
  private static final int MAX_STEPS = 10_000_000;

  private static final int MAX_DEPTH = 1_000;

  @Override
  public String name() {
    return "tflm";
  }

  @Override
  public String summary() {
    return "the lifetimes of TensorFlow Lite Micro, one clock over all subgraphs";
  }

  @Override
  public String pipelineName() {
    return name();
  }

  @Override
  public ImmutableSet<FindingKind> tolerated() {
    return ImmutableSet.of();
  }

  @Override
  public int firstStep() {
    return NEVER;
  }

  @Override
  public Optional<Node> nodeAt(Method method, int step) {
    return Optional.ofNullable(Clock.run(method, step + NEVER).nodeAtTick);
  }

  @Override
  public LoweredProblem lower(Method method, Analyses analyses, LoweringTarget target) {
    refuseAliases(method);
    Clock clock = Clock.run(method, NEVER);
    StorageChains.widenBases(method, clock::include);
    Set<Integer> elsewhere = providedByCaller(method);
    ImmutableList<Tensor> planned =
        method.tensors().stream()
            .filter(tensor -> isPlanned(method, tensor) && !elsewhere.contains(tensor.id()))
            .collect(ImmutableList.toImmutableList());
    Set<Integer> pins = new LinkedHashSet<>();
    planned.forEach(tensor -> method.get(MemoryKeys.PIN, tensor.id()).ifPresent(pins::add));
    ProblemAssembly assembly = new ProblemAssembly(method, target, pins, firstStep());
    int[] bufferOf = new int[method.tensors().size()];
    Arrays.fill(bufferOf, PlanningProblem.UNPLACED_BASE);
    for (Tensor tensor : planned) {
      int buffer =
          assembly.add(
              tensor.name(),
              tensor.type().bytes(),
              clock.first[tensor.id()] - NEVER,
              clock.last[tensor.id()] - NEVER,
              method.get(MemoryKeys.ORIGIN, tensor.id()).orElse(tensor.id()),
              tensor.id());
      bufferOf[tensor.id()] = buffer;
      method.get(MemoryKeys.PIN, tensor.id()).ifPresent(memId -> assembly.pin(buffer, memId));
    }
    for (Tensor tensor : planned) {
      method
          .get(MemoryKeys.SHARES, tensor.id())
          .ifPresent(
              shares ->
                  assembly.storage(
                      bufferOf[tensor.id()],
                      bufferOf[shares.base()],
                      shares.offsetBytes(),
                      shares.derived()));
    }
    return assembly.build();
  }

  private static boolean isPlanned(Method method, Tensor tensor) {
    return !tensor.constant()
        && tensor.state() == null
        && tensor.type().dynamism() != TensorType.Dynamism.UNBOUNDED
        && tensor.type().bytes() > 0
        && method.get(MemoryKeys.OWNER, tensor.id()).isEmpty();
  }

  /** Inputs and outputs of the method that are not the plan's. */
  private static Set<Integer> providedByCaller(Method method) {
    Allocation allocation = method.get(MemoryKeys.ALLOCATION).orElse(Allocation.ALL);
    Set<Integer> provided = new HashSet<>();
    if (!allocation.inputs()) {
      provided.addAll(method.entry().inputs().asList());
    }
    if (!allocation.outputs()) {
      provided.addAll(method.entry().outputs().asList());
    }
    return provided;
  }

  private static void refuseAliases(Method method) {
    for (Tensor tensor : method.tensors()) {
      Alias alias = tensor.alias();
      if (alias != null) {
        throw unsupported(
            method,
            Message.format(
                "tensor %s is a handle to the bytes of %%%d, but TFLite Micro knows no aliases",
                tensor.describe(), alias.base()));
      }
    }
  }

  private static DiagnosticException unsupported(Method method, String message) {
    return Diagnostic.of(Kinds.INPUT_UNSUPPORTED, Location.at(method.name()), message)
        .asException();
  }

  /**
   * TFLite Micro's walk over the graphs. Importers have refused graphs that run each other in
   * circles.
   */
  private static final class Clock {
    private final Method method;
    private final int[] first;
    private final int[] last;

    private final int wantedTick;

    /** The operator at the wanted tick; one at which a graph is entered has none. */
    private @Nullable Node nodeAtTick;

    private int now;

    /** By node, the tensors that are to stay alive until it has run. */
    private final ListMultimap<Integer, Integer> heldUntil = ArrayListMultimap.create();

    /** By tensor, the graph that yields it, where it is to stay alive; else the first. */
    private final Map<Integer, Integer> yieldedIn = new HashMap<>();

    /** By graph, the tensors of it that a node further inside has held. */
    private final ListMultimap<Integer, Integer> heldIn = ArrayListMultimap.create();

    private final Set<Integer> open = new HashSet<>();

    private Clock(Method method, int wantedTick) {
      this.method = method;
      this.wantedTick = wantedTick;
      first = new int[method.tensors().size()];
      last = new int[first.length];
      Arrays.fill(first, NEVER);
      Arrays.fill(last, NEVER);
      if (method.keys().contains(MemoryKeys.UNTIL)) {
        findHeld();
      }
    }

    private void findHeld() {
      for (Tensor tensor : method.tensors()) {
        method
            .get(MemoryKeys.UNTIL, tensor.id())
            .ifPresent(node -> heldUntil.put(node, tensor.id()));
      }
      for (int graph = 0; graph < method.body().graphs().size(); graph++) {
        for (Node node : method.body().graphs().get(graph).nodes()) {
          for (int result : node.results().asList()) {
            yieldedIn.put(result, graph);
          }
        }
      }
    }

    static Clock run(Method method, int wantedTick) {
      Clock clock = new Clock(method, wantedTick);
      if (clock.countTicks(0, 0, new long[method.body().graphs().size()]) > MAX_STEPS) {
        throw unsupported(method, Message.format("it runs more than %,d steps", MAX_STEPS));
      }
      clock.walk(/* graphIndex= */ 0, 0);
      return clock;
    }

    /** How many ticks a walk of a graph takes; at most a little above the limit. */
    private long countTicks(int index, int depth, long[] known) {
      checkDepth(depth);
      if (known[index] == 0) {
        long ticks = 0;
        for (Node node : method.body().graphs().get(index).nodes()) {
          if (isOperator(node)) {
            ticks++;
            for (int graph : node.graphs().asList()) {
              ticks = Math.min(MAX_STEPS + 1L, ticks + 1 + countTicks(graph, depth + 1, known));
            }
          }
        }
        known[index] = ticks;
      }
      return known[index];
    }

    private void checkDepth(int depth) {
      if (depth > MAX_DEPTH) {
        throw unsupported(
            method, Message.format("graphs run one another more than %,d deep", MAX_DEPTH));
      }
    }

    private static boolean isOperator(Node node) {
      return !node.op().equals(Ops.INPUT) && !node.op().equals(Ops.OUTPUT);
    }

    private void walk(int graphIndex, int depth) {
      checkDepth(depth);
      open.add(graphIndex);
      Graph graph = method.body().graphs().get(graphIndex);
      for (int input : graph.inputs().asList()) {
        begin(input);
        last[input] = now;
      }
      for (Node node : graph.nodes()) {
        if (isOperator(node)) {
          walk(node, depth);
        }
        heldUntil.get(node.id()).forEach(tensor -> hold(tensor, graphIndex));
        heldIn.removeAll(graphIndex).forEach(tensor -> hold(tensor, graphIndex));
      }
      open.remove(graphIndex);
      for (int output : graph.outputs().asList()) {
        begin(output);
        last[output] = now;
      }
    }

    private void walk(Node node, int depth) {
      now++;
      if (now == wantedTick) {
        nodeAtTick = node;
      }
      node.results().forEach(this::begin);
      for (int graph : node.graphs().asList()) {
        now++;
        walk(graph, depth + 1);
      }
      for (Operand operand : node.operands()) {
        if (!operand.isHole()) {
          last[operand.tensor()] = now;
        }
      }
      node.results().forEach(result -> last[result] = now);
    }

    /**
     * Keeps a tensor alive that a node of a graph is the last to need. What is yielded further
     * outside may be needed again in the next trip of a loop, so it lives as long as the node there
     * runs, as operands do.
     */
    private void hold(int tensor, int inGraph) {
      int home = yieldedIn.getOrDefault(tensor, 0);
      if (home != inGraph && open.contains(home)) {
        heldIn.put(home, tensor);
      } else if (first[tensor] != NEVER || last[tensor] != NEVER) {
        last[tensor] = Math.max(last[tensor], now);
      }
    }

    /** Has a storage live as long as what lies in it. */
    void include(int base, int inside) {
      if (first[inside] == NEVER && last[inside] == NEVER) {
        return;
      }
      boolean unused = first[base] == NEVER && last[base] == NEVER;
      first[base] = unused ? first[inside] : Math.min(first[base], first[inside]);
      last[base] = Math.max(last[base], last[inside]);
    }

    private void begin(int tensor) {
      if (first[tensor] == NEVER) {
        first[tensor] = now;
      }
    }
  }
}
