package dev.stowage.planning;

import dev.stowage.base.Call;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a file itself asks for, or a caller beside it.
 *
 * @param strategy the strategy to use; empty for the default
 * @param alignment of offsets and sizes in bytes; empty for the default
 * @param inputs whether the plan provides the inputs of methods
 * @param outputs whether the plan provides the outputs of methods
 * @param state whether the plan provides what lives from one run to the next
 */
public record PlanRequest(
    Optional<Call> strategy,
    OptionalInt alignment,
    boolean inputs,
    boolean outputs,
    boolean state) {
  /** Asks for nothing: default strategy and alignment, everything provided by the plan. */
  public static final PlanRequest DEFAULT =
      new PlanRequest(Optional.empty(), OptionalInt.empty(), true, true, true);

  /** The same with a strategy. */
  public PlanRequest withStrategy(Call newStrategy) {
    return new PlanRequest(Optional.of(newStrategy), alignment, inputs, outputs, state);
  }

  /** The same with an alignment in bytes. */
  public PlanRequest withAlignment(int newAlignment) {
    return new PlanRequest(strategy, OptionalInt.of(newAlignment), inputs, outputs, state);
  }
}
