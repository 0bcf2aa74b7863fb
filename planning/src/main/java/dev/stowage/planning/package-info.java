/**
 * Planning, free of graphs: a {@link dev.stowage.planning.PlanningProblem} of buffers and {@link
 * dev.stowage.planning.Arena}s, and the {@link dev.stowage.planning.MemoryPlan} that a strategy
 * makes of it.
 *
 * <p>The {@link dev.stowage.planning.Planner} is the way in: it finds a {@link
 * dev.stowage.planning.PlanningStrategy} by name, checks its {@link
 * dev.stowage.planning.StrategySpec} against the problem's {@link
 * dev.stowage.planning.Constraint}s, and runs it in a {@link dev.stowage.planning.PlanningContext};
 * a {@link dev.stowage.planning.PlanningOutcome} comes of it. {@link
 * dev.stowage.planning.LowerBounds} are what no plan can go below, {@link
 * dev.stowage.planning.Limits} the bounds of what may be asked. A {@link
 * dev.stowage.planning.PlanRequest} is what a file asks for.
 *
 * <p>{@link dev.stowage.planning.StorageBases} and {@link dev.stowage.planning.Alignment} are
 * arithmetic that strategies share. Those that come with Stowage are in {@code strategies}.
 */
@NullMarked
package dev.stowage.planning;

import org.jspecify.annotations.NullMarked;
