package dev.stowage.passes.analysis;

import dev.stowage.ir.Body;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes are live at each position, whoever provides them: of all storages but constants
 * and those without a known size.
 */
public final class Liveness {
  /** The fact as {@link Analyses} knows it. */
  public static final Analysis<Liveness> ANALYSIS =
      Analysis.of(
          "liveness",
          (method, analyses) ->
              Liveness.of(method.body(), analyses.lifetimes(method), analyses.schedule(method)));

  private final Body body;
  private final Lifetimes lifetimes;
  private final long[] liveBytes;
  private final int peak;

  private Liveness(Body body, Lifetimes lifetimes, long[] liveBytes, int peak) {
    this.body = body;
    this.lifetimes = lifetimes;
    this.liveBytes = liveBytes;
    this.peak = peak;
  }

  private static Liveness of(Body body, Lifetimes lifetimes, Schedule schedule) {
    long[] change = new long[schedule.last() + 2];
    for (Tensor tensor : body.tensors()) {
      if (counts(body, lifetimes, tensor)) {
        change[lifetimes.first(tensor.id())] += tensor.type().bytes();
        change[lifetimes.last(tensor.id()) + 1] -= tensor.type().bytes();
      }
    }
    long[] live = new long[schedule.last() + 1];
    int peak = 0;
    long sum = 0;
    for (int i = 0; i < live.length; i++) {
      sum = Math.addExact(sum, change[i]);
      live[i] = sum;
      peak = sum > live[peak] ? i : peak;
    }
    return new Liveness(body, lifetimes, live, peak);
  }

  /** Bytes live at a position, unrounded. */
  public long liveBytes(int position) {
    return liveBytes[position];
  }

  /** First position at which most bytes are live. */
  public int peak() {
    return peak;
  }

  /** Ids of the tensors whose storages are live at a position, in order. */
  public int[] liveAt(int position) {
    return body.tensors().stream()
        .filter(
            tensor ->
                counts(body, lifetimes, tensor)
                    && lifetimes.first(tensor.id()) <= position
                    && position <= lifetimes.last(tensor.id()))
        .mapToInt(Tensor::id)
        .toArray();
  }

  /** True if as many bytes are live at each position, with the same lifetimes. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Liveness liveness
        && Arrays.equals(liveBytes, liveness.liveBytes)
        && lifetimes.equals(liveness.lifetimes);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(liveBytes) + lifetimes.hashCode();
  }

  private static boolean counts(Body body, Lifetimes lifetimes, Tensor tensor) {
    return body.root(tensor.id()) == tensor.id()
        && !tensor.constant()
        && tensor.type().bytes() != TensorType.UNKNOWN
        && lifetimes.isUsed(tensor.id());
  }
}
