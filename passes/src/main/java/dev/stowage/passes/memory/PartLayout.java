package dev.stowage.passes.memory;

import dev.stowage.ir.Method;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which storages lie in one another's bytes and where: each at an offset in the outermost one, its
 * root. Storages go by their root tensors.
 */
final class PartLayout {
  private static final int OPEN = -2;
  private static final int NOT_SEEN = -1;

  private final int[] root;
  private final long[] offset;
  private final List<List<Integer>> members = new ArrayList<>();

  /** True for what lies in bytes in a way that makes no sense, which planning reports. */
  private final boolean[] broken;

  /** The layout that a method has. */
  PartLayout(Method method) {
    int count = method.tensors().size();
    root = new int[count];
    Arrays.fill(root, NOT_SEEN);
    offset = new long[count];
    broken = new boolean[count];
    for (int storage = 0; storage < count; storage++) {
      find(method, storage);
    }
    for (int storage = 0; storage < count; storage++) {
      members.add(new ArrayList<>());
    }
    for (int storage = 0; storage < count; storage++) {
      if (method.body().root(storage) == storage) {
        members.get(root[storage]).add(storage);
      }
    }
  }

  private void find(Method method, int start) {
    List<Integer> chain = new ArrayList<>();
    int at = start;
    while (root[at] == NOT_SEEN && method.get(MemoryKeys.SHARES, at).isPresent()) {
      root[at] = OPEN;
      chain.add(at);
      at = method.body().root(method.get(MemoryKeys.SHARES, at).get().base());
    }
    if (root[at] == OPEN) { // a circle
      chain.forEach(
          storage -> {
            root[storage] = storage;
            broken[storage] = true;
          });
      return;
    }
    root[at] = root[at] == NOT_SEEN ? at : root[at];
    for (int i = chain.size() - 1; i >= 0; i--) {
      int part = chain.get(i);
      Shares shares = method.get(MemoryKeys.SHARES, part).orElseThrow();
      int in = method.body().root(shares.base());
      root[part] = root[in];
      try {
        long inBase =
            Math.addExact(shares.offsetBytes(), method.body().rootOffsetBytes(shares.base()));
        offset[part] = Math.addExact(offset[in], inBase);
        long bytes = method.tensor(part).type().bytes();
        broken[part] = bytes < 0 || inBase < 0 || bytes > method.tensor(in).type().bytes() - inBase;
      } catch (ArithmeticException e) {
        broken[part] = true;
      }
      broken[part] |= broken[in];
    }
  }

  /** The storage in whose bytes a storage lies, itself where it has its own. */
  int root(int storage) {
    return root[storage];
  }

  /** Where a storage begins in its root. */
  long offsetBytes(int storage) {
    return offset[storage];
  }

  /** All that lies in the bytes of a root, with itself. */
  List<Integer> members(int ofRoot) {
    return members.get(ofRoot);
  }

  /** True if it is not known where a storage lies. */
  boolean isBroken(int storage) {
    return broken[storage];
  }

  /** Puts a root with all that lies in it into another root. */
  void move(int part, int into, long atBytes) {
    for (int member : members.get(part)) {
      root[member] = into;
      offset[member] = Math.addExact(offset[member], atBytes);
    }
    members.get(into).addAll(members.get(part));
    members.get(part).clear();
  }

  /** Takes back the last {@link #move}, of a root that had so many members. */
  void moveBack(int part, int from, long atBytes, int count) {
    List<Integer> all = members.get(from);
    List<Integer> moved = all.subList(all.size() - count, all.size());
    for (int member : moved) {
      root[member] = part;
      offset[member] -= atBytes;
    }
    members.get(part).addAll(moved);
    moved.clear();
  }
}
