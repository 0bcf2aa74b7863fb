package dev.stowage.formats.plan;

import dev.stowage.verifier.ClaimedPlan;
import java.util.Optional;

/**
 * The plan of a problem as a file claims it.
 *
 * @param name of the problem
 * @param strategy the call that made it, as text; empty if the file does not say
 * @param alignment in bytes; 0 if the file does not say
 * @param plan the placements, by index of buffer; without any where the answer is an error
 * @param error why there is no plan, if so
 */
public record PlanDocument(
    String name, String strategy, int alignment, ClaimedPlan plan, Optional<PlanError> error) {}
