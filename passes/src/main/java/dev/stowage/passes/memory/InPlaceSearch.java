package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Device;
import dev.stowage.base.Message;
import dev.stowage.ir.Alias;
import dev.stowage.ir.AnnotationKey;
import dev.stowage.ir.Graph;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.TensorType.Dynamism;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import dev.stowage.passes.analysis.Aliases;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Finds results that may take the bytes of an operand, node by node in the order of each graph.
 *
 * <p>Bytes are looked at in families: all storages that lie in one outermost storage. A result may
 * take the bytes of an operand where no member of its family that has some of those bytes is
 * accessed after the node. As nodes are visited in order, members that are dead at one node are so
 * at all later ones of the graph, and are forgotten; so the search takes time in proportion to the
 * method.
 */
final class InPlaceSearch {
  private static final ImmutableList<AnnotationKey<?>> CONSTRAINTS =
      ImmutableList.of(
          MemoryKeys.PIN,
          MemoryKeys.FIXED_OFFSET,
          MemoryKeys.NOT_ARENAS,
          MemoryKeys.ALIGN,
          MemoryKeys.OVER_READ);

  private final Method method;
  private final ImmutableSet<String> ops;
  private final Allocation allocation;
  private final GraphUses uses;
  private final GraphEditor editor;

  /** By storage: the outermost one, where it begins there in bytes, and by outermost all in it. */
  private final int[] outermost;

  private final long[] offset;
  private final List<List<Integer>> family = new ArrayList<>();

  private final boolean[] isInput;
  private final boolean[] isOutput;
  private final List<String> report = new ArrayList<>();
  private int reused;
  private long reusedBytes;

  InPlaceSearch(Method method, ImmutableSet<String> ops, Aliases aliases) {
    this.method = method;
    this.ops = ops;
    allocation = method.get(MemoryKeys.ALLOCATION).orElse(Allocation.ALL);
    uses = GraphUses.of(method);
    editor = method.edit();
    int count = method.tensors().size();
    outermost = new int[count];
    offset = new long[count];
    Arrays.setAll(outermost, aliases::outermost);
    Arrays.setAll(offset, aliases::offsetBytes);
    for (int tensor = 0; tensor < count; tensor++) {
      family.add(new ArrayList<>(aliases.family(tensor).asList()));
    }
    isInput = new boolean[count];
    isOutput = new boolean[count];
    for (Graph graph : method.body().graphs()) {
      graph.inputs().forEach(input -> isInput[root(input)] = true);
      graph.outputs().forEach(output -> isOutput[root(output)] = true);
    }
  }

  /** The method with the results that take the bytes of operands as their derived parts. */
  Method run() {
    for (int index = 0; index < method.body().graphs().size(); index++) {
      Graph graph = method.body().graphs().get(index);
      // Where nodes jump, what is dead depends on the way that is taken.
      if (graph.nodes().stream().noneMatch(node -> node.target() >= 0)) {
        for (int position = 0; position < graph.nodes().size(); position++) {
          visit(graph.nodes().get(position), index, position);
        }
      }
    }
    return editor.build();
  }

  /** How many results take the bytes of an operand. */
  int reused() {
    return reused;
  }

  /** The sum of their bytes. */
  long reusedBytes() {
    return reusedBytes;
  }

  /** What takes whose bytes, and why others do not, a line each. */
  ImmutableList<String> report() {
    return ImmutableList.copyOf(report);
  }

  private void visit(Node node, int graph, int position) {
    if (!ops.contains(node.op()) || node.results().length() != 1) {
      return;
    }
    int result = node.results().get(0);
    String what = "node " + node.id() + " (" + node.op() + "), " + describe(result);
    Optional<String> stays = whyApart(result, graph, position);
    if (stays.isPresent()) {
      report.add(what + " stays apart: it " + stays.get());
      return;
    }
    List<String> reasons = new ArrayList<>();
    for (Operand operand : node.operands()) {
      if (operand.isHole()
          || operand.access() != Access.READ
          || root(operand.tensor()) == root(result)) {
        continue;
      }
      int tensor = operand.tensor();
      Optional<String> kept = whyKept(node, result, tensor, graph, position);
      if (kept.isEmpty()) {
        take(root(result), tensor);
        report.add(
            Message.format(
                "%s takes the %,d bytes of %s",
                what, method.tensor(tensor).type().bytes(), describe(tensor)));
        return;
      }
      reasons.add(describe(tensor) + " " + kept.get());
    }
    report.add(
        what
            + " stays apart: "
            + (reasons.isEmpty() ? "it reads nothing" : String.join(", ", reasons)));
  }

  private void take(int result, int operand) {
    editor.annotate(
        result, MemoryKeys.SHARES, new Shares(operand, /* offsetBytes= */ 0, /* derived= */ true));
    int to = outermost[root(operand)];
    long at = offsetOf(operand);
    for (int member : family.get(result)) {
      outermost[member] = to;
      offset[member] += at;
    }
    family.get(to).addAll(family.get(result));
    reused++;
    reusedBytes = Math.addExact(reusedBytes, method.tensor(result).type().bytes());
  }

