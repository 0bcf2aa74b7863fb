package dev.stowage.passes;

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
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.passes.lowering.Profiles;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs pipelines: finds each pass by name, checks all options before the first pass runs, and hands
 * the program from one to the next.
 */
public final class PassManager {
  private static final Logger logger = LoggerFactory.getLogger(PassManager.class);

  private final PluginRegistry<Pass> passes;

  /** A manager of the given passes. */
  public PassManager(Iterable<Pass> passes) {
    this.passes =
        new PluginRegistry<>("pass", Kinds.UNKNOWN_PASS, passes, pass -> pass.spec().name());
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

  /** The declarations of all passes, sorted by name. */
  public ImmutableList<PassSpec> passes() {
    return passes.all().stream().map(Pass::spec).collect(ImmutableList.toImmutableList());
  }

  /** The pipelines that have a name, as what they expand to. */
  public static ImmutableMap<String, Pipeline> namedPipelines() {
    return ImmutableMap.copyOf(
        Maps.transformValues(Profiles.planCalls(), plan -> new Pipeline(ImmutableList.of(plan))));
  }

  /** The pipeline of a text, which may be just the name of one. */
  public Pipeline pipeline(String source, String text) {
    Pipeline named = namedPipelines().get(text.strip());
    Pipeline pipeline = named == null ? Pipeline.parse(source, text) : named;
    check(pipeline);
    return pipeline;
  }

  /**
   * Checks names and options of all passes.
   *
   * @throws DiagnosticException of kind {@code unknown-pass}, {@code unknown-option} or {@code
   *     option-value}
   */
  public void check(Pipeline pipeline) {
    for (Call call : pipeline.passes()) {
      Options.bind(call, passes.get(call).spec().options());
    }
  }

  /**
   * Runs a pipeline on a program.
   *
   * @throws DiagnosticException if the program is not what a pass can handle
   * @throws PluginFailedException if a pass has a defect
   */
  public PipelineResult run(Program program, Pipeline pipeline, PlanningSettings settings) {
    check(pipeline);
    Analyses analyses = new Analyses();
    List<PlannedMethod> plans = new ArrayList<>();
    Program current = program;
    for (Call call : pipeline.passes()) {
      Pass pass = passes.get(call);
      Options options = Options.bind(call, pass.spec().options());
      logger.debug("running {} on {}", call, current.name());
      try {
        current = pass.run(current, new PassContext(options, settings, analyses, plans));
      } catch (DiagnosticException | PluginFailedException e) {
        throw e;
      } catch (RuntimeException | StackOverflowError | AssertionError e) {
        throw new PluginFailedException("pass", call.name(), pass.getClass(), e);
      }
    }
    return new PipelineResult(current, ImmutableList.copyOf(plans));
  }
}
