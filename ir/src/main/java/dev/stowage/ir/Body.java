package dev.stowage.ir;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;

/**
 * The structure of a method: its tensors and graphs, without annotations. Analyses are cached by
 * the identity of the body, so annotating a method keeps them.
 */
public final class Body {
  private final ImmutableList<Tensor> tensors;
  private final ImmutableList<Graph> graphs;
  private final int[] root;
  private final long[] rootOffset;

  Body(ImmutableList<Tensor> tensors, ImmutableList<Graph> graphs) {
    this.tensors = tensors;
    this.graphs = graphs;
    root = new int[tensors.size()];
    rootOffset = new long[tensors.size()];
    findRoots();
  }

  /** The tensor table, shared by all graphs of the method. */
  public ImmutableList<Tensor> tensors() {
    return tensors;
  }

  /** The graphs; the first is where the method begins. */
  public ImmutableList<Graph> graphs() {
    return graphs;
  }

  /** The tensor that owns the bytes of a tensor: the end of its chain of alias edges. */
  public int root(int tensor) {
    return root[tensor];
  }

  /** Where a tensor begins in the bytes of its root. */
  public long rootOffsetBytes(int tensor) {
    return rootOffset[tensor];
  }

  /** True for the same structure, whatever object holds it. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Body body && tensors.equals(body.tensors) && graphs.equals(body.graphs);
  }

  @Override
  public int hashCode() {
    return 31 * tensors.hashCode() + graphs.hashCode();
  }

  private void findRoots() {
    // 0: not seen, 1: on the current chain, 2: done. Chains may be long, so no recursion.
    byte[] state = new byte[tensors.size()];
    int[] chain = new int[tensors.size()];
    for (int start = 0; start < root.length; start++) {
      int length = 0;
      int at = start;
      while (state[at] == 0) {
        state[at] = 1;
        chain[length++] = at;
        Alias alias = tensors.get(at).alias();
        if (alias == null) {
          root[at] = at;
          state[at] = 2;
          length--;
        } else if (alias.base() < 0 || alias.base() >= root.length) {
          throw new IllegalArgumentException(
              "tensor %" + at + " is an alias of %" + alias.base() + ", which does not exist");
        } else {
          at = alias.base();
        }
      }
      if (state[at] == 1) {
        throw new IllegalArgumentException("alias edges form a cycle through tensor %" + at);
      }
      while (length > 0) {
        int tensor = chain[--length];
        Alias alias = requireNonNull(tensors.get(tensor).alias());
        root[tensor] = root[alias.base()];
        rootOffset[tensor] = Math.addExact(rootOffset[alias.base()], alias.offsetBytes());
        state[tensor] = 2;
      }
    }
  }
}
