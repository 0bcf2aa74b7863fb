package dev.stowage.testkit;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Lists;
import com.google.common.collect.Sets;
import com.google.common.util.concurrent.Uninterruptibles;
import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Message;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.Options;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.Plugins;
import dev.stowage.base.Value;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Constraint;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningContext;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.planning.PlanningStrategy;
import dev.stowage.planning.StrategySpec;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.ProblemVerifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * Finds out whether a strategy is what it declares to be:
 *
 * <pre>
 * StrategyCheck.of(new NpuFirstFitStrategy()).check();
 * StrategyCheck.of(new NpuFirstFitStrategy()).with("order=size").check();
 * </pre>
 *
 * <p>It plans problems that come with the test kit and seeded random ones, with none, each, and
 * combinations of the constraints that the strategy declares, through {@link Planner}. It checks
 * that
 *
 * <ul>
 *   <li>every plan is valid by {@link ProblemVerifier}, its arenas are no larger than what is in
 *       them, and what the strategy claims to have proved is not false;
 *   <li>each declared constraint is honoured, and problems with any other are refused before the
 *       strategy sees them;
 *   <li>the same problem has the same answer: again, in another order, and from another instance;
 *   <li>an answer comes soon where the deadline has come already;
 *   <li>the strategy has no fields that change, and its options are read as they are written.
 * </ul>
 *
 * <p>Other strategies that a strategy asks for are those installed. Immutable.
 */
public final class StrategyCheck {
  private static final int SEEDS = 40;

  /** For combinations of constraints. */
  private static final int FEWER_SEEDS = 6;

  /** With more constraints than these, not all combinations are tried. */
  private static final int ALL_COMBINATIONS = 5;

  private static final int LARGE = 100_000;

  /** Larger problems are not shown. */
  private static final int SHOWN_BUFFERS = 24;

  private static final String SOURCE = "the options";
  private static final String PLANNED = "planned";

  private final PlanningStrategy strategy;
  private final String options;
  private final Duration patience;

  private StrategyCheck(PlanningStrategy strategy, String options, Duration patience) {
    this.strategy = strategy;
    this.options = options;
    this.patience = patience;
  }

  /** A check of a strategy without options. */
  public static StrategyCheck of(PlanningStrategy strategy) {
    return new StrategyCheck(strategy, /* options= */ "", Duration.ofSeconds(10));
  }

  /**
   * The same with options.
   *
   * @param newOptions as between the braces of a call: {@code order=size,limit=4KiB}
   */
  public StrategyCheck with(String newOptions) {
    return new StrategyCheck(strategy, newOptions, patience);
  }

  /** The same with another time to answer once the deadline has come; 10 seconds unless set. */
  public StrategyCheck answeringWithin(Duration newPatience) {
    return new StrategyCheck(strategy, options, newPatience);
  }

  /**
   * Checks everything.
   *
   * @throws AssertionError for the first thing that does not hold
   * @throws DiagnosticException if the options are not what the strategy takes
   */
  public void check() {
    new Run(this).run();
  }

  /** Notes whether it was asked for a plan. */
  private static final class Watched implements PlanningStrategy {
    private final PlanningStrategy strategy;
    private final AtomicBoolean asked = new AtomicBoolean();

    Watched(PlanningStrategy strategy) {
      this.strategy = strategy;
    }

    @Override
    public StrategySpec spec() {
      return strategy.spec();
    }

