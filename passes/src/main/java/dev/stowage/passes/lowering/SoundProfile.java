package dev.stowage.passes.lowering;

import com.google.common.collect.ImmutableSet;
import com.google.common.math.LongMath;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.passes.analysis.Lifetimes;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.FindingKind;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Every storage is one buffer, in use from the first to the last node that touches any handle to
 * it, readers of in-place results included. What the method returns is the storage that it aliases.
 *
 * <p>For methods without called graphs so far.
 */
final class SoundProfile implements Profile {
  static final String NAME = "sound";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String summary() {
    return "every handle keeps its bytes alive";
  }

  @Override
  public String pipelineName() {
    return "default";
  }

  @Override
  public ImmutableSet<FindingKind> tolerated() {
    return ImmutableSet.of();
  }

  @Override
  public LoweredProblem lower(Method method, Analyses analyses, LoweringTarget target) {
    refuseCalledGraphs(method, NAME);
    Lifetimes lifetimes = analyses.lifetimes(method);
    int[] first = new int[method.tensors().size()];
    int[] last = new int[first.length];
    Arrays.setAll(first, lifetimes::first);
    Arrays.setAll(last, lifetimes::last);
    // What is not used lies in no lifetime, but may back what is used.
    for (int tensor = 0; tensor < first.length; tensor++) {
      if (!lifetimes.isUsed(tensor)) {
        first[tensor] = Integer.MAX_VALUE;
        last[tensor] = Integer.MIN_VALUE;
      }
    }
    StorageChains.widenBases(
        method,
        (base, inside) -> {
          first[base] = Math.min(first[base], first[inside]);
          last[base] = Math.max(last[base], last[inside]);
        });
    for (int tensor = 0; tensor < first.length; tensor++) {
      if (!lifetimes.isUsed(tensor)) {
        first[tensor] = lifetimes.first(tensor);
        last[tensor] = lifetimes.last(tensor);
      }
    }
    Set<Integer> planned = plannedStorages(method);
    Set<Integer> pins = new LinkedHashSet<>();
    planned.forEach(root -> method.get(MemoryKeys.PIN, root).ifPresent(pins::add));
    ProblemAssembly assembly = new ProblemAssembly(method, target, pins, firstStep());
    int[] bufferOfRoot = new int[method.tensors().size()];
    Arrays.fill(bufferOfRoot, PlanningProblem.UNPLACED_BASE);
    for (int root : planned) {
      Tensor tensor = method.tensor(root);
      int buffer =
          assembly.add(
              tensor.name(),
              tensor.type().bytes(),
              first[root],
              last[root],
              method.get(MemoryKeys.ORIGIN, root).orElse(root),
              root);
      bufferOfRoot[root] = buffer;
      method.get(MemoryKeys.PIN, root).ifPresent(memId -> assembly.pin(buffer, memId));
    }
    for (int root : planned) {
      Optional<Shares> shares = method.get(MemoryKeys.SHARES, root);
      if (shares.isPresent()) {
        int base = shares.get().base();
        if (bufferOfRoot[method.body().root(base)] == PlanningProblem.UNPLACED_BASE) {
          throw unplacedBase(method, root, method.body().root(base));
        }
        assembly.storage(
            bufferOfRoot[root],
            bufferOfRoot[method.body().root(base)],
            LongMath.saturatedAdd(shares.get().offsetBytes(), method.body().rootOffsetBytes(base)),
            shares.get().derived());
      }
    }
    return assembly.build();
  }

  /**
   * The storages that the plan provides, in the order in which nodes first yield or use them. State
   * and scratch may be used without a node that yields them.
   */
  private static Set<Integer> plannedStorages(Method method) {
    Allocation allocation = method.get(MemoryKeys.ALLOCATION).orElse(Allocation.ALL);
    boolean[] elsewhere = new boolean[method.tensors().size()];
    if (!allocation.inputs()) {
      for (int input : method.entry().inputs().asList()) {
        int root = method.body().root(input);
        elsewhere[root] |= method.tensor(root).state() == null;
      }
    }
    if (!allocation.outputs()) {
      for (int output : method.entry().outputs().asList()) {
        int root = method.body().root(output);
        elsewhere[root] |= method.tensor(root).state() == null;
      }
    }
    Set<Integer> planned = new LinkedHashSet<>();
    for (Node node : method.entry().nodes()) {
      for (Operand operand : node.operands()) {
        if (!operand.isHole()) {
          planned.add(method.body().root(operand.tensor()));
        }
      }
      node.results().forEach(result -> planned.add(method.body().root(result)));
    }
    planned.removeIf(root -> elsewhere[root] || !mayBePlanned(method, root, allocation));
    return planned;
  }

  /** Why a storage cannot lie in another that the plan does not provide. */
  private static DiagnosticException unplacedBase(Method method, int part, int base) {
    Tensor tensor = method.tensor(base);
    String why;
    String help;
    if (tensor.constant()) {
      why = "is a constant, whose bytes never change";
      help = "let it have bytes of its own";
    } else if (tensor.type().dynamism() == TensorType.Dynamism.UNBOUNDED) {
      why = "has no bound, so that the runtime allocates it";
      help = "give its shape a bound, or let what lies in it have bytes of its own";
    } else if (tensor.state() != null) {
      why = "is state that the plan does not provide, and must keep its value";
      help = "have the plan allocate state, or let what lies in it have bytes of its own";
    } else if (method.get(MemoryKeys.OWNER, base).isPresent()) {
      why = "is provided by somebody else, who may need its bytes";
      help = "let what lies in it have bytes of its own";
    } else if (method.entry().inputs().stream().anyMatch(in -> method.body().root(in) == base)) {
      why = "is an input that the caller provides and may need again";
      help = "have the plan allocate inputs, or let what lies in it have bytes of its own";
    } else if (method.entry().outputs().stream().anyMatch(out -> method.body().root(out) == base)) {
      why = "is an output that the caller provides";
      help = "have the plan allocate outputs, or let what lies in it have bytes of its own";
    } else {
      why = "is yielded and used by no node";
      help = "let what lies in it have bytes of its own";
    }
    return Diagnostic.of(
            Kinds.STORAGE_UNRESOLVED,
            Location.at(method.name()),
            Message.format(
                "tensor %s cannot lie in the bytes of %s, which %s",
                method.tensor(part).describe(), tensor.describe(), why))
        .help(help)
        .asException();
  }

  private static boolean mayBePlanned(Method method, int root, Allocation allocation) {
    Tensor tensor = method.tensor(root);
    return (!tensor.constant() || method.get(MemoryKeys.TRAINABLE, root).orElse(false))
        && tensor.type().dynamism() != TensorType.Dynamism.UNBOUNDED
        && method.get(MemoryKeys.OWNER, root).isEmpty()
        && (tensor.state() == null || allocation.state());
  }

  /** Fails where a node of a method runs graphs. */
  static void refuseCalledGraphs(Method method, String profile) {
    for (Node node : method.nodes()) {
      if (node.callsGraphs()) {
        throw Diagnostic.of(
                Kinds.INPUT_UNSUPPORTED,
                Location.at(method.name() + "/" + node.id() + " (" + node.op() + ")"),
                "profile " + profile + " cannot plan methods that run other graphs yet")
            .help("a .tflite can be planned with --pipeline tflm")
            .asException();
      }
    }
  }
}
