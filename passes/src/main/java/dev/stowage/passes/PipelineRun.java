package dev.stowage.passes;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ListMultimap;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Options;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.Workers;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.structure.Structure;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.passes.analysis.Analysis;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.verifier.RatedFinding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of a pipeline on a program: the one place through which every pass goes. */
final class PipelineRun {
  private static final Logger logger = LoggerFactory.getLogger(PipelineRun.class);

  /** More than a strategy has, whose name tells more than that of the pass that runs it. */
  private static final Duration GRACE = Workers.GRACE.multipliedBy(2);

  private final PlanningSettings settings;
  private final RunOptions options;
  private final Observers observers;
  private final Analyses analyses = new Analyses();
  private final ListMultimap<String, Options> earlierRuns = ArrayListMultimap.create();
  private final List<Diagnostic> warnings = new ArrayList<>();
  private ImmutableList<PlannedMethod> plans = ImmutableList.of();

  PipelineRun(PlanningSettings settings, RunOptions options) {
    this.settings = settings;
    this.options = options;
    observers = new Observers(options.instrumentations());
  }

  /** What a pass made of one subject: the program, a method, or a graph of it. */
  private record Outcome<T>(
      T result, ImmutableList<PassReport.Run> runs, ImmutableList<PassContext> contexts) {}

  PipelineResult run(Program program, Pipeline pipeline, List<PassStep> steps) {
    Program finished;
    try {
      observers.tell(it -> it.pipelineStarted(pipeline, program));
      finished = run(program, steps);
    } catch (RuntimeException | Error e) {
      observers.tellFailure(e, it -> it.pipelineFailed(e));
      throw e;
    }
    observers.tellEnd(it -> it.pipelineFinished(finished));
    return new PipelineResult(finished, plans, ImmutableList.copyOf(warnings));
  }

  private Program run(Program program, List<PassStep> steps) {
    Program current = program;
    try (Workers workers = new Workers(options.threads(), options.deadline(), GRACE)) {
      for (PassStep step : steps) {
        current = run(step, current, workers);
        earlierRuns.put(step.spec().name(), step.options());
      }
    }
    return current;
  }

  private Program run(PassStep step, Program before, Workers workers) {
    logger.debug("running {} on {}", step.call(), before.name());
    PassReport report;
    try {
      observers.tell(it -> it.passStarted(step, before));
      if (options.deadline().hasCome()) {
        throw expired(step, "was not begun").asException();
      }
      report = observe(step, before, workers);
    } catch (RuntimeException | Error e) {
      observers.tellFailure(e, it -> it.passFailed(step, before, e));
      throw e;
    }
    observers.tellEnd(it -> it.passFinished(step, report));
    return report.after();
  }

  private PassReport observe(PassStep step, Program before, Workers workers) {
    long begin = System.nanoTime();
    Outcome<Program> outcome = apply(step, before, workers);
    long elapsed = System.nanoTime() - begin;
    ImmutableList<Analyses.Computation> computations = analyses.drainComputations(before);
    outcome.contexts.forEach(context -> options.printer().accept(context.printed()));
    ImmutableList<Diagnostic> own = warnings(outcome.contexts);
    warnings.addAll(own);
    Program after = settle(step, before, outcome.result);
    ImmutableList<PlannedMethod> made =
        outcome.contexts.stream()
            .flatMap(context -> context.plans().stream())
            .collect(ImmutableList.toImmutableList());
    plans = replaced(plans, made, after);
    if (options.checked()) {
      checkPlans(step, before, after, made);
    }
    // What the checks of promises had computed is not the pass's.
    analyses.drainComputations(after);
    analyses.retain(after);
    return new PassReport(
        before,
        after,
        elapsed,
        outcome.runs,
        computations,
        counts(step.spec(), outcome.contexts),
        own);
  }

  // ---- Running

  private Outcome<Program> apply(PassStep step, Program program, Workers workers) {
    if (step.pass() instanceof ProgramPass pass) {
      Supplier<Outcome<Program>> task =
          () -> run(step, "", program, context -> pass.run(program, context));
      return workers.run(task, () -> expired(step, "did not end").asException());
    }
    List<Supplier<Outcome<Method>>> tasks = new ArrayList<>();
    for (Method method : program.methods()) {
      tasks.add(
          step.pass() instanceof MethodPass pass
              ? () -> run(step, method.name(), method, context -> pass.run(method, context))
              : () -> runOnGraphs(step, (GraphPass) step.pass(), method));
    }
    ImmutableList<Outcome<Method>> outcomes =
        workers.runAll(tasks, () -> expired(step, "did not end").asException());
    ImmutableList.Builder<Method> methods = ImmutableList.builder();
    ImmutableList.Builder<PassReport.Run> runs = ImmutableList.builder();
    ImmutableList.Builder<PassContext> contexts = ImmutableList.builder();
    for (int i = 0; i < outcomes.size(); i++) {
      Outcome<Method> outcome = outcomes.get(i);
      if (!outcome.result.name().equals(program.methods().get(i).name())) {
        throw step.defect(
            "it renamed method "
                + program.methods().get(i).name()
                + " to "
                + outcome.result.name());
      }
      methods.add(outcome.result);
      runs.addAll(outcome.runs);
      contexts.addAll(outcome.contexts);
    }
    return new Outcome<>(program.withMethods(methods.build()), runs.build(), contexts.build());
  }

