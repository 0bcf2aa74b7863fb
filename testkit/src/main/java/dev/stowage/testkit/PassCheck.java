package dev.stowage.testkit;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.PluginFailedException;
import dev.stowage.ir.AnnotationKey;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.passes.Fact;
import dev.stowage.passes.Pass;
import dev.stowage.passes.PassInstrumentation;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PassReport;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.PassStep;
import dev.stowage.passes.Pipeline;
import dev.stowage.passes.PipelineResult;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.passes.RunOptions;
import dev.stowage.passes.Statistic;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a pass is what it declares to be:
 *
 * <pre>
 * PassCheck.of(new NpuTilePass()).check();
 * PassCheck.of(new NpuPinPass()).with("op=relu").check();
 * </pre>
 *
 * <p>It runs the pass through {@link PassManager} on seeded random programs of many shapes, on real
 * ones that come with the test kit, and on the author's own. It checks that
 *
 * <ul>
 *   <li>the program is well formed afterwards, and the same when printed and parsed;
 *   <li>it is the same object, and its methods are, where nothing changed, and a pass that declares
 *       to be read-only changes nothing;
 *   <li>the analyses and plans that it declares to preserve are still right;
 *   <li>the result is the same again, with several threads, on an equal program, after other
 *       programs, and from another instance of its class;
 *   <li>running it twice changes nothing more, where it declares so;
 *   <li>it has no fields that change, and its options are read as they are written.
 * </ul>
 *
 * <p>A pass may refuse programs by a {@link DiagnosticException}, but not all of them. What it
 * requires of its input, installed passes establish before it runs. Immutable.
 */
public final class PassCheck {
  private static final int SEEDS = 60;

  /** For programs that have a plan already. */
  private static final int PLANNED_SEEDS = 15;

  /** Longer texts are not shown. */
  private static final int SHOWN_CHARACTERS = 3_000;

  private static final int THREADS = 4;

  private final Pass pass;
  private final String options;
  private final PlanningSettings settings;
  private final ImmutableList<Program> ownPrograms;

  private PassCheck(
      Pass pass, String options, PlanningSettings settings, ImmutableList<Program> ownPrograms) {
    this.pass = pass;
    this.options = options;
    this.settings = settings;
    this.ownPrograms = ownPrograms;
  }

  /** A check of a pass without options. */
  public static PassCheck of(Pass pass) {
    return new PassCheck(pass, /* options= */ "", PlainSettings.create(), ImmutableList.of());
  }

  /**
   * The same with options.
   *
   * @param newOptions as between the braces of a call: {@code op=relu,max-bytes=4KiB}
   */
  public PassCheck with(String newOptions) {
    return new PassCheck(pass, newOptions, settings, ownPrograms);
  }

  /** The same with other settings of planning, such as banks; one arena unless set. */
  public PassCheck settings(PlanningSettings newSettings) {
    return new PassCheck(pass, options, newSettings, ownPrograms);
  }

  /** The same with programs of the author's in addition. */
  public PassCheck on(Program... more) {
    return new PassCheck(
        pass,
        options,
        settings,
        ImmutableList.<Program>builder().addAll(ownPrograms).add(more).build());
  }

  /**
   * Checks everything.
   *
   * @throws AssertionError for the first thing that does not hold
   * @throws DiagnosticException if the options are not what the pass takes
   */
  public void check() {
    new Run(this).run();
  }

  /** What a run left: a program, or why there is none, and what else a user sees. */
  private record Outcome(
      @Nullable Program program,
      String printed,
      ImmutableList<Diagnostic> warnings,
      ImmutableMap<Statistic, Long> statistics,
      Optional<Diagnostic> refusal) {}

  /** Keeps what the last pass counted. */
  private static final class LastReport implements PassInstrumentation {
    private ImmutableMap<Statistic, Long> statistics = ImmutableMap.of();

    @Override
    public void passFinished(PassStep step, PassReport report) {
      statistics = report.statistics();
    }
  }

  /** One check of a pass. */
  private static final class Run {
    private final Pass pass;
    private final PassSpec spec;
    private final PlanningSettings settings;
    private final ImmutableList<Program> ownPrograms;
    private final PassManager manager;
    private final Pipeline pipeline;

