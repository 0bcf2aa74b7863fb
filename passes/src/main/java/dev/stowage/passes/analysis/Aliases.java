package dev.stowage.passes.analysis;

import com.google.common.math.LongMath;
import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.ir.Body;
import dev.stowage.ir.Method;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which tensors are handles to the same bytes: views, in-place results and out arguments of one
 * storage, and storages that lie inside one another, whoever chose that. All that ends in one
 * outermost storage is a family.
 */
public final class Aliases {
  /** The fact as {@link Analyses} knows it. */
  public static final Analysis<Aliases> ANALYSIS =
      Analysis.of("aliases", (method, analyses) -> Aliases.of(method)).reading(MemoryKeys.SHARES);

  private static final int NOT_KNOWN = -1;

  private final int[] rootByTensor;
  private final int[] outermostByTensor;
  private final long[] offsetByTensor;
  private final ImmutableIntArray[] familyByTensor;

  private Aliases(
      int[] rootByTensor,
      int[] outermostByTensor,
      long[] offsetByTensor,
      ImmutableIntArray[] familyByTensor) {
    this.rootByTensor = rootByTensor;
    this.outermostByTensor = outermostByTensor;
    this.offsetByTensor = offsetByTensor;
    this.familyByTensor = familyByTensor;
  }

  private static Aliases of(Method method) {
    Body body = method.body();
    int count = body.tensors().size();
    int[] roots = new int[count];
    int[] outermost = new int[count];
    long[] offsets = new long[count];
    Arrays.setAll(roots, body::root);
    Arrays.fill(outermost, NOT_KNOWN);
    for (int tensor = 0; tensor < count; tensor++) {
      if (roots[tensor] == tensor) {
        follow(method, tensor, outermost, offsets);
      }
    }
    List<List<Integer>> families = new ArrayList<>(count);
    for (int tensor = 0; tensor < count; tensor++) {
      families.add(new ArrayList<>(1));
    }
    for (int tensor = 0; tensor < count; tensor++) {
      int root = roots[tensor];
      if (root == tensor) {
        families.get(outermost[root]).add(root);
      } else {
        outermost[tensor] = outermost[root];
        offsets[tensor] = LongMath.saturatedAdd(offsets[root], body.rootOffsetBytes(tensor));
      }
    }
    ImmutableIntArray[] frozen = new ImmutableIntArray[count];
    Arrays.setAll(frozen, tensor -> ImmutableIntArray.copyOf(families.get(tensor)));
    return new Aliases(roots, outermost, offsets, frozen);
  }

  /** Finds the outermost storage of one, and of all on the way; chains may be long. */
  private static void follow(Method method, int start, int[] outermost, long[] offsets) {
    List<Integer> chain = new ArrayList<>();
    int at = start;
    Optional<Shares> shares = method.get(MemoryKeys.SHARES, at);
    while (outermost[at] == NOT_KNOWN && shares.isPresent() && chain.size() < outermost.length) {
      chain.add(at);
      at = method.body().root(shares.get().base());
      shares = method.get(MemoryKeys.SHARES, at);
    }
    if (outermost[at] == NOT_KNOWN) {
      outermost[at] = at;
    }
    for (int i = chain.size() - 1; i >= 0; i--) {
      int storage = chain.get(i);
      if (outermost[storage] == NOT_KNOWN) {
        Shares in = method.get(MemoryKeys.SHARES, storage).orElseThrow();
        int base = method.body().root(in.base());
        outermost[storage] = outermost[base];
        offsets[storage] =
            LongMath.saturatedAdd(
                offsets[base],
                LongMath.saturatedAdd(method.body().rootOffsetBytes(in.base()), in.offsetBytes()));
      }
    }
  }

  /** The tensor that owns the bytes. */
  public int root(int tensor) {
    return rootByTensor[tensor];
  }

  /**
   * The storage in which the bytes of a tensor lie in the end, over the whole chain of storages;
   * one of them where they lie in one another in a circle, which no plan can have.
   */
  public int outermost(int tensor) {
    return outermostByTensor[tensor];
  }

  /** Where a tensor begins in its outermost storage, in bytes, as declared. */
  public long offsetBytes(int tensor) {
    return offsetByTensor[tensor];
  }

  /** The storages of which an outermost storage is the end, itself included, by id. */
  public ImmutableIntArray family(int outermost) {
    return familyByTensor[outermost];
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Aliases aliases
        && Arrays.equals(rootByTensor, aliases.rootByTensor)
        && Arrays.equals(outermostByTensor, aliases.outermostByTensor)
        && Arrays.equals(offsetByTensor, aliases.offsetByTensor);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(outermostByTensor) + Arrays.hashCode(offsetByTensor);
  }
}
