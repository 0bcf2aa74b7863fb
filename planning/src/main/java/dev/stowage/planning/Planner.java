package dev.stowage.planning;

import static com.google.common.base.Preconditions.checkState;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Message;
import dev.stowage.base.Options;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.PluginRegistry;
import dev.stowage.base.Plugins;
import dev.stowage.base.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The front door to the strategies: finds one by name, checks its options and the problem's
 * constraints, runs it, and refuses a plan that is larger than an arena.
 */
public final class Planner {
  /** Kinds of errors for which a better plan may be the answer. */
  private static final ImmutableSet<DiagnosticKind> LACK_OF_ROOM =
      ImmutableSet.of(
          Kinds.UNPLACEABLE,
          Kinds.PIN_DOES_NOT_FIT,
          Kinds.CONSTRAINTS_CONFLICT,
          Kinds.PINS_OVERLAP);

  private static final String PROVES_NOTHING =
      "this proves nothing: another strategy may find a plan, and where none is named several are"
          + " tried";

  /** After so long no further fallback is begun. */
  private static final Duration FALLBACK_BUDGET = Duration.ofSeconds(30);

  private final PluginRegistry<PlanningStrategy> strategies;
  private final FallbackListener listener;

  /** A planner with the given strategies. */
  public Planner(Iterable<PlanningStrategy> strategies) {
    this(
        new PluginRegistry<>(
            "strategy", Kinds.UNKNOWN_STRATEGY, strategies, strategy -> strategy.spec().name()),
        FallbackListener.NONE);
  }

  private Planner(PluginRegistry<PlanningStrategy> strategies, FallbackListener listener) {
    this.strategies = strategies;
    this.listener = listener;
  }

  /** A planner with the same strategies that tells of every fallback before it is tried. */
  public Planner telling(FallbackListener newListener) {
    return new Planner(strategies, newListener);
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
   * Checks a call, and what it calls in turn, without running it.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code unknown-strategy}, {@code
   *     unknown-option} or {@code option-value}
   */
  public void check(Call call) {
    PlanningStrategy strategy = strategies.get(call);
    PluginFailedException.guard(
        "strategy", call.name(), strategy.getClass(), () -> checked(call, strategy.spec()));
  }

