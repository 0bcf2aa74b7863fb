package dev.stowage.passes.analysis;

import dev.stowage.ir.Alias;
import dev.stowage.ir.Body;
import dev.stowage.ir.Tensor;

/** Which tensors are handles to the same bytes, and which bytes an in-place operator writes. */
public final class Aliases {
  private final Body body;
  private final boolean[] mutated;

  private Aliases(Body body, boolean[] mutated) {
    this.body = body;
    this.mutated = mutated;
  }

  static Aliases of(Body body) {
    boolean[] mutated = new boolean[body.tensors().size()];
    for (Tensor tensor : body.tensors()) {
      if (tensor.alias() != null && tensor.alias().kind() == Alias.Kind.MUTATES) {
        mutated[body.root(tensor.id())] = true;
      }
    }
    return new Aliases(body, mutated);
  }

  /** The tensor that owns the bytes. */
  public int root(int tensor) {
    return body.root(tensor);
  }

  /** True if an in-place operator writes the bytes of a tensor. */
  public boolean isMutated(int tensor) {
    return mutated[body.root(tensor)];
  }

  /** True if a tensor owns its bytes. */
  public boolean ownsBytes(int tensor) {
    return body.root(tensor) == tensor;
  }
}
