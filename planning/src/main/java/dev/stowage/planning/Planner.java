package dev.stowage.planning;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Message;
import dev.stowage.base.Options;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.PluginRegistry;
import java.util.ServiceLoader;

/**
 * The front door to the strategies: finds one by name, checks its options and the problem's
 * constraints, runs it, and refuses a plan that is larger than an arena.
 */
public final class Planner {
  private final PluginRegistry<PlanningStrategy> strategies;

  /** A planner with the given strategies. */
  public Planner(Iterable<PlanningStrategy> strategies) {
    this.strategies =
        new PluginRegistry<>(
            "strategy", Kinds.UNKNOWN_STRATEGY, strategies, strategy -> strategy.spec().name());
  }

  /** A planner with the strategies found on the class path and module path. */
  public static Planner withInstalledStrategies() {
    return new Planner(ServiceLoader.load(PlanningStrategy.class));
  }

  /**
   * The strategy for a problem where nobody says one.
   *
   * @param hasMap true if the memories to use are those of a memory map
   */
  public static Call defaultCall(boolean hasMap) {
    return Call.of(hasMap ? "banked-greedy" : "greedy");
  }

  /** The declarations of all strategies, sorted by name. */
  public ImmutableList<StrategySpec> strategies() {
    return strategies.all().stream()
        .map(PlanningStrategy::spec)
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Checks a call without running it.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code unknown-strategy}, {@code
   *     unknown-option} or {@code option-value}
   */
  public void check(Call call) {
    Options.bind(call, strategies.get(call.name()).spec().options());
  }

  /**
   * Plans a problem with one strategy.
   *
   * @throws PluginFailedException if the strategy has a defect
   */
  public PlanningOutcome plan(PlanningProblem problem, Call call) {
    PlanningOutcome outcome = run(call, problem);
    if (outcome instanceof PlanningOutcome.Planned planned) {
      for (Arena arena : problem.arenas()) {
        long size = planned.plan().arenaSizeBytes(arena.memId());
        if (size > arena.capacityBytes()) {
          return PlanningOutcome.gaveUp(overCapacity(arena, size, call), problem);
        }
      }
    }
    return outcome;
  }

  /** True if a plan keeps every arena within its capacity. */
  public static boolean fits(PlanningProblem problem, MemoryPlan plan) {
    return problem.arenas().stream()
        .allMatch(arena -> plan.arenaSizeBytes(arena.memId()) <= arena.capacityBytes());
  }

  PlanningOutcome run(Call call, PlanningProblem problem) {
    PlanningStrategy strategy = strategies.get(call.name());
    StrategySpec spec = strategy.spec();
    Options options = Options.bind(call, spec.options());
    for (Constraint constraint : Sets.difference(problem.constraints(), spec.honours())) {
      return PlanningOutcome.gaveUp(
          Diagnostic.of(
                  constraint.refusal(),
                  "strategy " + spec.name() + " cannot plan " + constraint.summary())
              .help("choose a strategy that does, such as greedy or banked-greedy"),
          problem);
    }
    try {
      return strategy.plan(problem, new PlanningContext(this, options));
    } catch (DiagnosticException | PluginFailedException e) {
      throw e;
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      throw new PluginFailedException("strategy", spec.name(), strategy.getClass(), e);
    }
  }

  private static Diagnostic overCapacity(Arena arena, long size, Call call) {
    return Diagnostic.of(
            Kinds.UNPLACEABLE,
            Message.format(
                "strategy %s needs %,d bytes in %s, which has %,d: %,d too many",
                call.name(), size, arena, arena.capacityBytes(), size - arena.capacityBytes()))
        .help("another strategy may need less; the lower bound says what is possible");
  }
}