    @Override
    public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
      asked.set(true);
      return strategy.plan(problem, context);
    }
  }

  /** A problem, and what is known about it. */
  private record Case(PlanningProblem problem, OptionalLong feasibleBytes) {
    static Case of(GeneratedProblems.Feasible generated) {
      return new Case(generated.problem(), OptionalLong.of(generated.bytes()));
    }
  }

  /** One check of a strategy. */
  private static final class Run {
    private final PlanningStrategy strategy;
    private final StrategySpec spec;
    private final Call call;
    private final Duration patience;
    private final Planner planner;

    Run(StrategyCheck check) {
      strategy = check.strategy;
      spec = strategy.spec();
      patience = check.patience;
      call =
          Call.parse(
              SOURCE,
              check.options.isEmpty() ? spec.name() : spec.name() + "{" + check.options + "}");
      planner = plannerWith(strategy);
    }

    /** The installed strategies, and one in the place of that with its name. */
    private static Planner plannerWith(PlanningStrategy own) {
      ImmutableList.Builder<PlanningStrategy> strategies = ImmutableList.builder();
      strategies.add(own);
      for (PlanningStrategy installed : installed()) {
        if (!installed.spec().name().equals(own.spec().name())) {
          strategies.add(installed);
        }
      }
      return new Planner(strategies.build());
    }

    private static ImmutableList<PlanningStrategy> installed() {
      return Plugins.NONE.providers(loader -> ServiceLoader.load(PlanningStrategy.class, loader));
    }

    void run() {
      planner.check(call);
      checkDeclaration();
      Map<Case, String> answers = new LinkedHashMap<>();
      for (Case subject : cases()) {
        answers.put(subject, judge(subject));
      }
      checkDeclaredAreHonoured(answers);
      checkSameAgain(answers);
      checkRefusals();
      checkDeadline();
    }

    // ---- The declaration

    private void checkDeclaration() {
      Statelessness.fault(strategy.getClass())
          .ifPresent(
              fault -> {
                throw failure("one instance serves all threads and all runs", fault);
              });
      if (spec.summary().isEmpty() || spec.summary().endsWith(".")) {
        throw failure(
            "a summary of one line without a full stop", "it is '" + spec.summary() + "'");
      }
      Call canonical = Options.bind(call, spec.options()).canonical().call();
      Call again =
          Options.bind(Call.parse(SOURCE, canonical.toString()), spec.options()).canonical().call();
      if (!again.equals(canonical)) {
        throw failure(
            "options that are read as they are written",
            canonical + " is read and written as " + again);
      }
      for (OptionSpec<?> option : spec.options()) {
        if (!option.defaultText().isEmpty()) {
          Call preset = call.with(option.name(), defaultOf(option));
          if (Options.bind(preset, spec.options())
              .canonical()
              .call()
              .options()
              .containsKey(option.name())) {
            throw failure(
                "defaults that are left out where they are written",
                "option " + option.name() + "=" + option.defaultText() + " is not");
          }
        }
      }
    }

    private static Value defaultOf(OptionSpec<?> option) {
      Call holder = Call.parse(SOURCE, "x{y=" + option.defaultText() + "}");
      return holder.options().values().iterator().next();
    }

    // ---- Problems

    private ImmutableList<Case> cases() {
      ImmutableList.Builder<Case> cases = ImmutableList.builder();
      for (Set<Constraint> constraints : combinations()) {
        int seeds = constraints.size() < 2 ? SEEDS : FEWER_SEEDS;
        for (int seed = 0; seed < seeds; seed++) {
          cases.add(Case.of(GeneratedProblems.of(seed, ImmutableSet.copyOf(constraints))));
        }
      }
      for (PlanningProblem problem : Bundled.problems()) {
        if (spec.honours().containsAll(problem.constraints())) {
          cases.add(new Case(problem, OptionalLong.empty()));
        }
      }
      cases.add(new Case(PlanningProblem.builder("empty").build(), OptionalLong.of(0)));
      return cases.build();
    }

    /** None, each, pairs, all; and all others where there are few. */
    private Set<Set<Constraint>> combinations() {
      ImmutableSet<Constraint> honours = spec.honours();
      if (honours.size() <= ALL_COMBINATIONS) {
        return Sets.powerSet(honours);
      }
      ImmutableSet.Builder<Set<Constraint>> combinations = ImmutableSet.builder();
      combinations.add(ImmutableSet.of());
      honours.forEach(one -> combinations.add(ImmutableSet.of(one)));
      combinations.addAll(Sets.combinations(honours, 2)).add(honours);
      return combinations.build();
    }

    // ---- Plans

    /** Checks the answer to a problem, and gives it as text. */
    private String judge(Case subject) {
      PlanningOutcome outcome = plan(planner, subject.problem());
      if (outcome instanceof PlanningOutcome.Planned planned) {
        judgePlan(subject, planned.plan());
      } else if (outcome instanceof PlanningOutcome.Infeasible infeasible
          && subject.feasibleBytes().isPresent()) {
        throw failure(
            "no plan only where there cannot be one",
            "it says of a problem that has a plan: " + infeasible.proof().render(),
            subject.problem());
      } else if (outcome instanceof PlanningOutcome.GaveUp gaveUp
          && subject.feasibleBytes().isPresent()
          && gaveUp.bestBoundBytes() > subject.feasibleBytes().getAsLong()) {
        throw failure(
            "a bound that no plan can go below",
            Message.format(
                "it says %,d bytes, but there is a plan of %,d",
                gaveUp.bestBoundBytes(), subject.feasibleBytes().getAsLong()),
            subject.problem());
      }
      return describe(outcome);
    }

    private PlanningOutcome plan(Planner with, PlanningProblem problem) {
      try {
        return with.plan(problem, call);
      } catch (PluginFailedException e) {
        AssertionError error =
            failure("an outcome for every problem", String.valueOf(e.getMessage()), problem);
        error.initCause(e);
        throw error;
      }
    }

    private void judgePlan(Case subject, MemoryPlan plan) {
      PlanningProblem problem = subject.problem();
      ImmutableList<Finding> findings =
          ProblemVerifier.verify(problem, ClaimedPlan.of(problem, plan));
      if (!findings.isEmpty()) {
        throw failure(
            "valid plans" + honouring(problem),
            findings.stream()
                .limit(3)
                .map(finding -> finding.kind() + ": " + finding.message())
                .collect(Collectors.joining("; ")),
            problem);
      }
      judgeSizes(problem, plan);
      long bound = LowerBounds.of(problem).totalBytes();
      if (plan.totalBytes() < bound) {
        throw failure(
            "no less than what is live at one time",
            Message.format("%,d bytes in all, below %,d", plan.totalBytes(), bound),
            problem);
      }
      if (plan.bound().bytes() > plan.totalBytes()) {
        throw failure(
            "a bound that no plan can go below",
            Message.format(
                "it proves %,d bytes, but its own plan has %,d",
                plan.bound().bytes(), plan.totalBytes()),
            problem);
      }
    }

    private static String honouring(PlanningProblem problem) {
      return problem.constraints().isEmpty()
          ? ""
          : problem.constraints().stream()
              .map(Constraint::summary)
              .collect(Collectors.joining(", ", " that honour ", ""));
    }

    /** Verifiers find arenas that are too small; these are too large. */
    private void judgeSizes(PlanningProblem problem, MemoryPlan plan) {
      long[] ends = new long[problem.arenaCount()];
      for (int i = 0; i < plan.bufferCount(); i++) {
        int arena = plan.arena(i);
        long bytes =
            Math.max(
                problem.allocatedBytes(i, arena), problem.sizeBytes(i) + problem.overReadBytes(i));
        ends[arena] = Math.max(ends[arena], plan.offsetBytes(i) + bytes);
      }
      long[] sizes = plan.arenaSizes();
      for (int a = 0; a < ends.length; a++) {
        Arena arena = problem.arena(a);
        long most = Math.max(ends[a], arena.reservedBytes()) + arena.paddingBytes();
        if (plan.arenaSizeBytes(arena.memId()) > most) {
          throw failure(
              "arenas as large as what is in them",
              Message.format(
                  "%s has %,d bytes, but what is in it ends at %,d, reserved bytes and padding"
                      + " included",
                  arena, plan.arenaSizeBytes(arena.memId()), most),
              problem);
        }
        if (arena.memId() < sizes.length) {
          sizes[arena.memId()] = 0;
        }
      }
      if (Arrays.stream(sizes).anyMatch(size -> size != 0)) {
        throw failure(
            "sizes of the arenas of the problem only",
            "the sizes by mem_id are " + Arrays.toString(plan.arenaSizes()),
            problem);
      }
    }

    private void checkDeclaredAreHonoured(Map<Case, String> answers) {
      for (Constraint constraint : spec.honours()) {
        List<String> refused = new ArrayList<>();
        boolean planned = false;
        for (Map.Entry<Case, String> answer : answers.entrySet()) {
          if (answer.getKey().problem().constraints().equals(ImmutableSet.of(constraint))) {
            planned |= answer.getValue().startsWith(PLANNED);
            refused.add(answer.getValue());
          }
        }
        // One that runs others declares what the best of them honour, and hands on what they say.
        boolean handedOn =
            refused.stream().allMatch(answer -> answer.startsWith(constraint.refusal().name()));
        if (!planned && !handedOn) {
          throw failure(
              "plans that honour " + constraint.summary(),
              "none of " + refused.size() + " problems is planned: " + refused.get(0));
        }
      }
    }

    // ---- Determinism

    private void checkSameAgain(Map<Case, String> answers) {
      for (Case subject : Lists.reverse(ImmutableList.copyOf(answers.keySet()))) {
        PlanningProblem problem = subject.problem();
        String again = describe(plan(planner, problem));
        if (!again.equals(answers.get(subject))) {
          throw failure(
              "the same answer to the same problem",
              "first " + answers.get(subject) + ", then " + again,
              problem);
        }
      }
      for (PlanningStrategy other : SecondInstance.of(strategy, Run::installed)) {
        Planner withOther = plannerWith(other);
        for (Case subject : answers.keySet()) {
          String again = describe(plan(withOther, subject.problem()));
          if (!again.equals(answers.get(subject))) {
            throw failure(
                "the same answer from every instance",
                "one says " + answers.get(subject) + ", another " + again,
                subject.problem());
          }
        }
      }
    }

    private static String describe(PlanningOutcome outcome) {
      if (outcome instanceof PlanningOutcome.Planned planned) {
        MemoryPlan plan = planned.plan();
        StringBuilder text = new StringBuilder(PLANNED);
        for (int i = 0; i < plan.bufferCount(); i++) {
          text.append(' ').append(plan.arena(i)).append(':').append(plan.object(i));
          text.append(':').append(plan.offsetBytes(i));
        }
        return text.append(", arenas ").append(Arrays.toString(plan.arenaSizes())).toString();
      }
      Diagnostic why =
          outcome instanceof PlanningOutcome.Infeasible infeasible
              ? infeasible.proof()
              : ((PlanningOutcome.GaveUp) outcome).why();
      return why.kind() + ": " + why.render();
    }

    // ---- Refusals

    private void checkRefusals() {
      for (Constraint constraint : Constraint.values()) {
        if (!spec.honours().contains(constraint)) {
          PlanningProblem problem = GeneratedProblems.of(0, ImmutableSet.of(constraint)).problem();
          Watched watched = new Watched(strategy);
          PlanningOutcome outcome = plan(plannerWith(watched), problem);
          if (watched.asked.get()
              || !(outcome instanceof PlanningOutcome.GaveUp gaveUp)
              || !gaveUp.why().kind().equals(constraint.refusal())) {
            throw failure(
                "no problem with " + constraint.summary() + ", which it does not declare",
                describe(outcome),
                problem);
          }
        }
      }
    }

    // ---- Deadline

    private void checkDeadline() {
      PlanningProblem problem = GeneratedProblems.large(LARGE);
      Deadline now = Deadline.after(Duration.ZERO);
      FutureTask<PlanningOutcome> task = new FutureTask<>(() -> planner.plan(problem, call, now));
      Thread thread = new Thread(task, "stowage-strategy-check");
      thread.setDaemon(true);
      thread.start();
      PlanningOutcome outcome;
      try {
        outcome =
            Uninterruptibles.getUninterruptibly(task, patience.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        task.cancel(/* mayInterruptIfRunning= */ true);
        throw failure(
            "an answer soon after the deadline",
            Message.format(
                "a deadline that had come before it began was not answered within %s s: look at"
                    + " PlanningContext.expired() in loops",
                patience.toMillis() / 1000.0),
            problem);
      } catch (ExecutionException e) {
        AssertionError error =
            failure("an outcome for every problem", String.valueOf(e.getCause()), problem);
        error.initCause(e.getCause());
        throw error;
      }
      if (outcome instanceof PlanningOutcome.Planned planned) {
        judgePlan(new Case(problem, OptionalLong.empty()), planned.plan());
      }
    }

    // ---- Failures

    private AssertionError failure(String promised, String happened) {
      return new AssertionError(
          "strategy " + call + "\n  promised: " + promised + "\n  happened: " + happened);
    }

    private AssertionError failure(String promised, String happened, PlanningProblem problem) {
      StringBuilder text = new StringBuilder();
      text.append("strategy ").append(call).append(" on problem '").append(problem.name());
      text.append("'\n  promised: ").append(promised);
      text.append("\n  happened: ").append(happened);
      if (problem.bufferCount() <= SHOWN_BUFFERS) {
        text.append("\n  problem: ").append(ProblemText.of(problem).replace("\n", "\n    "));
      }
      return new AssertionError(text.toString());
    }
  }
}
