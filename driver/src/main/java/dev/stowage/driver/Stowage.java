package dev.stowage.driver;

import com.google.common.collect.AbstractIterator;
import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.formats.ImportedModel;
import dev.stowage.formats.problem.ProblemDocument;
import dev.stowage.formats.problem.ProblemOptions;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.Pipeline;
import dev.stowage.passes.PipelineResult;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.ProblemVerifier;
import dev.stowage.verifier.RatedFinding;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The whole flow for one input: open it, say how to plan, get verified plans.
 *
 * <pre>{@code
 * try (Stowage session = Stowage.open(Path.of("model.tflite"))) {
 *   Plans plans = session.strategy("greedy").plan();
 *   plans.requireVerified();
 *   plans.write(Path.of("plan.json"));
 * }
 * }</pre>
 *
 * <p>Wrong input is a {@link dev.stowage.base.DiagnosticException}. An input is read once: call
 * either {@link #plan} or {@link #answers}. Not thread-safe.
 */
public final class Stowage implements AutoCloseable {
  private final Source source;
  private final Planner planner = Planner.withInstalledStrategies();
  private final PassManager passManager = PassManager.withInstalledPasses();
  private Optional<Call> strategy = Optional.empty();
  private Optional<Pipeline> pipeline = Optional.empty();
  private OptionalInt alignment = OptionalInt.empty();
  private OptionalLong capacity = OptionalLong.empty();

  private Stowage(Source source) {
    this.source = source;
  }

  /**
   * Opens a file.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-unreadable}
   */
  public static Stowage open(Path path) {
    return new Stowage(Source.open(path));
  }

  /**
   * Opens a file, or standard input for {@code -}.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-unreadable}
   */
  public static Stowage open(String argument, InputStream standardInput) {
    return new Stowage(Source.open(argument, standardInput));
  }

  /** The file formats that are read or written, sorted by name. */
  public static ImmutableList<FormatInfo> formats() {
    return FormatInfo.all();
  }

  /**
   * Plans by a strategy, such as {@code greedy} or {@code greedy{overlap=false}}, whatever the file
   * or the pipeline says.
   *
   * @throws dev.stowage.base.DiagnosticException if it is ill formed, or there is no such strategy
   */
  public Stowage strategy(String text) {
    Call call = Call.parse("--strategy", text);
    planner.check(call);
    strategy = Optional.of(call);
    return this;
  }

  /**
   * Plans by a pipeline, a text or the name of one; without it by {@code tflm} for a {@code
   * .tflite} and by {@code default} for any other model. Problems have no pipeline.
   *
   * @throws dev.stowage.base.DiagnosticException if it is ill formed, or there is no such pass
   */
  public Stowage pipeline(String text) {
    pipeline = Optional.of(passManager.pipeline("--pipeline", text));
    return this;
  }

  /** Aligns offsets and sizes to a number of bytes, 1 or more, whatever the file says. */
  public Stowage alignment(int bytes) {
    alignment = OptionalInt.of(bytes);
    return this;
  }

  /** Limits the arena, where the file has no banks, to a number of bytes. */
  public Stowage capacity(long bytes) {
    capacity = OptionalLong.of(bytes);
    return this;
  }

  /** Plans everything that the input asks for. */
  public Plans plan() {
    return new Plans(source.name(), ImmutableList.copyOf(answers()));
  }

  /**
   * Plans what the input asks for, one after the other as they are asked for, so that an input of
   * any length takes the memory of one problem. There is at least one answer.
   *
   * @throws dev.stowage.base.DiagnosticException of a kind {@code input-*} if the input as a whole
   *     cannot be read
   */
  public Iterator<Answer> answers() {
    boolean models = Input.holdsModels(source);
    Iterator<Entry<Input>> inputs = Input.read(source, options());
    Deque<Answer> ready = new ArrayDeque<>();
    return new AbstractIterator<>() {
      @Override
      protected @Nullable Answer computeNext() {
        while (ready.isEmpty() && inputs.hasNext()) {
          answer(inputs.next(), models, ready);
        }
        return ready.isEmpty() ? endOfData() : ready.remove();
      }
    };
  }

  /**
   * Looks into everything in the input.
   *
   * @throws dev.stowage.base.DiagnosticException of a kind {@code input-*} if the input as a whole
   *     cannot be read
   */
  public ImmutableList<Inspection> inspect() {
    ImmutableList.Builder<Inspection> inspections = ImmutableList.builder();
    Input.read(source, options())
        .forEachRemaining(entry -> inspections.add(Inspector.inspect(entry, alignment)));
    return inspections.build();
  }

  /**
   * Judges plans of the input, in the order of the file that has them.
   *
   * @throws dev.stowage.base.DiagnosticException of a kind {@code input-*} if either file as a
   *     whole cannot be read
   */
  public Iterator<Verdict> verify(Source plans) {
    return new PlanJudge(capacity).judge(Input.read(source, options()), plans);
  }

  /**
   * Judges the plan that the input itself carries.
   *
   * @throws dev.stowage.base.DiagnosticException of a kind {@code input-*} if the input as a whole
   *     cannot be read
   */
  public Iterator<Verdict> verify() {
    return new PlanJudge(capacity).judge(Input.read(source, options()), source.name());
  }

  private ProblemOptions options() {
    return new ProblemOptions(alignment, capacity);
  }

  private void answer(Entry<Input> entry, boolean models, Deque<Answer> answers) {
    if (entry instanceof Entry.Bad<Input> bad) {
      answers.add(
          models
              ? new Answer.ProgramFailed(bad.name(), 0, bad.error())
              : new Answer.ProblemFailed(bad.name(), bad.error()));
      return;
    }
    Input input = entry.orThrow();
    if (input instanceof Input.Problem problem) {
      answers.add(plan(problem.document()));
      return;
    }
    ImportedModel model = ((Input.Model) input).model();
    ImmutableList<ImportedModel.Request> requests = requests(model);
    for (int number = 0; number < requests.size(); number++) {
      answers.add(plan(model, number, requests.get(number)));
    }
  }

  private Answer plan(ProblemDocument document) {
    PlanningProblem problem = document.problem();
    Call call =
        strategy
            .or(() -> document.request().strategy())
            .orElseGet(() -> Planner.defaultCall(document.map().isPresent()));
    long begin = System.nanoTime();
    PlanningOutcome outcome = planner.plan(problem, call);
    long elapsed = System.nanoTime() - begin;
    if (outcome instanceof PlanningOutcome.Planned planned) {
      MemoryPlan plan = planned.plan();
      return new Answer.ProblemPlanned(
          document.name(),
          call,
          problem,
          plan,
          LowerBounds.of(problem),
          rate(ProblemVerifier.verify(problem, ClaimedPlan.of(problem, plan))),
          elapsed);
    }
    Diagnostic why =
        outcome instanceof PlanningOutcome.Infeasible infeasible
            ? infeasible.proof()
            : ((PlanningOutcome.GaveUp) outcome).why();
    return new Answer.ProblemFailed(document.name(), why);
  }

  /** In a problem there is no profile that would tolerate anything. */
  static ImmutableList<RatedFinding> rate(Iterable<Finding> findings) {
    ImmutableList.Builder<RatedFinding> rated = ImmutableList.builder();
    findings.forEach(finding -> rated.add(new RatedFinding(finding, RatedFinding.Severity.ERROR)));
    return rated.build();
  }

  /**
   * What the file asks for, or a single plan where it asks for nothing or the caller overrules it.
   */
  private ImmutableList<ImportedModel.Request> requests(ImportedModel model) {
    boolean overruled =
        strategy.isPresent()
            || pipeline.stream()
                .flatMap(it -> it.passes().stream())
                .anyMatch(
                    call ->
                        call.name().equals(Profiles.PLAN)
                            && call.options().containsKey("strategy"));
    if (!overruled && !model.requests().isEmpty()) {
      return model.requests();
    }
    // A document that cannot be planned at all has no methods, and all of its requests say why.
    Optional<Diagnostic> refusal =
        model.program().methods().isEmpty() && !model.requests().isEmpty()
            ? model.requests().get(0).refusal()
            : Optional.empty();
    return ImmutableList.of(
        new ImportedModel.Request(PlanRequest.DEFAULT, Optional.empty(), refusal));
  }

  private Answer plan(ImportedModel model, int number, ImportedModel.Request request) {
    String name = model.program().name();
    if (request.refusal().isPresent()) {
      return new Answer.ProgramFailed(name, number, request.refusal().get());
    }
    if (model.program().methods().isEmpty()) {
      return new Answer.ProgramFailed(
          name,
          number,
          Diagnostic.of(
              Kinds.INPUT_VALUE, Location.of(source.name()), "the program has no methods to plan"));
    }
    PipelineResult result;
    try {
      result =
          passManager.run(
              Lowering.allocate(model.program(), request.request()),
              pipelineFor(model),
              new PlanningSettings(
                  planner, request.request(), request.map(), strategy, alignment, capacity));
    } catch (DiagnosticException e) {
      if (e.diagnostic().kind().category() != DiagnosticKind.Category.PLANNING) {
        throw e;
      }
      // A plan that a pass finds wrong is the answer to one of several requests.
      return new Answer.ProgramFailed(name, number, e.diagnostic());
    }
    if (result.plans().isEmpty()) {
      return new Answer.ProgramFailed(
          name,
          number,
          Diagnostic.of(Kinds.USAGE, "the pipeline has no pass that plans")
              .help("end it with plan"));
    }
    return new Answer.ProgramPlanned(
        name, number, result.program(), result.plans(), model.facts().notes());
  }

  private Pipeline pipelineFor(ImportedModel model) {
    return pipeline.orElseGet(
        () -> passManager.pipeline("pipeline", Lowering.defaultPipeline(model)));
  }

  @Override
  public void close() {
    source.close();
  }
}
