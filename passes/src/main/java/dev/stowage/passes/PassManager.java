package dev.stowage.passes;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import dev.stowage.base.Call;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Options;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.PluginRegistry;
import dev.stowage.base.Plugins;
import dev.stowage.ir.Program;
import dev.stowage.passes.PassOrder.Placed;
import dev.stowage.passes.Pipeline.Element;
import dev.stowage.passes.Pipeline.Part;
import dev.stowage.passes.Pipeline.Step;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.passes.memory.AnnotateSharedAllocPass;
import dev.stowage.passes.memory.ApplyTargetRulesPass;
import dev.stowage.planning.Planner;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/**
 * Runs pipelines: finds each pass by name, checks names, options, levels and order before the first
 * pass runs, and hands the program from one to the next. Immutable; any number of threads may run
 * pipelines at a time.
 */
public final class PassManager {
  /** Stands for all passes where passes are named to be observed. */
  public static final String ALL = "all";

  private static final ImmutableMap<String, Pipeline> NAMED =
      ImmutableMap.copyOf(
          Maps.transformValues(
              Profiles.planCalls(),
              plan ->
                  Pipeline.of(
                      Call.of(AnnotateSharedAllocPass.NAME),
                      Call.of(ApplyTargetRulesPass.NAME),
                      plan)));

  /** Names that mean something else where a pass is named. */
  private static final ImmutableMap<String, String> RESERVED = reserved();

  private final PluginRegistry<Registered> passes;
  private final Supplier<Planner> planner;
  private final FileAccess files;

  /** A pass with its declaration, which is asked for once. */
  record Registered(Pass pass, PassSpec spec) {}

  /**
   * A manager of the given passes, with the installed strategies.
   *
   * @throws PluginFailedException if one cannot declare itself
   * @throws DiagnosticException of kind {@code plugin-clash} if two have one name, or one that of a
   *     pipeline or level
   */
  public PassManager(Iterable<? extends Pass> passes) {
    this(passes, Planner::withInstalledStrategies);
  }

  /**
   * A manager of the given passes.
   *
   * @param planner knows the strategies that passes may name; asked for once, when a pass does
   * @throws PluginFailedException if one cannot declare itself
   * @throws DiagnosticException of kind {@code plugin-clash} if two have one name, or one that of a
   *     pipeline or level
   */
  public PassManager(Iterable<? extends Pass> passes, Supplier<Planner> planner) {
    this.planner = Suppliers.memoize(planner::get);
    files = FileAccess.DISK;
    ImmutableList.Builder<Registered> registered = ImmutableList.builder();
    for (Pass pass : passes) {
      registered.add(new Registered(pass, specOf(pass)));
    }
    this.passes =
        new PluginRegistry<>(
            "pass",
            Kinds.UNKNOWN_PASS,
            registered.build(),
            it -> it.spec().name(),
            it -> it.pass().getClass());
    for (Registered each : this.passes.all()) {
      String name = each.spec().name();
      if (RESERVED.containsKey(name)) {
        throw PluginRegistry.reserved("pass", name, RESERVED.get(name), each.pass().getClass())
            .asException();
      }
    }
  }

  private PassManager(PassManager other, FileAccess files) {
    passes = other.passes;
    planner = other.planner;
    this.files = files;
  }

  /** A manager of the same passes that takes the files which options name from somewhere else. */
  public PassManager readingFrom(FileAccess newFiles) {
    return new PassManager(this, newFiles);
  }

  private static ImmutableMap<String, String> reserved() {
    ImmutableMap.Builder<String, String> meanings = ImmutableMap.builder();
    NAMED.forEach((name, pipeline) -> meanings.put(name, "the pipeline " + pipeline));
    for (Level level : Level.values()) {
      meanings.put(level.word(), "a level of pipelines");
    }
    return meanings.put(ALL, "all passes").buildOrThrow();
  }

  /** A manager of the passes found on the class path and module path. */
  public static PassManager withInstalledPasses() {
    return withPassesOf(Plugins.NONE, Planner::withInstalledStrategies);
  }

  /**
   * A manager of the passes found on the class path and module path, and in plug-ins.
   *
   * @param planner knows the strategies that passes may name; asked for once, when a pass does
   * @throws PluginFailedException if one cannot be loaded
   * @throws DiagnosticException of kind {@code plugin-clash} if two have one name, or one that of a
   *     pipeline or level
   */
  public static PassManager withPassesOf(Plugins plugins, Supplier<Planner> planner) {
    return new PassManager(
        plugins.providers(loader -> ServiceLoader.load(Pass.class, loader)), planner);
  }

  private static PassSpec specOf(Pass pass) {
    Class<?> type = pass.getClass();
    return PluginFailedException.guard(
        "pass",
        type.getName(),
        type,
        () -> requireNonNull(pass.spec(), "it returned null in place of its declaration"));
  }

  /** All passes, sorted by name. */
  public ImmutableList<Pass> passes() {
    return passes.all().stream().map(Registered::pass).collect(ImmutableList.toImmutableList());
  }

