package dev.stowage.passes.lowering;

import dev.stowage.ir.Method;
import dev.stowage.ir.memory.MemoryKeys;
import java.util.Arrays;

/** Chains of storages that lie inside one another, whoever provides their bytes. */
final class StorageChains {
  private static final int NO_BASE = -1;

  private StorageChains() {}

  /** Takes the lifetime of a storage into that of one whose bytes it lies in. */
  interface Widening {
    void widen(int base, int inside);
  }

  /**
   * Calls back for each storage that lies in another, with that one, after all that lies in it
   * itself, so that a base lives as long as all that it backs. Storages are named by their root
   * tensors.
   */
  static void widenBases(Method method, Widening widening) {
    int[] base = new int[method.tensors().size()];
    int[] partsLeft = new int[base.length];
    Arrays.fill(base, NO_BASE);
    for (int root = 0; root < base.length; root++) {
      if (method.body().root(root) == root && method.get(MemoryKeys.SHARES, root).isPresent()) {
        base[root] = method.body().root(method.get(MemoryKeys.SHARES, root).get().base());
        partsLeft[base[root]]++;
      }
    }
    boolean[] done = new boolean[base.length];
    for (int root = 0; root < base.length; root++) {
      for (int at = root; partsLeft[at] == 0 && !done[at] && base[at] != NO_BASE; at = base[at]) {
        widening.widen(base[at], at);
        done[at] = true;
        partsLeft[base[at]]--;
      }
    }
    // What is left lies in itself. That is reported where the problem is built; here all in such a
    // circle get one lifetime, by two rounds.
    for (int root = 0; root < base.length; root++) {
      if (partsLeft[root] > 0) {
        for (int round = 0; round < 2; round++) {
          int at = root;
          do {
            widening.widen(base[at], at);
            partsLeft[at] = 0;
            at = base[at];
          } while (at != root);
        }
      }
    }
  }
}
