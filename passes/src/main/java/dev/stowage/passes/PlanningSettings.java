package dev.stowage.passes;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.memmap.OperatorRule;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.Planner;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What the caller and the file ask of planning, whatever the pipeline is.
 *
 * @param planner knows the strategies
 * @param request what the file asks for
 * @param map the banks to plan for; without one there is a single arena
 * @param strategy beats the pipeline's and the file's
 * @param alignment in bytes; beats the pipeline's and the file's
 * @param capacity of the single arena in bytes, where there is no map
 * @param operatorRules what the target says of the tensors of operators
 */
public record PlanningSettings(
    Planner planner,
    PlanRequest request,
    Optional<MemoryMap> map,
    Optional<Call> strategy,
    OptionalInt alignment,
    OptionalLong capacity,
    ImmutableList<OperatorRule> operatorRules) {
  /** Settings for which the target says nothing of operators. */
  public PlanningSettings(
      Planner planner,
      PlanRequest request,
      Optional<MemoryMap> map,
      Optional<Call> strategy,
      OptionalInt alignment,
      OptionalLong capacity) {
    this(planner, request, map, strategy, alignment, capacity, ImmutableList.of());
  }
}