  private Outcome<Method> runOnGraphs(PassStep step, GraphPass pass, Method method) {
    ImmutableList.Builder<PassReport.Run> runs = ImmutableList.builder();
    ImmutableList.Builder<PassContext> contexts = ImmutableList.builder();
    Method current = method;
    for (int i = 0; i < method.body().graphs().size(); i++) {
      Method given = current;
      Graph graph = given.body().graphs().get(i);
      Outcome<Method> outcome =
          run(
              step,
              method.name() + "/" + graph.name(),
              given,
              context -> pass.run(given, graph, context));
      checkOtherGraphs(step, given, outcome.result, i);
      analyses.carry(given, outcome.result, step.spec().preserves());
      current = outcome.result;
      runs.addAll(outcome.runs);
      contexts.addAll(outcome.contexts);
    }
    return new Outcome<>(current, runs.build(), contexts.build());
  }

  /** A pass of graphs leaves the others alone. */
  @SuppressWarnings("ReferenceEquality") // the editor shares the graphs that it does not touch
  private static void checkOtherGraphs(PassStep step, Method before, Method after, int own) {
    ImmutableList<Graph> old = before.body().graphs();
    ImmutableList<Graph> now = after.body().graphs();
    if (old == now) {
      return;
    }
    for (int i = 0; i < Math.max(old.size(), now.size()); i++) {
      if (i != own && (i >= old.size() || i >= now.size() || !old.get(i).equals(now.get(i)))) {
        throw step.defect(
            "run on graph " + old.get(own).name() + " of " + before.name() + ", it changed others");
      }
    }
  }

  private <T> Outcome<T> run(
      PassStep step, String subject, T given, Function<PassContext, T> pass) {
    PassSpec spec = step.spec();
    PassContext context =
        new PassContext(
            spec,
            step.options(),
            ImmutableList.copyOf(earlierRuns.get(spec.name())),
            plans,
            settings,
            analyses,
            options.deadline(),
            options.files());
    long begin = System.nanoTime();
    T result =
        PluginFailedException.guard(
            "pass", spec.name(), step.pass().getClass(), () -> pass.apply(context));
    if (result == null) {
      String what = given instanceof Program ? "a program" : "a method";
      throw step.defect("it returned null in place of " + what);
    }
    long elapsed = System.nanoTime() - begin;
    return new Outcome<>(
        result, ImmutableList.of(new PassReport.Run(subject, elapsed)), ImmutableList.of(context));
  }

  private Diagnostic expired(PassStep step, String what) {
    return options
        .deadline()
        .missed(
            PluginFailedException.title("pass", step.spec().name(), step.pass().getClass()), what)
        .help("give more time, or leave the pass out");
  }

  // ---- Afterwards

  /** Checks what a pass promises, drops plans that it made stale, and keeps what it preserves. */
  @SuppressWarnings("ReferenceEquality") // passes return the same object where nothing changed
  private Program settle(PassStep step, Program before, Program made) {
    if (made == before) {
      return before;
    }
    PassSpec spec = step.spec();
    if (spec.isReadOnly()) {
      if (made.equals(before)) {
        return before;
      }
      throw step.defect(
          "it declares that it changes nothing, but changed " + changes(before, made));
    }
    if (options.checked()) {
      ImmutableList<Diagnostic> faults = Structure.check(made);
      if (!faults.isEmpty()) {
        throw step.defect("it left an ill-formed program: " + faults.get(0).render());
      }
    }
    Map<String, Method> old = new LinkedHashMap<>();
    before.methods().forEach(method -> old.put(method.name(), method));
    ImmutableList.Builder<Method> methods = ImmutableList.builder();
    for (Method method : made.methods()) {
      Method was = old.get(method.name());
      Method settled = method;
      if (was != null && was != method) {
        settled = withoutStalePlan(spec, was, method);
        if (options.checked()) {
          checkPreserved(step, was, method);
        }
        analyses.carry(was, settled, spec.preserves());
      }
      methods.add(settled);
    }
    Program settled = made.withMethods(methods.build());
    plans =
        plans.stream()
            .filter(plan -> isKept(plan, before, settled))
            .collect(ImmutableList.toImmutableList());
    return settled;
  }