    /** True unless others must run before it in the same pipeline. */
    private final boolean alone;

    Run(PassCheck check) {
      pass = check.pass;
      spec = pass.spec();
      settings = check.settings;
      ownPrograms = check.ownPrograms;
      manager = managerWith(pass);
      List<String> passes = new ArrayList<>(establishing(/* ofInput= */ false));
      alone = passes.isEmpty();
      passes.add(check.options.isEmpty() ? spec.name() : spec.name() + "{" + check.options + "}");
      pipeline = manager.pipeline("the options", String.join(",", passes));
    }

    /** The installed passes, and one in the place of that with its name. */
    private PassManager managerWith(Pass own) {
      ImmutableList.Builder<Pass> passes = ImmutableList.builder();
      passes.add(own);
      for (Pass installed : installed()) {
        if (!installed.spec().name().equals(own.spec().name())) {
          passes.add(installed);
        }
      }
      return new PassManager(passes.build(), settings::planner);
    }

    private static ImmutableList<Pass> installed() {
      return PassManager.withInstalledPasses().passes();
    }

    void run() {
      checkDeclaration();
      ImmutableList<Program> programs = programs();
      List<Outcome> outcomes = new ArrayList<>();
      for (Program program : programs) {
        outcomes.add(judge(program));
      }
      if (outcomes.stream().allMatch(outcome -> outcome.refusal().isPresent())) {
        throw failure(
            "to run on some programs",
            "it refused all " + outcomes.size() + ", the first with " + refusal(outcomes.get(0)));
      }
      // The other way round, so that anything left from one program to the next shows.
      for (int i = programs.size() - 1; i >= 0; i--) {
        compare("the same result after other programs", manager, programs.get(i), outcomes.get(i));
      }
      for (Pass other : SecondInstance.of(pass, Run::installed)) {
        PassManager withOther = managerWith(other);
        for (int i = 0; i < programs.size(); i++) {
          compare(
              "the same result from every instance", withOther, programs.get(i), outcomes.get(i));
        }
      }
    }

    // ---- The declaration

    private void checkDeclaration() {
      Statelessness.fault(pass.getClass())
          .ifPresent(
              fault -> {
                throw failure("one instance serves all threads and all runs", fault);
              });
      if (spec.summary().isEmpty() || spec.summary().endsWith(".")) {
        throw failure(
            "a summary of one line without a full stop", "it is '" + spec.summary() + "'");
      }
      Pipeline again = manager.pipeline("the options", pipeline.toString());
      if (!again.equals(pipeline)) {
        throw failure(
            "options that are read as they are written",
            pipeline + " is read and written as " + again);
      }
    }

    // ---- Programs

    private ImmutableList<Program> programs() {
      ImmutableList.Builder<Program> programs = ImmutableList.builder();
      programs.addAll(ownPrograms).addAll(GeneratedPrograms.empty());
      for (int seed = 0; seed < SEEDS; seed++) {
        programs.add(GeneratedPrograms.of(seed));
      }
      PassManager installed = PassManager.withInstalledPasses();
      for (int seed = SEEDS; seed < SEEDS + PLANNED_SEEDS; seed++) {
        programs.add(
            installed.run(GeneratedPrograms.of(seed), PlanValidity.PLAN, settings).program());
      }
      programs.addAll(Bundled.programs());
      List<String> passes = establishing(/* ofInput= */ true);
      if (passes.isEmpty()) {
        return programs.build();
      }
      Pipeline before = manager.pipeline("before", String.join(",", passes));
      return programs.build().stream()
          .map(program -> manager.run(program, before, settings).program())
          .collect(ImmutableList.toImmutableList());
    }

    /**
     * Installed passes that establish what the pass requires.
     *
     * @param ofInput whether it is what can be so of an input, or what is so only in the pipeline
     *     of the pass that establishes it
     */
    private List<String> establishing(boolean ofInput) {
      List<String> names = new ArrayList<>();
      for (PassSpec.Requirement requirement : spec.requires()) {
        Fact fact = requirement.fact();
        if (fact.ofInput().isPresent() != ofInput) {
          continue;
        }
        manager.specs().stream()
            .filter(other -> other.establishes().contains(fact) && !other.equals(spec))
            .findFirst()
            .ifPresent(other -> names.add(other.name()));
      }
      return names;
    }

