package dev.stowage.passes.analysis;

import com.google.common.collect.ImmutableList;
import dev.stowage.ir.Body;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.memory.MemoryKeys;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * When the bytes of each tensor are in use: from the first node that yields or uses a handle to
 * them to the last, both inclusive, in positions of the graph where the method begins. Inputs begin
 * at 0, whatever their position; state that is used at all lasts from the first node to the last.
 * {@link MemoryKeys#UNTIL} lengthens what is used.
 *
 * <p>For methods without called graphs.
 */
public final class Lifetimes {
  /** The fact as {@link Analyses} knows it. */
  public static final Analysis<Lifetimes> ANALYSIS =
      Analysis.of(
              "lifetimes", (method, analyses) -> Lifetimes.of(method, analyses.schedule(method)))
          .reading(MemoryKeys.UNTIL);

  private static final int NEVER = -1;

  private final Body body;
  private final int[] first;
  private final int[] last;

  private Lifetimes(Body body, int[] first, int[] last) {
    this.body = body;
    this.first = first;
    this.last = last;
  }

  private static Lifetimes of(Method method, Schedule schedule) {
    Body body = method.body();
    int[] first = new int[body.tensors().size()];
    int[] last = new int[first.length];
    Arrays.fill(first, NEVER);
    Arrays.fill(last, NEVER);
    Lifetimes lifetimes = new Lifetimes(body, first, last);
    Graph entry = body.graphs().get(0);
    int position = 0;
    for (Node node : entry.nodes()) {
      for (int result : node.results().asList()) {
        if (node.op().equals(Ops.INPUT)) {
          lifetimes.touch(result, 0);
        }
        lifetimes.touch(result, position);
      }
      for (Operand operand : node.operands()) {
        if (!operand.isHole()) {
          lifetimes.touch(operand.tensor(), position);
        }
      }
      position++;
    }
    for (Tensor tensor : body.tensors()) {
      if (tensor.state() != null && lifetimes.isUsed(tensor.id())) {
        lifetimes.touch(tensor.id(), 0);
        lifetimes.touch(tensor.id(), schedule.last());
      }
    }
    if (method.keys().contains(MemoryKeys.UNTIL)) {
      lifetimes.lengthen(method, schedule);
    }
    return lifetimes;
  }

  private void lengthen(Method method, Schedule schedule) {
    ImmutableList<Node> entry = method.entry().nodes();
    for (int root = 0; root < last.length; root++) {
      int node = method.get(MemoryKeys.UNTIL, root).orElse(NEVER);
      if (node == NEVER || body.root(root) != root || first[root] == NEVER) {
        continue;
      }
      int position = schedule.position(node);
      // Nodes of other graphs are on clocks of their own.
      if (position < entry.size() && entry.get(position).id() == node) {
        last[root] = Math.max(last[root], position);
      }
    }
  }

  /** True if a node yields or uses the bytes of a tensor. */
  public boolean isUsed(int tensor) {
    return first[body.root(tensor)] != NEVER;
  }

  /** First position at which the bytes of a tensor are in use, or -1. */
  public int first(int tensor) {
    return first[body.root(tensor)];
  }

  /** Last position at which the bytes of a tensor are in use, or -1. */
  public int last(int tensor) {
    return last[body.root(tensor)];
  }

  /** True if all tensors have the same lifetimes. */
  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof Lifetimes lifetimes) || first.length != lifetimes.first.length) {
      return false;
    }
    for (int tensor = 0; tensor < first.length; tensor++) {
      if (first(tensor) != lifetimes.first(tensor) || last(tensor) != lifetimes.last(tensor)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(first) + Arrays.hashCode(last);
  }

  private void touch(int tensor, int position) {
    int root = body.root(tensor);
    first[root] = first[root] == NEVER ? position : Math.min(first[root], position);
    last[root] = Math.max(last[root], position);
  }
}
