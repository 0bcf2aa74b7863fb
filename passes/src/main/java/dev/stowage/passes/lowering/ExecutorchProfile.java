package dev.stowage.passes.lowering;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableSet;
import dev.stowage.ir.Alias;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.FindingKind;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What ExecuTorch 1.5.1 plans, bit for bit: its specs (by {@link MemoryKeys#ORIGIN}), the lifetimes
 * that it computes, the order in which it collects them ({@code exir/memory_planning.py}).
 *
 * <p>Its specs are not storages. An in-place result has a spec of its own as long as the graph is
 * read: nodes that read it touch nothing, and where it is returned the spec is planned beside the
 * storage that it aliases. Both are reproduced here, and the verifier reports what comes of it.
 */
final class ExecutorchProfile implements Profile {
  @Override
  public String name() {
    return "executorch";
  }

  @Override
  public String summary() {
    return "the placements of ExecuTorch 1.5.1, also where its lifetimes are wrong";
  }

  @Override
  public String pipelineName() {
    return name();
  }

  @Override
  public ImmutableSet<FindingKind> tolerated() {
    return ImmutableSet.of(
        FindingKind.RESERVED_MISALIGNED,
        FindingKind.SIBLING_OVERLAP,
        FindingKind.IN_PLACE_OVERLAP,
        FindingKind.IN_PLACE_OUTPUT,
        FindingKind.IN_PLACE_CLOBBER,
        FindingKind.SIBLING_CLOBBER);
  }

  @Override
  public LoweredProblem lower(Method method, Analyses analyses, LoweringTarget target) {
    SoundProfile.refuseCalledGraphs(method, name());
    Specs specs = new Specs(method);
    Set<Integer> planned = specs.planned();
    Set<Integer> pins = new LinkedHashSet<>();
    planned.forEach(spec -> specs.pin(spec).ifPresent(pins::add));
    ProblemAssembly assembly = new ProblemAssembly(method, target, pins, firstStep());
    Map<Integer, Integer> bufferOfSpec = new HashMap<>();
    for (int spec : planned) {
      Tensor tensor = specs.tensor(spec);
      Lifetime lifetime = specs.lifetime(spec);
      int buffer =
          assembly.add(
              tensor.name(),
              tensor.type().bytes(),
              lifetime.first,
              lifetime.last,
              spec,
              isInPlace(tensor) ? LoweredProblem.NO_STORAGE : tensor.id());
      bufferOfSpec.put(spec, buffer);
      specs.pin(spec).ifPresent(memId -> assembly.pin(buffer, memId));
    }
    for (int spec : planned) {
      Tensor tensor = specs.tensor(spec);
      Optional<Shares> shares =
          isInPlace(tensor) ? Optional.empty() : method.get(MemoryKeys.SHARES, tensor.id());
      if (shares.isPresent()) {
        int base = method.body().root(shares.get().base());
        assembly.storage(
            requireNonNull(bufferOfSpec.get(spec)),
            bufferOfSpec.getOrDefault(specs.of(base), PlanningProblem.UNPLACED_BASE),
            shares.get().offsetBytes(),
            shares.get().derived());
      }
    }
    return assembly.build();
  }

  @Override
  public boolean reportsReferenceChecks() {
    return true;
  }

  /**
   * ExecuTorch's {@code verify_graph_input_output}. Constants and state are left out everywhere.
   * Each placeholder, and the output node, must be placed as a whole or not at all; the last
   * placeholder and the output node as their switch says, unless something unbounded is among them.
   */
  @Override
  public Optional<String> inputOutputCheck(Method method, LoweredProblem lowered) {
    Allocation allocation = method.get(MemoryKeys.ALLOCATION).orElse(Allocation.ALL);
    Specs specs = new Specs(method);
    Set<Integer> placed = new HashSet<>(lowered.numbers().asList());
    boolean passedThrough = specs.inputs.stream().anyMatch(specs.outputs::contains);
    if (passedThrough && allocation.inputs() != allocation.outputs()) {
      return Optional.of("ok");
    }
    InputOutputState inputState = new InputOutputState();
    InputOutputState outputState = new InputOutputState();
    for (Node node : method.entry().nodes()) {
      if (node.op().equals(Ops.INPUT)) {
        inputState.add(specs, node.results().asList(), placed);
      } else if (node.op().equals(Ops.OUTPUT)) {
        outputState.add(specs, method.entry().outputs().asList(), placed);
      }
    }
    boolean ok =
        inputState.agreesWith(allocation.inputs()) && outputState.agreesWith(allocation.outputs());
    return Optional.of(ok ? "ok" : "mismatch");
  }

  /** What the check knows of the placeholders, or of the output node. */
  private static final class InputOutputState {
    private boolean mixed;
    private boolean unbounded;
    private Optional<Boolean> lastPlaced = Optional.empty();

    /** Takes in one node. */
    void add(Specs specs, Iterable<Integer> tensors, Set<Integer> placed) {
      int placedHere = 0;
      int all = 0;
      for (int tensor : tensors) {
        int spec = specs.own(tensor);
        Tensor described = specs.tensor(spec);
        if (!described.constant() && !specs.state.contains(spec)) {
          all++;
          placedHere += placed.contains(spec) ? 1 : 0;
          unbounded |= described.type().dynamism() == TensorType.Dynamism.UNBOUNDED;
        }
      }
      if (all > 0) {
        mixed |= placedHere > 0 && placedHere < all;
        lastPlaced = Optional.of(placedHere > 0);
      }
    }

    boolean agreesWith(boolean allocated) {
      return !mixed && (unbounded || lastPlaced.isEmpty() || lastPlaced.get() == allocated);
    }
  }

  private static boolean isInPlace(Tensor tensor) {
    return tensor.alias() != null && tensor.alias().kind() == Alias.Kind.MUTATES;
  }

  private static final class Lifetime {
    private int first = Integer.MAX_VALUE;
    private int last = -1;

    void touch(int position) {
      first = Math.min(first, position);
      lengthen(position);
    }

    void lengthen(int position) {
      last = Math.max(last, position);
    }
  }

  /** The specs of a method, as ExecuTorch sees them. */
  private static final class Specs {
    private final Method method;

    /** The first tensor of each spec. */
    private final Map<Integer, Tensor> tensorOfSpec = new HashMap<>();

    private final Map<Integer, Lifetime> lifetimes = new LinkedHashMap<>();
    private final Set<Integer> inputs = new LinkedHashSet<>();
    private final Set<Integer> outputs = new LinkedHashSet<>();
    private final Set<Integer> state = new LinkedHashSet<>();

    Specs(Method method) {
      this.method = method;
      for (Tensor tensor : method.tensors()) {
        tensorOfSpec.putIfAbsent(of(tensor.id()), tensor);
      }
      int position = 0;
      int last = method.entry().nodes().size() - 1;
      for (Node node : method.entry().nodes()) {
        for (int result : node.results().asList()) {
          touchAsUsed(result, position);
          if (node.op().equals(Ops.INPUT)) {
            touch(of(result), 0);
            if (method.tensor(result).state() != null) {
              touch(of(result), last);
              state.add(of(result));
            } else {
              inputs.add(of(result));
            }
          }
        }
        for (Operand operand : node.operands()) {
          if (!operand.isHole()) {
            touchAsUsed(operand.tensor(), position);
            if (node.op().equals(Ops.OUTPUT)) {
              outputs.add(own(operand.tensor()));
              touch(own(operand.tensor()), position);
            }
          }
        }
        position++;
      }
      keepUntil();
      StorageChains.widenBases(
          method,
          (base, inside) -> {
            Lifetime lifetime = lifetimes.get(of(inside));
            if (lifetime != null) {
              touch(of(base), lifetime.first);
              touch(of(base), lifetime.last);
            }
          });
    }

    /** ExecuTorch has no such thing; what is asked of the bytes is asked of the storage's spec. */
    private void keepUntil() {
      if (!method.keys().contains(MemoryKeys.UNTIL)) {
        return;
      }
      Map<Integer, Integer> positions = new HashMap<>();
      method.entry().nodes().forEach(node -> positions.put(node.id(), positions.size()));
      for (Tensor tensor : method.tensors()) {
        Lifetime lifetime = lifetimes.get(of(tensor.id()));
        if (tensor.alias() == null && lifetime != null) {
          method
              .get(MemoryKeys.UNTIL, tensor.id())
              .ifPresent(node -> lifetime.lengthen(requireNonNull(positions.get(node))));
        }
      }
    }

    /** The number of a tensor's spec; what fills an allocated tensor has that one's. */
    int of(int tensor) {
      int at = tensor;
      Alias alias = method.tensor(at).alias();
      while (alias != null && alias.kind() == Alias.Kind.SAME) {
        at = alias.base();
        alias = method.tensor(at).alias();
      }
      int holder = alias == null ? at : tensor;
      return method.get(MemoryKeys.ORIGIN, holder).orElse(holder);
    }

    Tensor tensor(int spec) {
      return requireNonNull(tensorOfSpec.get(spec));
    }

    Lifetime lifetime(int spec) {
      return requireNonNull(lifetimes.get(spec));
    }

    Optional<Integer> pin(int spec) {
      Tensor tensor = tensor(spec);
      return method.get(isInPlace(tensor) ? MemoryKeys.RESULT_PIN : MemoryKeys.PIN, tensor.id());
    }

    /** The spec that the output node has for a tensor: recorded before in-place results alias. */
    int own(int tensor) {
      int at = tensor;
      Alias alias = method.tensor(at).alias();
      while (alias != null && alias.kind() == Alias.Kind.VIEW) {
        at = alias.base();
        alias = method.tensor(at).alias();
      }
      return of(at);
    }

    private void touchAsUsed(int tensor, int position) {
      Tensor used = method.tensor(tensor);
      Alias alias = used.alias();
      if (isInPlace(used)) {
        return; // an in-place node does not touch its result, nor does a node that reads it
      }
      boolean view = alias != null && alias.kind() == Alias.Kind.VIEW;
      touch(of(view ? method.body().root(tensor) : tensor), position);
    }

    private void touch(int spec, int position) {
      lifetimes.computeIfAbsent(spec, s -> new Lifetime()).touch(position);
    }

    /** The specs to plan, in collection order. */
    Set<Integer> planned() {
      Allocation allocation = method.get(MemoryKeys.ALLOCATION).orElse(Allocation.ALL);
      Set<Integer> planned = new LinkedHashSet<>();
      for (Node node : method.entry().nodes()) {
        for (int result : node.results().asList()) {
          // The base of a view was collected where it was yielded.
          Alias alias = method.tensor(result).alias();
          if (alias == null || alias.kind() == Alias.Kind.SAME) {
            addIfPlanned(of(result), allocation, planned);
          }
        }
        if (node.op().equals(Ops.OUTPUT)) {
          outputs.forEach(spec -> addIfPlanned(spec, allocation, planned));
        }
      }
      return planned;
    }

    private void addIfPlanned(int spec, Allocation allocation, Set<Integer> planned) {
      Tensor tensor = tensor(spec);
      // A spec may be state and output, or input and output: it is left out if any switch says so.
      boolean provided =
          (allocation.state() || !state.contains(spec))
              && (allocation.inputs() || !inputs.contains(spec))
              && (allocation.outputs() || !outputs.contains(spec));
      if (provided
          && (!tensor.constant() || method.get(MemoryKeys.TRAINABLE, tensor.id()).orElse(false))
          && tensor.type().dynamism() != TensorType.Dynamism.UNBOUNDED) {
        planned.add(spec);
      }
    }
  }
}