  /** The declarations of all passes, sorted by name. */
  public ImmutableList<PassSpec> specs() {
    return passes.all().stream().map(Registered::spec).collect(ImmutableList.toImmutableList());
  }

  /** The pipelines that have a name, as what they expand to. */
  public static ImmutableMap<String, Pipeline> namedPipelines() {
    return NAMED;
  }

  /**
   * The pipeline of a text, in canonical form: pipelines that have a name are replaced by what they
   * expand to, options stand in the order declared, defaults are left out. Files that options name
   * are read now, and not again when the pipeline runs.
   *
   * @param source what the text is called in errors, such as {@code --pipeline}
   * @throws DiagnosticException of kind {@code syntax}, {@code unknown-pass}, {@code
   *     unknown-strategy}, {@code unknown-option}, {@code option-value}, {@code wrong-level} or
   *     {@code misplaced-pass}; of a kind {@code input-*} if a file that an option names is wrong
   * @throws PluginFailedException if a pass has a defect
   */
  public Pipeline pipeline(String source, String text) {
    return pipeline(Pipeline.parse(source, text));
  }

  /** The canonical form of a pipeline that somebody else has read; checked as in the other. */
  Pipeline pipeline(Pipeline parsed) {
    Pipeline canonical = new Pipeline(canonical(parsed.elements(), Level.PROGRAM));
    new PassOrder(Fact::mayBeSoOfInput, specs()).check(placed(canonical));
    return canonical;
  }

  private ImmutableList<Element> canonical(ImmutableList<Element> elements, Level level) {
    ImmutableList.Builder<Element> canonical = ImmutableList.builder();
    for (Element element : elements) {
      if (element instanceof Part part) {
        canonical.add(new Part(part.level(), canonical(part.elements(), part.level())));
        continue;
      }
      Step step = (Step) element;
      Call call = step.call();
      Pipeline named = NAMED.get(call.name());
      if (named != null) {
        canonical.addAll(canonical(expand(call, named), level));
        continue;
      }
      Registered pass = passes.get(call, NAMED.keySet());
      checkLevel(call, pass, level);
      canonical.add(isRead(step, pass) ? step : new Step(read(call, pass)));
    }
    return canonical.build();
  }

  /** True if a manager with the same pass has read and checked the options already. */
  private static boolean isRead(Step step, Registered pass) {
    return step.options().map(options -> options.areOf(pass.spec().options())).orElse(false);
  }

  private Options read(Call call, Registered pass) {
    return PluginFailedException.guard(
        "pass",
        call.name(),
        pass.pass().getClass(),
        () -> {
          Options options = Options.bind(call, pass.spec().options());
          pass.spec().check(options, new CheckContext(planner.get(), files));
          return options.canonical();
        });
  }

  /** The passes of a pipeline at the place of its name, so that errors about them point there. */
  private static ImmutableList<Element> expand(Call name, Pipeline named) {
    if (!name.options().isEmpty()) {
      throw name.diagnose(Kinds.UNKNOWN_OPTION, "the pipeline " + name.name() + " takes no options")
          .help("write what it stands for, with options: " + named)
          .asException();
    }
    return named.passes().stream()
        .map(call -> new Step(call.at(name)))
        .collect(ImmutableList.toImmutableList());
  }

  private static void checkLevel(Call call, Registered pass, Level level) {
    Level own = Level.of(pass.pass());
    if (!own.fitsInto(level)) {
      String part = level.word() + "(...)";
      throw call.diagnose(
              Kinds.WRONG_LEVEL,
              call.name() + " runs on a whole " + own.word() + ", and cannot stand in " + part)
          .help("move it out of " + part)
          .asException();
    }
  }

  private ImmutableList<Placed> placed(Pipeline pipeline) {
    return pipeline.passes().stream()
        .map(call -> new Placed(call, passes.get(call).spec()))
        .collect(ImmutableList.toImmutableList());
  }

  /** Runs a pipeline on a program; see the other {@code run}. */
  public PipelineResult run(Program program, Pipeline pipeline, PlanningSettings settings) {
    return run(program, pipeline, settings, RunOptions.DEFAULT);
  }

  /**
   * Runs a pipeline on a program.
   *
   * @throws DiagnosticException if something is wrong with the pipeline, as {@link #pipeline} would
   *     find, or the program is not what a pass can handle; of kind {@code deadline} if time runs
   *     out
   * @throws PluginFailedException if a pass has a defect
   */
  public PipelineResult run(
      Program program, Pipeline pipeline, PlanningSettings settings, RunOptions options) {
    Pipeline canonical = new Pipeline(canonical(pipeline.elements(), Level.PROGRAM));
    new PassOrder(fact -> fact.isSoOf(program), specs()).check(placed(canonical));
    List<PassStep> steps = new ArrayList<>();
    ImmutableList<Step> all = canonical.steps();
    for (Step step : all) {
      Registered pass = passes.get(step.call());
      Options read = step.options().orElseThrow();
      steps.add(new PassStep(steps.size() + 1, all.size(), read, pass.pass(), pass.spec()));
    }
    return new PipelineRun(settings, options).run(program, canonical, steps);
  }
}
