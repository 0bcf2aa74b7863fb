package dev.stowage.driver;

import static com.google.common.base.Preconditions.checkState;

import com.google.common.collect.AbstractIterator;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Iterators;
import com.google.common.io.ByteSource;
import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.formats.ImportedModel;
import dev.stowage.formats.problem.ProblemDocument;
import dev.stowage.formats.problem.ProblemOptions;
import dev.stowage.ir.Program;
import dev.stowage.memmap.Target;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.Pipeline;
import dev.stowage.passes.PipelineResult;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.passes.Reproducer;
import dev.stowage.passes.RunOptions;
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
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
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
  private final Extensions extensions;
  private Optional<Call> strategy = Optional.empty();
  private Optional<Pipeline> pipeline = Optional.empty();
  private OptionalInt alignment = OptionalInt.empty();
  private OptionalLong capacity = OptionalLong.empty();
  private Optional<Target> target = Optional.empty();
  private Optional<Duration> deadline = Optional.empty();
  private Replaying replaying = Replaying.WITHIN_BOUND;
  private RunOptions runOptions = RunOptions.DEFAULT;
  private Consumer<String> progress = line -> {};
  private Optional<FailureRecorder> recorder = Optional.empty();

  private Stowage(Source source, Extensions extensions) {
    this.source = source;
    this.extensions = extensions;
  }

  /**
   * Opens a file, with what is installed.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-unreadable}
   */
  public static Stowage open(Path path) {
    return open(path, Extensions.installed());
  }

  /**
   * Opens a file, with extensions, which the caller closes after the session.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-unreadable}
   */
  public static Stowage open(Path path, Extensions extensions) {
    return new Stowage(Source.open(path), extensions);
  }

  /**
   * Opens a file, or standard input for {@code -}, with what is installed.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-unreadable}
   */
  public static Stowage open(String argument, InputStream standardInput) {
    return open(argument, standardInput, Extensions.installed());
  }

  /**
   * Opens a file, or standard input for {@code -}, with extensions, which the caller closes after
   * the session.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-unreadable}
   */
  public static Stowage open(String argument, InputStream standardInput, Extensions extensions) {
    return new Stowage(Source.open(argument, standardInput), extensions);
  }

  /**
   * Plans by a strategy, such as {@code greedy} or {@code greedy{overlap=false}}, whatever the file
   * or the pipeline says.
   *
   * @throws dev.stowage.base.DiagnosticException if it is ill formed, or there is no such strategy
   */
  public Stowage strategy(String text) {
    Call call = Call.parse("--strategy", text);
    extensions.planner().check(call);
    strategy = Optional.of(call);
    return this;
  }

  /** The version of Stowage, such as {@code 0.1.0}. */
  public static String version() {
    try (InputStream in = Stowage.class.getResourceAsStream("version.txt")) {
      checkState(in != null, "version.txt is missing");
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Plans by a pipeline, a text, {@code @} and the name of a file that has it, or the name of one;
   * without it by {@code tflm} for a {@code .tflite} and by {@code default} for any other model. A
   * problem has no program that passes could change, so it takes no pipeline.
   *
   * @throws dev.stowage.base.DiagnosticException if it is ill formed, or there is no such pass
   */
  public Stowage pipeline(String text) {
    pipeline = Optional.of(Pipelines.read(text, extensions.passManager()));
    return this;
  }

  /**
   * Gives up on a plan after some time: a strategy or pass that does not end by then is left
   * behind, and the answer is an error of kind {@code deadline}.
   *
   * @param length for each plan of the input
   */
  public Stowage deadline(Duration length) {
    deadline = Optional.of(length);
    return this;
  }

  /**
   * Runs pipelines with threads, checks and observers of the caller's choice; the deadline is that
   * of {@link #deadline}.
   */
  public Stowage runOptions(RunOptions options) {
    runOptions = options;
    return this;
  }

  /** Says who is told, a line at a time, of what is tried where a strategy found no plan. */
  public Stowage progress(Consumer<String> lines) {
    progress = lines;
    return this;
  }

  /**
   * Records the first pipeline that fails: with an exception, without a plan, or with one in which
   * the verifier finds an error.
   */
  public Stowage recordFailure(FailureRecorder newRecorder) {
    recorder = Optional.of(newRecorder);
    return this;
  }

  /** Aligns offsets and sizes to a number of bytes, 1 or more, whatever the file says. */
  public Stowage alignment(int bytes) {
    alignment = OptionalInt.of(bytes);
    return this;
  }

  /**
   * Plans models for the banks of a target, once and by {@code banked-greedy} unless another
   * strategy is given, whatever the file says. A problem has arenas of its own and takes no target.
   *
   * @param nameOrFile a target of the catalogue, or a file that describes one: with a separator in
   *     its path, or an ending {@code .json} or {@code .json.gz}
   * @throws dev.stowage.base.DiagnosticException of kind {@code unknown-target} for a name; of a
   *     kind {@code input-*} or {@code map-*} for a file
   */
  public Stowage target(String nameOrFile) {
    return target(Targets.find(nameOrFile, InputStream.nullInputStream(), extensions));
  }

  /** The same, for a target that the caller has. */
  public Stowage target(Target newTarget) {
    target = Optional.of(newTarget);
    return this;
  }

  /** Limits the arena, where there are no banks, to a number of bytes. */
  public Stowage capacity(long bytes) {
    capacity = OptionalLong.of(bytes);
    return this;
  }

  /** Says whether {@link #verify} also replays plans of models; without it, within a bound. */
  public Stowage replay(Replaying wanted) {
    replaying = wanted;
    return this;
  }

  /** Plans everything that the input asks for. */
  public Plans plan() {
    return new Plans(source.name(), ImmutableList.copyOf(answers()), extensions);
  }

  /**
   * Plans what the input asks for, one after the other as they are asked for, so that an input of
   * any length takes the memory of one problem. There is at least one answer.
   *
   * @throws dev.stowage.base.DiagnosticException of a kind {@code input-*} if the input as a whole
   *     cannot be read, or of kind {@code usage} if it holds problems and there is a target
   */
  public Iterator<Answer> answers() {
    boolean models = Input.holdsModels(source, extensions);
    Iterator<Entry<Input>> inputs = read();
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
   * Plans what the input asks for and looks for the smallest size of each bank, the others as they
   * are, one after the other as they are asked for. There is at least one. The deadline is that of
   * a plan and the search together.
   *
   * @throws dev.stowage.base.DiagnosticException of a kind {@code input-*} if the input as a whole
   *     cannot be read, or of kind {@code usage} if it holds models and there is no target,
   *     problems and there is one, or a problem without banks
   */
  public Iterator<Fit> fits() {
    boolean models = Input.holdsModels(source, extensions);
    if (models && target.isEmpty()) {
      throw noBanks("a model").asException();
    }
    return Iterators.transform(read(), entry -> fit(entry, models));
  }

  private Fit fit(Entry<Input> entry, boolean models) {
    Optional<Call> asked = strategy;
    if (entry instanceof Entry.Read<Input> read && read.value() instanceof Input.Problem problem) {
      if (problem.document().map().isEmpty()) {
        throw noBanks("problem '" + problem.document().name() + "'").asException();
      }
      asked = strategy.or(() -> problem.document().request().strategy());
    }
    Deadline end = begin();
    Deque<Answer> answers = new ArrayDeque<>();
    answer(entry, models, answers);
    return new BankFit(extensions.planner(), asked, end, progress).of(answers.remove());
  }

  private Diagnostic noBanks(String what) {
    return Diagnostic.of(
            Kinds.USAGE, Location.of(source.name()), what + " has no banks that could be smaller")
        .help("name a target by --target, or give the problem banks");
  }

  /**
   * Looks into everything in the input.
   *
   * @throws dev.stowage.base.DiagnosticException of a kind {@code input-*} if the input as a whole
   *     cannot be read
   */
  public ImmutableList<Inspection> inspect() {
    ImmutableList.Builder<Inspection> inspections = ImmutableList.builder();
    read().forEachRemaining(entry -> inspections.add(Inspector.inspect(entry, alignment)));
    return inspections.build();
  }

  /**
   * Judges plans of the input, in the order of the file that has them.
   *
   * @throws dev.stowage.base.DiagnosticException of a kind {@code input-*} if either file as a
   *     whole cannot be read
   */
  public Iterator<Verdict> verify(Source plans) {
    return judge().judge(read(), plans);
  }

  /**
   * Judges the plan that the input itself carries.
   *
   * @throws dev.stowage.base.DiagnosticException of a kind {@code input-*} if the input as a whole
   *     cannot be read
   */
  public Iterator<Verdict> verify() {
    return judge().judge(read(), source.name());
  }

  private Iterator<Entry<Input>> read() {
    if (pipeline.isPresent() && !Input.holdsModels(source, extensions)) {
      throw Diagnostic.of(
              Kinds.USAGE,
              Location.of(source.name()),
              "a planning problem has no program that passes could change, so it takes no pipeline")
          .help("give a strategy instead, or the model that the problem came from")
          .asException();
    }
    if (target.isPresent() && !Input.holdsModels(source, extensions)) {
      throw Diagnostic.of(
              Kinds.USAGE,
              Location.of(source.name()),
              "a planning problem has arenas of its own, so it cannot be planned for target "
                  + target.get().name())
          .help("plan the model that it came from, or give the problem banks")
          .asException();
    }
    return Input.read(source, new ProblemOptions(alignment, capacity), extensions);
  }

  private PlanJudge judge() {
    return new PlanJudge(capacity, target, replaying);
  }

  private void answer(Entry<Input> entry, boolean models, Deque<Answer> answers) {
    if (entry instanceof Entry.Bad<Input> bad) {
      answers.add(
          models
              ? new Answer.ProgramFailed(bad.name(), 0, bad.error())
              : new Answer.ProblemFailed(bad.name(), Optional.empty(), bad.error()));
      return;
    }
    Input input = entry.orThrow();
    if (input instanceof Input.Problem problem) {
      answers.add(plan(problem.document()));
      return;
    }
    Input.Model model = (Input.Model) input;
    ImmutableList<ImportedModel.Request> requests = requests(model.model());
    for (int number = 0; number < requests.size(); number++) {
      answers.add(plan(model, number, requests.get(number)));
    }
  }

  private Answer plan(ProblemDocument document) {
    PlanningProblem problem = document.problem();
    Optional<Call> asked = strategy.or(() -> document.request().strategy());
    long begin = System.nanoTime();
    Planner.Attempt attempt;
    try {
      attempt = plan(problem, asked, document.map().isPresent());
    } catch (DiagnosticException e) {
      if (!isAnswer(e.diagnostic())) {
        throw e;
      }
      return new Answer.ProblemFailed(document.name(), Optional.of(problem), e.diagnostic());
    }
    long elapsed = System.nanoTime() - begin;
    PlanningOutcome outcome = attempt.outcome();
    if (outcome instanceof PlanningOutcome.Planned planned) {
      MemoryPlan plan = planned.plan();
      return new Answer.ProblemPlanned(
          document.name(),
          attempt.call(),
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
    return new Answer.ProblemFailed(document.name(), Optional.of(problem), why);
  }

  private Planner.Attempt plan(PlanningProblem problem, Optional<Call> asked, boolean hasMap) {
    Planner planner = planner();
    return asked.isPresent()
        ? new Planner.Attempt(asked.get(), planner.plan(problem, asked.get(), begin()))
        : planner.planWithFallbacks(problem, hasMap, begin());
  }

  private Planner planner() {
    return extensions
        .planner()
        .telling(
            (failed, why, next) ->
                progress.accept(
                    failed
                        + " found no plan that will do ("
                        + why.message()
                        + "); trying "
                        + next));
  }

  /** True if an error says that there is no plan for a valid input. */
  private static boolean isAnswer(Diagnostic error) {
    return switch (error.kind().category()) {
      case PLANNING, BUDGET -> true;
      case INPUT, USAGE, PLUGIN -> false;
    };
  }

  private Deadline begin() {
    return deadline.map(Deadline::after).orElse(Deadline.NONE);
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
            || target.isPresent()
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
        new ImportedModel.Request(PlanRequest.DEFAULT, target.map(Target::map), refusal));
  }

  private Answer plan(Input.Model input, int number, ImportedModel.Request request) {
    ImportedModel model = input.model();
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
    try {
      return run(input, number, request);
    } catch (DiagnosticException e) {
      if (!isAnswer(e.diagnostic())) {
        throw e;
      }
      // A plan that a pass finds wrong is the answer to one of several requests.
      return new Answer.ProgramFailed(name, number, e.diagnostic());
    }
  }

  private Answer run(Input.Model input, int number, ImportedModel.Request request) {
    ImportedModel model = input.model();
    Program program = Lowering.allocate(model.program(), request.request());
    Pipeline toRun = pipelineFor(model);
    PlanningSettings settings =
        new PlanningSettings(
            planner(),
            request.request(),
            request.map(),
            strategy,
            alignment,
            capacity,
            target.map(Target::operatorRules).orElse(ImmutableList.of()));
    KeptFiles files = new KeptFiles(ImmutableMap.of());
    RunOptions options = runOptions.withDeadline(begin()).readingFrom(files);
    Function<String, Reproducer> reproducer =
        failure ->
            Reproducer.of(
                version(),
                extensions.jars(),
                program,
                toRun,
                settings,
                options,
                files.contents(),
                failure);
    Answer answer;
    try {
      PipelineResult result = extensions.passManager().run(program, toRun, settings, options);
      answer =
          answer(
              result,
              number,
              model.format(),
              input.original(),
              constants(model, result),
              model.facts().notes());
    } catch (RuntimeException e) {
      boolean defect = !(e instanceof DiagnosticException);
      recorder.ifPresent(it -> it.record(defect, () -> reproducer.apply(Message.reason(e))));
      throw e;
    }
    answer
        .failure()
        .ifPresent(
            why ->
                recorder.ifPresent(
                    it -> it.record(/* defect= */ false, () -> reproducer.apply(why.render()))));
    return answer;
  }

  private Optional<ConstantBudget> constants(ImportedModel model, PipelineResult result) {
    return target.map(
        it -> ConstantBudget.of(ConstantBudget.bytesOf(model), it.map(), result.plans()));
  }

  private static Answer answer(
      PipelineResult result,
      int number,
      String format,
      ByteSource original,
      Optional<ConstantBudget> constants,
      ImmutableList<String> notes) {
    Program program = result.program();
    if (result.plans().isEmpty()) {
      return new Answer.ProgramChanged(program.name(), number, program, result.warnings());
    }
    return new Answer.ProgramPlanned(
        program.name(),
        number,
        format,
        original,
        program,
        result.plans(),
        constants,
        notes,
        result.warnings());
  }

  /**
   * Runs a recorded pipeline again. The answer tells of a plan that failed; what else it fails with
   * is thrown.
   *
   * @param otherDeadline how long it may take, if not as long as is recorded
   * @throws dev.stowage.base.DiagnosticException of a kind {@code input-*} if the recorded pipeline
   *     cannot be read, and of any if it fails because of its input
   * @throws dev.stowage.base.PluginFailedException if a pass has a defect
   */
  public static Answer reproduce(
      Reproducer reproducer,
      Extensions extensions,
      RunOptions options,
      Optional<Duration> otherDeadline) {
    KeptFiles files = new KeptFiles(reproducer.files());
    PassManager manager = extensions.passManager().readingFrom(files);
    Pipeline pipeline = reproducer.pipeline(manager);
    PlanningSettings settings = reproducer.settings(extensions.planner());
    Deadline deadline =
        otherDeadline.or(reproducer::deadline).map(Deadline::after).orElse(Deadline.NONE);
    RunOptions recorded = options.readingFrom(files).withDeadline(deadline);
    PipelineResult result =
        manager.run(
            reproducer.program(),
            pipeline,
            settings,
            reproducer.checked() ? recorded.withChecks() : recorded);
    return answer(result, 0, "stow", ByteSource.empty(), Optional.empty(), ImmutableList.of());
  }

  private Pipeline pipelineFor(ImportedModel model) {
    return pipeline.orElseGet(
        () -> extensions.passManager().pipeline("pipeline", Lowering.defaultPipeline(model)));
  }

  @Override
  public void close() {
    source.close();
  }
}