    // ---- Runs

    /** Checks what becomes of a program. */
    private Outcome judge(Program program) {
      Outcome outcome = apply(manager, program, 1, "nothing but what it declares");
      compare("the same result again", manager, program, outcome);
      compareThreads(program, outcome);
      Program after = outcome.program();
      if (after != null) {
        checkChange(program, after);
        checkText(program, after);
        checkTwice(program, after);
        checkPlan(program, after);
      }
      return outcome;
    }

    private Outcome apply(PassManager with, Program program, int threads, String promised) {
      StringBuilder printed = new StringBuilder();
      LastReport report = new LastReport();
      RunOptions options =
          RunOptions.DEFAULT
              .withThreads(threads)
              .withChecks()
              .observedBy(report)
              .printingTo(printed::append);
      try {
        PipelineResult result = with.run(program, pipeline, settings, options);
        return new Outcome(
            result.program(),
            printed.toString(),
            result.warnings(),
            report.statistics,
            Optional.empty());
      } catch (DiagnosticException e) {
        return new Outcome(
            null, "", ImmutableList.of(), ImmutableMap.of(), Optional.of(e.diagnostic()));
      } catch (PluginFailedException e) {
        Throwable cause = e.getCause();
        String why =
            cause instanceof IllegalStateException && cause.getMessage() != null
                ? cause.getMessage()
                : String.valueOf(cause);
        AssertionError error = failure(promised, why, program);
        error.initCause(e);
        throw error;
      }
    }

    private void compare(String promised, PassManager with, Program program, Outcome expected) {
      same(promised, program, expected, apply(with, program, 1, promised));
    }

    private void compareThreads(Program program, Outcome expected) {
      String promised = "the same result with " + THREADS + " threads";
      // Not the same object: nothing may depend on which one it is.
      same(promised, program, expected, apply(manager, copy(program), THREADS, promised));
    }

    /** An equal program without a part in common. */
    private static Program copy(Program program) {
      Program parsed =
          hasKnownKeysOnly(program)
              ? ProgramParser.parse(program.name(), ProgramPrinter.print(program))
              : program;
      return new Program(parsed.name(), ImmutableList.copyOf(parsed.methods()), parsed.states());
    }

    private void same(String promised, Program program, Outcome expected, Outcome actual) {
      if (!expected.equals(actual)) {
        throw failure(promised, difference(expected, actual), program);
      }
    }

    private static String difference(Outcome expected, Outcome actual) {
      if (expected.program() == null || actual.program() == null) {
        return "first " + refusal(expected) + ", then " + refusal(actual);
      }
      if (!expected.program().equals(actual.program())) {
        return firstDifference(
            ProgramPrinter.print(expected.program()), ProgramPrinter.print(actual.program()));
      }
      if (!expected.printed().equals(actual.printed())) {
        return firstDifference(expected.printed(), actual.printed());
      }
      return expected.warnings().equals(actual.warnings())
          ? "first it counted " + expected.statistics() + ", then " + actual.statistics()
          : "first it warned " + expected.warnings() + ", then " + actual.warnings();
    }

    private static String refusal(Outcome outcome) {
      return outcome.refusal().map(Diagnostic::render).orElse("it ran");
    }

    private static String firstDifference(String first, String then) {
      ImmutableList<String> one = first.lines().collect(ImmutableList.toImmutableList());
      ImmutableList<String> other = then.lines().collect(ImmutableList.toImmutableList());
      for (int i = 0; i < Math.max(one.size(), other.size()); i++) {
        String left = i < one.size() ? one.get(i).strip() : "(nothing)";
        String right = i < other.size() ? other.get(i).strip() : "(nothing)";
        if (!left.equals(right)) {
          return "in line " + (i + 1) + " first " + left + ", then " + right;
        }
      }
      return "they differ, though not in their text";
    }

