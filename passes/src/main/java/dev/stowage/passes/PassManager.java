package dev.stowage.passes;

import static java.util.Objects.requireNonNull;

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
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.passes.PassOrder.Placed;
import dev.stowage.passes.Pipeline.Element;
import dev.stowage.passes.Pipeline.Part;
import dev.stowage.passes.Pipeline.Step;
import dev.stowage.passes.lowering.Profiles;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Runs pipelines: finds each pass by name, checks names, options, levels and order before the first
 * pass runs, and hands the program from one to the next. Immutable; any number of threads may run
 * pipelines at a time.
 */
public final class PassManager {
  private static final ImmutableMap<String, Pipeline> NAMED =
      ImmutableMap.copyOf(Maps.transformValues(Profiles.planCalls(), Pipeline::of));

  private final PluginRegistry<Registered> passes;

  /** A pass with its declaration, which is asked for once. */
  record Registered(Pass pass, PassSpec spec) {}

  /**
   * A manager of the given passes.
   *
   * @throws PluginFailedException if one cannot declare itself
   * @throws DiagnosticException of kind {@code plugin-clash} if two have one name
   */
  public PassManager(Iterable<? extends Pass> passes) {
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
  }

  /** A manager of the passes found on the class path and module path. */
  public static PassManager withInstalledPasses() {
    return withPassesOf(Plugins.NONE);
  }

  /**
   * A manager of the passes found on the class path and module path, and in plug-ins.
   *
   * @throws PluginFailedException if one cannot be loaded
   * @throws DiagnosticException of kind {@code plugin-clash} if two have one name
   */
  public static PassManager withPassesOf(Plugins plugins) {
    return new PassManager(plugins.providers(loader -> ServiceLoader.load(Pass.class, loader)));
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
   * expand to, options stand in the order declared, defaults are left out.
   *
   * @param source what the text is called in errors, such as {@code --pipeline}
   * @throws DiagnosticException of kind {@code syntax}, {@code unknown-pass}, {@code
   *     unknown-option}, {@code option-value}, {@code wrong-level} or {@code misplaced-pass}
   */
  public Pipeline pipeline(String source, String text) {
    return pipeline(Pipeline.parse(source, text));
  }

  /** The canonical form of a pipeline that somebody else has read; checked as in the other. */
  Pipeline pipeline(Pipeline parsed) {
    Pipeline canonical = new Pipeline(canonical(parsed.elements(), Level.PROGRAM));
    new PassOrder(ImmutableMap.of(), specs()).check(placed(canonical));
    return canonical;
  }

  private ImmutableList<Element> canonical(ImmutableList<Element> elements, Level level) {
    ImmutableList.Builder<Element> canonical = ImmutableList.builder();
    for (Element element : elements) {
      if (element instanceof Part part) {
        canonical.add(new Part(part.level(), canonical(part.elements(), part.level())));
        continue;
      }
      Call call = ((Step) element).call();
      Pipeline named = NAMED.get(call.name());
      if (named != null && !passes.names().contains(call.name())) {
        canonical.addAll(canonical(expand(call, named), level));
        continue;
      }
      Registered pass = passes.get(call);
      checkLevel(call, pass, level);
      Options options = Options.bind(call, pass.spec().options());
      pass.spec().check(options);
      canonical.add(new Step(options.canonical()));
    }
    return canonical.build();
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
    new PassOrder(ImmutableMap.of(Fact.PLAN, hasPlan(program)), specs()).check(placed(canonical));
    List<PassStep> steps = new ArrayList<>();
    ImmutableList<Call> calls = canonical.passes();
    for (Call call : calls) {
      Registered pass = passes.get(call);
      steps.add(new PassStep(steps.size() + 1, calls.size(), call, pass.pass(), pass.spec()));
    }
    return new PipelineRun(settings, options).run(program, canonical, steps);
  }

  private static boolean hasPlan(Program program) {
    return program.methods().stream().anyMatch(MemoryKeys::hasPlan);
  }
}
