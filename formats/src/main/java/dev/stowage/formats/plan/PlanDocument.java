package dev.stowage.formats.plan;

import dev.stowage.verifier.ClaimedPlan;
import java.util.Optional;

/**
 * The plan of a problem as a file claims it.
 *
 * @param name of the problem
 * @param plan the placements, by index of buffer; without any where the answer is an error
 * @param error why there is no plan, if so
 */
public record PlanDocument(String name, ClaimedPlan plan, Optional<PlanError> error) {}