  @SuppressWarnings("ReferenceEquality") // the editor shares the body that it does not touch
  private static Method withoutStalePlan(PassSpec spec, Method was, Method now) {
    boolean stale =
        spec.destroys().contains(Fact.PLAN)
            || (was.body() != now.body()
                && !spec.keepsPlan()
                && !spec.establishes().contains(Fact.PLAN));
    return stale ? MemoryKeys.withoutPlan(now) : now;
  }

  /**
   * True unless the method is gone, or has lost the plan. Of a method that never had one, the
   * reason for that is kept.
   */
  private static boolean isKept(PlannedMethod plan, Program before, Program after) {
    return after
        .method(plan.method())
        .filter(
            now ->
                MemoryKeys.hasPlan(now)
                    || before.method(plan.method()).filter(MemoryKeys::hasPlan).isEmpty())
        .isPresent();
  }

  /** The plans of all methods, in their order, the latest of each. */
  private static ImmutableList<PlannedMethod> replaced(
      ImmutableList<PlannedMethod> earlier, ImmutableList<PlannedMethod> made, Program program) {
    Map<String, PlannedMethod> latest = new HashMap<>();
    earlier.forEach(plan -> latest.put(plan.method(), plan));
    made.forEach(plan -> latest.put(plan.method(), plan));
    return program.methods().stream()
        .map(method -> latest.get(method.name()))
        .filter(Objects::nonNull)
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * A pass that plans leaves right plans, unless it says itself what is wrong with them; another
   * one leaves none that was right, or was not there, and is wrong now.
   */
  @SuppressWarnings("ReferenceEquality") // passes return the same object where nothing changed
  private void checkPlans(
      PassStep step, Program before, Program after, ImmutableList<PlannedMethod> made) {
    boolean plansItself = step.spec().establishes().contains(Fact.PLAN);
    ImmutableSet<String> knownWrong =
        made.stream()
            .filter(plan -> !plan.isVerified())
            .map(PlannedMethod::method)
            .collect(ImmutableSet.toImmutableSet());
    for (Method now : after.methods()) {
      Method was = before.method(now.name()).orElse(null);
      boolean concerned = plansItself ? !knownWrong.contains(now.name()) : was != now;
      if (!concerned || !MemoryKeys.hasPlan(now)) {
        continue;
      }
      Optional<String> error = errorInPlan(now);
      if (error.isEmpty()) {
        continue;
      }
      if (plansItself) {
        throw step.defect("it left method " + now.name() + " with a wrong plan: " + error.get());
      }
      if (was == null || !MemoryKeys.hasPlan(was) || errorInPlan(was).isEmpty()) {
        throw step.defect(
            "it left method "
                + now.name()
                + " with a plan that is no longer right: "
                + error.get());
      }
    }
  }

  /** The first error of the plan that a method carries; it may even be one that cannot be read. */
  private Optional<String> errorInPlan(Method method) {
    try {
      return CarriedPlan.of(method, Profiles.named(Profiles.PROFILE.defaultText()))
          .verify(analyses, settings.map(), settings.capacity())
          .findings()
          .stream()
          .filter(RatedFinding::isError)
          .map(rated -> rated.finding().message())
          .findFirst();
    } catch (DiagnosticException e) {
      return Optional.of(e.diagnostic().message());
    }
  }

  private void checkPreserved(PassStep step, Method was, Method now) {
    for (Analysis<?> analysis : step.spec().preserves()) {
      Object before = analyses.get(analysis, was);
      Object after = new Analyses().get(analysis, now);
      if (!before.equals(after)) {
        throw step.defect(
            "it declares to preserve "
                + analysis.name()
                + ", but those of method "
                + now.name()
                + " are not the same afterwards");
      }
    }
  }

  private static String changes(Program before, Program after) {
    for (Method method : before.methods()) {
      if (!after.method(method.name()).equals(Optional.of(method))) {
        return "method " + method.name();
      }
    }
    return "the program";
  }

  private static ImmutableList<Diagnostic> warnings(ImmutableList<PassContext> contexts) {
    ImmutableSet.Builder<Diagnostic> warnings = ImmutableSet.builder();
    Map<Diagnostic, Boolean> expectations = new LinkedHashMap<>();
    for (PassContext context : contexts) {
      warnings.addAll(context.warnings());
      context
          .expectations()
          .forEach((otherwise, met) -> expectations.merge(otherwise, met, Boolean::logicalOr));
    }
    expectations.forEach(
        (otherwise, met) -> {
          if (!met) {
            warnings.add(otherwise);
          }
        });
    return warnings.build().asList();
  }

  private static ImmutableMap<Statistic, Long> counts(
      PassSpec spec, ImmutableList<PassContext> contexts) {
    Map<Statistic, Long> sums = new LinkedHashMap<>();
    spec.statistics().forEach(statistic -> sums.put(statistic, 0L));
    for (PassContext context : contexts) {
      context.counts().forEach((statistic, count) -> sums.merge(statistic, count, Math::addExact));
    }
    return ImmutableMap.copyOf(sums);
  }
}
