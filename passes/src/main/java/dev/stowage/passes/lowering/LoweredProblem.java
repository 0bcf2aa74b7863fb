package dev.stowage.passes.lowering;

import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.planning.PlanningProblem;

/**
 * A planning problem and what its buffers stand for.
 *
 * @param problem what a strategy plans
 * @param numbers the number of each buffer's tensor in the source, by buffer
 * @param storages the id of the tensor whose bytes each buffer is, by buffer; {@link #NO_STORAGE}
 *     for a buffer that no bytes of the program go to
 */
public record LoweredProblem(
    PlanningProblem problem, ImmutableIntArray numbers, ImmutableIntArray storages) {
  /**
   * ExecuTorch plans the separate spec of a returned in-place result, but nothing uses its place.
   */
  public static final int NO_STORAGE = -1;
}
