package dev.stowage.planning.strategies;

import com.google.common.collect.ImmutableSet;
import dev.stowage.planning.Constraint;
import java.util.EnumSet;

/** Sets of constraints that several strategies declare. */
final class Constraints {
  /** All that says where buffers may lie. */
  static final ImmutableSet<Constraint> ALL_BUT_OBJECTIVE = allBut(Constraint.OBJECTIVE);

  /** Addresses are nothing to them, and to nobody without alignments of single buffers. */
  private static final ImmutableSet<Constraint> OF_EXECUTORCH =
      ImmutableSet.of(
          Constraint.STORAGE,
          Constraint.PINNED_ARENA,
          Constraint.ARENA_ALIGNMENT,
          Constraint.BASE_ADDRESS);

  private Constraints() {}

  /** All constraints but some. */
  static ImmutableSet<Constraint> allBut(Constraint first, Constraint... others) {
    return ImmutableSet.copyOf(EnumSet.complementOf(EnumSet.of(first, others)));
  }

  /** True if ExecuTorch's planners know everything that a problem asks. */
  static boolean areThoseOfExecutorch(ImmutableSet<Constraint> constraints) {
    return OF_EXECUTORCH.containsAll(constraints);
  }
}