    // ---- What must hold afterwards

    @SuppressWarnings("ReferenceEquality") // passes return the same object where nothing changed
    private void checkChange(Program before, Program after) {
      String promised = "the same object where nothing changed";
      Map<String, Method> old = new HashMap<>();
      before.methods().forEach(method -> old.put(method.name(), method));
      for (Method method : after.methods()) {
        Method was = old.get(method.name());
        if (was != null && was != method && was.equals(method)) {
          throw failure(
              promised,
              "method " + method.name() + " is equal to what it was, but another",
              before);
        }
        if (was != null && was.body() != method.body() && was.body().equals(method.body())) {
          throw failure(
              promised,
              "the body of method " + method.name() + " is equal to what it was, but another",
              before);
        }
      }
      if (before != after && before.equals(after)) {
        throw failure(promised, "the program is equal to what it was, but another", before);
      }
    }

    private void checkText(Program before, Program after) {
      Program printable = withKnownKeys(after);
      String text = ProgramPrinter.print(printable);
      Program parsed;
      try {
        parsed = ProgramParser.parse("its text", text);
      } catch (DiagnosticException e) {
        throw failure("a program that can be printed and parsed", e.getMessage(), before);
      }
      if (!parsed.equals(printable)) {
        throw failure(
            "a program that is the same when printed and parsed",
            firstDifference(text, ProgramPrinter.print(parsed)),
            before);
      }
    }

    private static boolean hasKnownKeysOnly(Program program) {
      return program.methods().stream()
          .allMatch(method -> MemoryKeys.all().containsAll(method.keys()));
    }

    /** The program without annotations that only their owner can read. */
    private static Program withKnownKeys(Program program) {
      ImmutableList.Builder<Method> methods = ImmutableList.builder();
      for (Method method : program.methods()) {
        GraphEditor editor = method.edit();
        for (AnnotationKey<?> key : method.keys()) {
          if (!MemoryKeys.all().contains(key)) {
            editor.clear(key);
          }
        }
        methods.add(editor.build());
      }
      return program.withMethods(methods.build());
    }

    private void checkTwice(Program before, Program after) {
      if (!spec.isIdempotent()
          || !alone
          || spec.requires().stream().anyMatch(it -> spec.destroys().contains(it.fact()))) {
        return;
      }
      String promised = "to change nothing when it runs again";
      Outcome twice = apply(manager, after, 1, promised);
      Program again = twice.program();
      if (again == null) {
        // What no longer has what it requires was taken away by the manager, not by the pass.
        boolean misplaced =
            twice.refusal().map(it -> it.kind().equals(Kinds.MISPLACED_PASS)).orElse(false);
        if (!misplaced) {
          throw failure(promised, refusal(twice), before);
        }
      } else if (!again.equals(after)) {
        throw failure(
            promised,
            firstDifference(ProgramPrinter.print(after), ProgramPrinter.print(again)),
            before);
      }
    }

    private void checkPlan(Program before, Program after) {
      if (!spec.keepsPlan() || spec.isReadOnly() || before.equals(after)) {
        return;
      }
      Program planned = manager.run(before, PlanValidity.PLAN, settings).program();
      Program kept = apply(manager, planned, 1, "a plan that is still right").program();
      if (kept != null) {
        PlanValidity.firstNewFault(planned, kept, settings)
            .ifPresent(
                fault -> {
                  throw failure("a plan that is still right", fault, before);
                });
      }
    }

    // ---- Failures

    private AssertionError failure(String promised, String happened) {
      return new AssertionError(
          "pass " + pipeline + "\n  promised: " + promised + "\n  happened: " + happened);
    }

    private AssertionError failure(String promised, @Nullable String happened, Program program) {
      String text = ProgramPrinter.print(program);
      return new AssertionError(
          "pass "
              + pipeline
              + " on program '"
              + program.name()
              + "'\n  promised: "
              + promised
              + "\n  happened: "
              + happened
              + (text.length() > SHOWN_CHARACTERS
                  ? ""
                  : "\n  program:\n    " + text.strip().replace("\n", "\n    ")));
    }
  }
}
