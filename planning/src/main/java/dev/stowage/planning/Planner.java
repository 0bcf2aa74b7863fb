package dev.stowage.planning;

import static com.google.common.base.Preconditions.checkState;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Message;
import dev.stowage.base.Options;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.PluginRegistry;
import dev.stowage.base.Plugins;
import dev.stowage.base.Workers;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

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
    return withStrategiesOf(Plugins.NONE);
  }

  /**
   * A planner with the strategies found on the class path and module path, and in plug-ins.
   *
   * @throws PluginFailedException if one cannot be loaded
   * @throws DiagnosticException of kind {@code plugin-clash} if two have one name
   */
  public static Planner withStrategiesOf(Plugins plugins) {
    return new Planner(
        plugins.providers(loader -> ServiceLoader.load(PlanningStrategy.class, loader)));
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
    Options.bind(call, strategies.get(call).spec().options());
  }

  /**
   * Plans a problem with one strategy.
   *
   * @throws PluginFailedException if the strategy has a defect
   */
  public PlanningOutcome plan(PlanningProblem problem, Call call) {
    return plan(problem, call, Deadline.NONE);
  }

  /**
   * Plans a problem with one strategy, which should answer before a deadline. One that does not
   * look at the clock is left behind on a thread of its own.
   *
   * @throws PluginFailedException if the strategy has a defect
   * @throws DiagnosticException of kind {@code deadline} if it does not answer in time
   */
  public PlanningOutcome plan(PlanningProblem problem, Call call, Deadline deadline) {
    PlanningOutcome outcome;
    try (Workers workers = new Workers(1, deadline, Workers.GRACE)) {
      outcome =
          workers.run(
              () -> run(call, problem, deadline), () -> expired(call, deadline).asException());
    }
    if (outcome instanceof PlanningOutcome.Planned planned) {
      for (Arena arena : problem.arenas()) {
        long size = planned.plan().arenaSizeBytes(arena.memId());
        if (size > arena.capacityBytes()) {
          return overCapacity(problem, arena, size, call);
        }
      }
    }
    return outcome;
  }

  private Diagnostic expired(Call call, Deadline deadline) {
    PlanningStrategy strategy = strategies.get(call);
    return deadline
        .missed(
            PluginFailedException.title("strategy", call.name(), strategy.getClass()),
            "did not end")
        .help("give more time, or another strategy");
  }

  /** True if a plan keeps every arena within its capacity. */
  public static boolean fits(PlanningProblem problem, MemoryPlan plan) {
    return problem.arenas().stream()
        .allMatch(arena -> plan.arenaSizeBytes(arena.memId()) <= arena.capacityBytes());
  }

  PlanningOutcome run(Call call, PlanningProblem problem, Deadline deadline) {
    PlanningStrategy strategy = strategies.get(call);
    StrategySpec spec = strategy.spec();
    Options options = Options.bind(call, spec.options());
    for (Constraint constraint : Sets.difference(problem.constraints(), spec.honours())) {
      return PlanningOutcome.gaveUp(
          Diagnostic.of(
                  constraint.refusal(),
                  "strategy " + spec.name() + " cannot plan " + constraint.summary())
              .help(whoHonours(constraint)),
          problem);
    }
    return PluginFailedException.guard(
        "strategy",
        spec.name(),
        strategy.getClass(),
        () ->
            checked(strategy.plan(problem, new PlanningContext(this, options, deadline)), problem));
  }

  private static PlanningOutcome checked(PlanningOutcome outcome, PlanningProblem problem) {
    checkState(outcome != null, "it returned null in place of an outcome");
    if (outcome instanceof PlanningOutcome.Planned planned) {
      checkState(
          planned.plan().bufferCount() == problem.bufferCount(),
          "it returned the plan of another problem");
    }
    return outcome;
  }

  private String whoHonours(Constraint constraint) {
    String names =
        strategies().stream()
            .filter(spec -> spec.honours().contains(constraint) && !spec.name().equals("suite"))
            .map(StrategySpec::name)
            .collect(Collectors.joining(", "));
    return names.isEmpty() ? "no strategy of this version can" : "strategies that can: " + names;
  }

  private static PlanningOutcome overCapacity(
      PlanningProblem problem, Arena arena, long size, Call call) {
    Diagnostic tooLarge =
        Diagnostic.of(
            Kinds.UNPLACEABLE,
            Message.format(
                "strategy %s needs %,d bytes in %s, which has %,d: %,d too many",
                call.name(), size, arena, arena.capacityBytes(), size - arena.capacityBytes()));
    LowerBounds bounds = LowerBounds.of(problem);
    long bound = bounds.byMemId()[arena.memId()];
    if (bound > arena.capacityBytes()) {
      return new PlanningOutcome.Infeasible(
          tooLarge
              .note(Message.format("no plan fits: %,d bytes must be there at one time", bound))
              .help(Message.format("enlarge it to %,d bytes or more", bound)));
    }
    return new PlanningOutcome.GaveUp(
        tooLarge
            .note(Message.format("the lower bound is %,d bytes", bound))
            .help("another strategy may need less"),
        bounds.totalBytes());
  }
}
