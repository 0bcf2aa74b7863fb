package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import dev.stowage.base.Device;
import dev.stowage.ir.Alias;
import dev.stowage.ir.AnnotationKey;
import dev.stowage.ir.DType;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType.Dynamism;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Something that rules of pools may match: a storage, or the spec that ExecuTorch has for an
 * in-place result.
 *
 * @param tensor the storage's root, or the in-place result
 * @param key the annotation that pins it
 * @param name of the first handle to the bytes that a node yields
 * @param ops of the node that yields the bytes first and, where that only allocates or where there
 *     is none, of the node that fills them
 * @param bytes its size
 * @param roles what it is to its method; one, or both input and output
 */
record PoolCandidate(
    int tensor,
    AnnotationKey<Integer> key,
    String name,
    ImmutableList<String> ops,
    long bytes,
    ImmutableSet<PoolRole> roles,
    DType dtype,
    Device device) {

  /**
   * The candidates of a method, by id: what the plan provides and nodes use. Left out are constants
   * (unless training changes them), what has no bound, and what the caller or the runtime provides,
   * since no plan could follow a pin of theirs.
   */
  static ImmutableList<PoolCandidate> of(Method method) {
    return new Search(method).run();
  }

  /** Finds the candidates of one method. */
  private static final class Search {
    private final Method method;
    private final Allocation allocation;
    private final boolean[] used;

    /** By tensor, the operator that yields it. */
    private final @Nullable String[] op;

    /** By storage, the first tensor other than the root that is the same by another handle. */
    private final int[] filled;

    private final List<Set<PoolRole>> roles = new ArrayList<>();

    Search(Method method) {
      this.method = method;
      allocation = method.get(MemoryKeys.ALLOCATION).orElse(Allocation.ALL);
      int count = method.tensors().size();
      used = new boolean[count];
      op = new String[count];
      filled = new int[count];
      Arrays.fill(filled, -1);
      for (int tensor = 0; tensor < count; tensor++) {
        roles.add(EnumSet.noneOf(PoolRole.class));
      }
    }

    ImmutableList<PoolCandidate> run() {
      for (Node node : method.nodes()) {
        node.results().forEach(result -> take(node, method.tensor(result)));
        for (Operand operand : node.operands()) {
          if (!operand.isHole()) {
            used[method.body().root(operand.tensor())] = true;
          }
        }
      }
      method.entry().inputs().forEach(input -> roles.get(spec(input)).add(PoolRole.INPUT));
      method.entry().outputs().forEach(output -> roles.get(spec(output)).add(PoolRole.OUTPUT));
      for (Tensor tensor : method.tensors()) {
        if (tensor.state() != null) {
          roles.set(method.body().root(tensor.id()), EnumSet.of(PoolRole.STATE));
        }
      }
      ImmutableList.Builder<PoolCandidate> candidates = ImmutableList.builder();
      for (Tensor tensor : method.tensors()) {
        boolean inPlace = isInPlace(tensor);
        if ((tensor.alias() == null || inPlace)
            && used[method.body().root(tensor.id())]
            && isProvided(tensor, inPlace)) {
          candidates.add(candidate(tensor, inPlace));
        }
      }
      return candidates.build();
    }

    private void take(Node node, Tensor result) {
      op[result.id()] = node.op();
      used[method.body().root(result.id())] = true;
      Alias alias = result.alias();
      if (alias != null && alias.kind() == Alias.Kind.SAME && filled[alias.base()] < 0) {
        filled[alias.base()] = result.id();
      }
    }

    private static boolean isInPlace(Tensor tensor) {
      Alias alias = tensor.alias();
      return alias != null && alias.kind() == Alias.Kind.MUTATES;
    }

    /**
     * The storage of a handle, or the in-place result on the way to it, which is returned itself.
     */
    private int spec(int tensor) {
      int at = tensor;
      Alias alias = method.tensor(at).alias();
      while (alias != null && alias.kind() != Alias.Kind.MUTATES) {
        at = alias.base();
        alias = method.tensor(at).alias();
      }
      return at;
    }

    private boolean isProvided(Tensor tensor, boolean inPlace) {
      Set<PoolRole> own = roles.get(tensor.id());
      return (!tensor.constant() || method.get(MemoryKeys.TRAINABLE, tensor.id()).orElse(false))
          && tensor.type().dynamism() != Dynamism.UNBOUNDED
          && (inPlace || method.get(MemoryKeys.OWNER, tensor.id()).isEmpty())
          && (allocation.inputs() || !own.contains(PoolRole.INPUT))
          && (allocation.outputs() || !own.contains(PoolRole.OUTPUT))
          && (allocation.state() || !own.contains(PoolRole.STATE));
    }

    private PoolCandidate candidate(Tensor tensor, boolean inPlace) {
      String ownOp = op[tensor.id()];
      int same = filled[tensor.id()];
      ImmutableList.Builder<String> ops = ImmutableList.builder();
      if (ownOp != null) {
        ops.add(ownOp);
      }
      if (same >= 0 && (ownOp == null || ownOp.equals(Ops.ALLOC))) {
        String filling = op[same];
        if (filling != null) {
          ops.add(filling);
        }
      }
      boolean namedByHandle = ownOp == null && tensor.name().isEmpty() && same >= 0;
      Set<PoolRole> own = roles.get(tensor.id());
      return new PoolCandidate(
          tensor.id(),
          inPlace ? MemoryKeys.RESULT_PIN : MemoryKeys.PIN,
          namedByHandle ? method.tensor(same).name() : tensor.name(),
          ops.build(),
          tensor.type().bytes(),
          own.isEmpty() ? Sets.immutableEnumSet(PoolRole.INTERMEDIATE) : Sets.immutableEnumSet(own),
          tensor.type().dtype(),
          method.get(MemoryKeys.DEVICE, tensor.id()).orElse(Device.CPU));
    }
  }
}
