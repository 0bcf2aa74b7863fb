package dev.stowage.passes.lowering;

import dev.stowage.ir.Method;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import java.util.Optional;

/** Chains of storages that lie inside one another, whoever provides their bytes. */
final class StorageChains {
  private StorageChains() {}

  /** Takes the lifetime of a storage into that of one whose bytes it lies in. */
  interface Widening {
    void widen(int base, int inside);
  }

  /**
   * Calls back for each storage that lies in another, with every one up its chain, so that a base
   * lives as long as all that it backs. Storages are named by their root tensors.
   */
  static void widenBases(Method method, Widening widening) {
    for (Tensor tensor : method.tensors()) {
      int root = tensor.id();
      if (method.body().root(root) != root) {
        continue;
      }
      Optional<Integer> base = base(method, root);
      // A cycle is reported where the problem is built; here it only has to end.
      for (int steps = 0; base.isPresent() && steps < method.tensors().size(); steps++) {
        widening.widen(base.get(), root);
        base = base(method, base.get());
      }
    }
  }

  private static Optional<Integer> base(Method method, int root) {
    return method
        .get(MemoryKeys.SHARES, root)
        .map(Shares::base)
        .map(tensor -> method.body().root(tensor));
  }
}