  private Options checked(Call call, StrategySpec spec) {
    Options options = Options.bind(call, spec.options());
    spec.check().accept(options, this);
    return options;
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
   * Plans a problem with one strategy, which should answer before a deadline; one that does not
   * look at the clock is left behind on a thread of its own. Where it finds no plan and it can be
   * proved that there is none, the proof is the outcome.
   *
   * @throws PluginFailedException if the strategy has a defect
   * @throws DiagnosticException of kind {@code deadline} if it does not answer in time
   */
  public PlanningOutcome plan(PlanningProblem problem, Call call, Deadline deadline) {
    PlanningOutcome outcome = proved(answer(problem, call, deadline), problem);
    return outcome instanceof PlanningOutcome.GaveUp gaveUp && mayBeMended(gaveUp)
        ? new PlanningOutcome.GaveUp(gaveUp.why().note(PROVES_NOTHING), gaveUp.bestBoundBytes())
        : outcome;
  }

  /** What a strategy makes of a problem, a plan only if it keeps to the capacities. */
  private PlanningOutcome answer(PlanningProblem problem, Call call, Deadline deadline) {
    try (Workers workers = new Workers(1, deadline, Workers.GRACE)) {
      PlanningOutcome outcome =
          workers.run(
              () -> run(call, problem, deadline), () -> expired(call, deadline).asException());
      return withinCapacity(outcome, problem, call);
    }
  }

  /**
   * Plans a problem for which nobody asked for a strategy: with the default one and, where that
   * finds no plan and nothing proves that there is none, or one whose offsets are not aligned as
   * the problem wants it, with the fallbacks that the registered strategies offer, those of least
   * effort first; for half a minute at most.
   *
   * @param hasMap true if the memories to use are those of a memory map
   * @throws PluginFailedException if a strategy has a defect
   */
  public Attempt planWithFallbacks(PlanningProblem problem, boolean hasMap, Deadline deadline) {
    Call first = defaultCall(hasMap);
    PlanningOutcome outcome = proved(answer(problem, first, deadline), problem);
    Optional<Diagnostic> fault = reasonToGoOn(problem, first, outcome);
    if (fault.isEmpty()) {
      return new Attempt(first, outcome);
    }
    Deadline budget = Deadline.after(FALLBACK_BUDGET);
    List<Call> tried = new ArrayList<>(List.of(first));
    Diagnostic last = fault.get();
    for (Call call : fallbacks(first)) {
      if (deadline.expired() || budget.expired()) {
        break;
      }
      listener.failed(tried.get(tried.size() - 1), last, call);
      PlanningOutcome next = answer(problem, call, deadline);
      tried.add(call);
      if (next instanceof PlanningOutcome.Infeasible proof) {
        return new Attempt(
            call,
            new PlanningOutcome.Infeasible(
                proof
                    .proof()
                    .at(fault.get().location())
                    .note(first.name() + ": " + fault.get().message())));
      }
      Optional<Diagnostic> why =
          next instanceof PlanningOutcome.GaveUp gaveUp
              ? Optional.of(gaveUp.why())
              : reasonToGoOn(problem, call, next);
      if (why.isEmpty()) {
        return new Attempt(call, next);
      }
      last = why.get();
    }
    if (!(outcome instanceof PlanningOutcome.GaveUp gaveUp)) {
      return new Attempt(first, outcome);
    }
    String names = tried.stream().map(Call::toString).collect(Collectors.joining(", "));
    return new Attempt(
        first,
        new PlanningOutcome.GaveUp(
            gaveUp.why().note("no plan found by " + names + ", and no proof that there is none"),
            gaveUp.bestBoundBytes()));
  }

  /**
   * What came of planning where nobody asked for a strategy.
   *
   * @param call the strategy that made the outcome
   * @param outcome what it made
   */
  public record Attempt(Call call, PlanningOutcome outcome) {}

  /** Is told how planning goes on where a strategy found no plan. */
  @FunctionalInterface
  public interface FallbackListener {
    /** Nobody listens. */
    FallbackListener NONE = (failed, why, next) -> {};

    /** A strategy found no plan, and the next one is tried. */
    void failed(Call failed, Diagnostic why, Call next);
  }

  private List<Call> fallbacks(Call but) {
    return strategies().stream()
        .sorted(Comparator.comparingInt(StrategySpec::effort))
        .flatMap(spec -> spec.fallbacks().stream())
        .filter(call -> !call.equals(but))
        .collect(ImmutableList.toImmutableList());
  }

  /** Why another strategy may do better: it may find room, or align what this one does not. */
  private static Optional<Diagnostic> reasonToGoOn(
      PlanningProblem problem, Call call, PlanningOutcome outcome) {
    if (outcome instanceof PlanningOutcome.Planned planned) {
      return OffsetAlignment.fault(problem, planned.plan(), call);
    }
    return outcome instanceof PlanningOutcome.GaveUp gaveUp && mayBeMended(gaveUp)
        ? Optional.of(gaveUp.why())
        : Optional.empty();
  }

  /** True if another strategy may find what one did not: room. */
  private static boolean mayBeMended(PlanningOutcome.GaveUp outcome) {
    return LACK_OF_ROOM.contains(outcome.why().kind());
  }

  private static PlanningOutcome proved(PlanningOutcome outcome, PlanningProblem problem) {
    if (!(outcome instanceof PlanningOutcome.GaveUp gaveUp) || !mayBeMended(gaveUp)) {
      return outcome;
    }
    Diagnostic why = gaveUp.why();
    return Infeasibility.prove(problem, why.kind())
        .<PlanningOutcome>map(
            proof ->
                new PlanningOutcome.Infeasible(
                    (why.buffer() < 0 ? proof : proof.aboutBuffer(why.buffer()))
                        .note(
                            "the strategy stopped at "
                                + (why.location().place().isEmpty()
                                    ? ""
                                    : why.location().place() + ": ")
                                + why.message())))
        .orElse(outcome);
  }

  private static PlanningOutcome withinCapacity(
      PlanningOutcome outcome, PlanningProblem problem, Call call) {
    if (outcome instanceof PlanningOutcome.Planned planned) {
      long[] sizes = sizes(problem, planned.plan());
      for (int a = 0; a < sizes.length; a++) {
        if (sizes[a] > problem.arena(a).capacityBytes()) {
          return overCapacity(problem, problem.arena(a), sizes[a], call);
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

  /** True if a plan keeps every arena, with its padding, within its capacity. */
  public static boolean fits(PlanningProblem problem, MemoryPlan plan) {
    long[] sizes = sizes(problem, plan);
    return IntStream.range(0, sizes.length)
        .allMatch(a -> sizes[a] <= problem.arena(a).capacityBytes());
  }

  /** What a plan takes of each arena; the padding counts also where a strategy leaves it out. */
  private static long[] sizes(PlanningProblem problem, MemoryPlan plan) {
    long[] sizes = plan.neededBytes(problem);
    for (int a = 0; a < sizes.length; a++) {
      sizes[a] = Math.max(sizes[a], plan.arenaSizeBytes(problem.arena(a).memId()));
    }
    return sizes;
  }

  PlanningOutcome run(Call call, PlanningProblem problem, Deadline deadline) {
    PlanningStrategy strategy = strategies.get(call);
    StrategySpec spec = strategy.spec();
    Options options = Options.bind(call, spec.options());
    Optional<Diagnostic> fault = mapFault(problem);
    if (fault.isPresent()) {
      return new PlanningOutcome.Infeasible(fault.get());
    }
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

  /** What is wrong with the arenas, whatever the buffers are. */
  private static Optional<Diagnostic> mapFault(PlanningProblem problem) {
    for (Arena arena : problem.arenas()) {
      if (arena.alignment() % problem.alignment() != 0) {
        return Optional.of(
            Diagnostic.of(
                    Kinds.BANK_ALIGNMENT,
                    Message.format(
                        "%s has alignment %d, which is no multiple of the plan's %d",
                        arena, arena.alignment(), problem.alignment()))
                .help("give the bank a multiple of the plan's alignment, or none"));
      }
      if (arena.managed() && arena.reservedBytes() > arena.capacityBytes()) {
        return Optional.of(
            Diagnostic.of(
                Kinds.RESERVED_EXCEEDS_BANK,
                Message.format(
                    "%,d bytes are reserved in %s, which has %,d",
                    arena.reservedBytes(), arena, arena.capacityBytes())));
      }
    }
    return Optional.empty();
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
    return new PlanningOutcome.GaveUp(
        tooLarge
            .note(Message.format("the lower bound is %,d bytes", bounds.byMemId()[arena.memId()]))
            .help("another strategy may need less"),
        bounds.totalBytes());
  }
}