  /** Why a result cannot take any bytes but its own. */
  private Optional<String> whyApart(int result, int graph, int position) {
    int root = root(result);
    Tensor tensor = method.tensor(root);
    Alias alias = method.tensor(result).alias();
    if (alias != null && alias.kind() != Alias.Kind.SAME) {
      return Optional.of("is a handle to the bytes of " + describe(root) + " already");
    }
    if (outermost[root] != root) {
      return Optional.of("lies in " + describe(outermost[root]) + " already");
    }
    if (tensor.constant()
        || tensor.state() != null
        || method.get(MemoryKeys.OWNER, root).isPresent()) {
      return Optional.of("has bytes that the plan does not choose");
    }
    if (isOutput[root] && !allocation.outputs()) {
      return Optional.of("is an output, and the caller provides outputs");
    }
    if (isInput[root]) {
      return Optional.of("is an input");
    }
    if (tensor.type().dynamism() != Dynamism.STATIC
        || !isWhole(result)
        || tensor.type().bytes() == 0) {
      return Optional.of("is no whole storage of a size that never changes");
    }
    for (int member : family.get(root)) {
      if (uses.graph(member) != GraphUses.NO_GRAPH
          && (uses.graph(member) != graph || uses.first(member) < position)) {
        return Optional.of("has bytes that are in use before");
      }
    }
    return Optional.empty();
  }

  /** Why an operand must keep its bytes from a result. */
  private Optional<String> whyKept(Node node, int result, int operand, int graph, int position) {
    TensorType type = method.tensor(operand).type();
    TensorType wanted = method.tensor(root(result)).type();
    if (type.dynamism() != Dynamism.STATIC
        || type.bytes() != wanted.bytes()
        || type.dtype() != wanted.dtype()) {
      return Optional.of("has another size or type");
    }
    int base = outermost[root(operand)];
    Optional<String> owned = whyNotOurs(base);
    if (owned.isPresent()) {
      return owned;
    }
    long from = offsetOf(operand);
    Iterator<Integer> members = family.get(base).iterator();
    while (members.hasNext()) {
      int member = members.next();
      boolean here = uses.graph(member) == graph;
      if (uses.graph(member) == GraphUses.NO_GRAPH || (here && uses.last(member) < position)) {
        if (member != base) {
          members.remove();
        }
      } else if (overlaps(member, from, type.bytes()) && !(here && uses.last(member) == position)) {
        return Optional.of(
            here
                ? "is read later" + (member == root(operand) ? "" : ", as " + describe(member))
                : "is used by other graphs");
      }
    }
    for (Operand other : node.operands()) {
      if (!other.isHole()
          && other.access() == Access.READ
          && outermost[root(other.tensor())] == base
          && overlapsPartly(other.tensor(), from, type.bytes())) {
        return Optional.of("has bytes that are read as " + describe(other.tensor()) + " as well");
      }
    }
    return whyConstrained(root(result), base);
  }

  /** Why the bytes of an outermost storage may not be overwritten. */
  private Optional<String> whyNotOurs(int base) {
    Tensor tensor = method.tensor(base);
    if (tensor.constant()) {
      return Optional.of("is a constant");
    }
    if (tensor.state() != null) {
      return Optional.of("is state");
    }
    if (method.get(MemoryKeys.OWNER, base).isPresent()) {
      return Optional.of("is not the plan's");
    }
    if (isInput[base] && !method.get(MemoryKeys.DONATED, base).orElse(false)) {
      return Optional.of("is an input that is not donated");
    }
    boolean callers =
        (isInput[base] && !allocation.inputs()) || (isOutput[base] && !allocation.outputs());
    return callers || tensor.type().dynamism() == Dynamism.UNBOUNDED
        ? Optional.of("is not the plan's")
        : Optional.empty();
  }

  private Optional<String> whyConstrained(int result, int base) {
    Device device = method.get(MemoryKeys.DEVICE, result).orElse(Device.CPU);
    if (!device.equals(method.get(MemoryKeys.DEVICE, base).orElse(Device.CPU))) {
      return Optional.of("is on another device");
    }
    for (AnnotationKey<?> key : CONSTRAINTS) {
      Optional<?> asked = method.get(key, result);
      if (asked.isPresent() && !asked.equals(method.get(key, base))) {
        return Optional.of("is not asked to meet the result's " + key);
      }
    }
    return Optional.empty();
  }

  private boolean overlaps(int member, long from, long bytes) {
    long size = method.tensor(member).type().bytes();
    return size == TensorType.UNKNOWN
        || (offset[member] < from + bytes && from < offset[member] + size);
  }

  private boolean overlapsPartly(int tensor, long from, long bytes) {
    long at = offsetOf(tensor);
    long size = method.tensor(tensor).type().bytes();
    return at < from + bytes && from < at + size && (at != from || size != bytes);
  }

  private boolean isWhole(int tensor) {
    return method.body().rootOffsetBytes(tensor) == 0
        && method.tensor(tensor).type().bytes() == method.tensor(root(tensor)).type().bytes();
  }

  private long offsetOf(int tensor) {
    return offset[root(tensor)] + method.body().rootOffsetBytes(tensor);
  }

  private int root(int tensor) {
    return method.body().root(tensor);
  }

  private String describe(int tensor) {
    return method.tensor(tensor).describe();
  }
}
