package dev.stowage.passes.analysis;

import dev.stowage.ir.Body;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Which tensors are handles to the same bytes. */
public final class Aliases {
  /** The fact as {@link Analyses} knows it. */
  public static final Analysis<Aliases> ANALYSIS =
      Analysis.of("aliases", (method, analyses) -> Aliases.of(method.body()));

  private final int[] rootByTensor;

  private Aliases(int[] rootByTensor) {
    this.rootByTensor = rootByTensor;
  }

  private static Aliases of(Body body) {
    int[] roots = new int[body.tensors().size()];
    Arrays.setAll(roots, body::root);
    return new Aliases(roots);
  }

  /** The tensor that owns the bytes. */
  public int root(int tensor) {
    return rootByTensor[tensor];
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Aliases aliases && Arrays.equals(rootByTensor, aliases.rootByTensor);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(rootByTensor);
  }
}
