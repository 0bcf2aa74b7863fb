package dev.stowage.passes;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.Options;
import dev.stowage.passes.analysis.Analyses;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a pass may use while it runs, and where it leaves what is no part of the program. There is
 * one for each run on a program, method or graph.
 */
public final class PassContext {
  private final PassSpec spec;
  private final Options options;
  private final ImmutableList<Options> earlierRuns;
  private final ImmutableList<PlannedMethod> earlierPlans;
  private final PlanningSettings settings;
  private final Analyses analyses;
  private final Deadline deadline;
  private final FileAccess files;
  private final Map<Statistic, Long> counts = new LinkedHashMap<>();
  private final List<Diagnostic> warnings = new ArrayList<>();
  private final Map<Diagnostic, Boolean> expectations = new LinkedHashMap<>();
  private final StringBuilder printed = new StringBuilder();
  private ImmutableList<PlannedMethod> plans = ImmutableList.of();

  PassContext(
      PassSpec spec,
      Options options,
      ImmutableList<Options> earlierRuns,
      ImmutableList<PlannedMethod> earlierPlans,
      PlanningSettings settings,
      Analyses analyses,
      Deadline deadline,
      FileAccess files) {
    this.spec = spec;
    this.options = options;
    this.earlierRuns = earlierRuns;
    this.earlierPlans = earlierPlans;
    this.settings = settings;
    this.analyses = analyses;
    this.deadline = deadline;
    this.files = files;
  }

  /** The value of an option that the pass declares. */
  public <T> T get(OptionSpec<T> option) {
    return options.get(option);
  }

  /** How the pass was called: for errors that point at an option. */
  public Call call() {
    return options.call();
  }

  /** All options, with how the pass was called. */
  public Options options() {
    return options;
  }

  /**
   * How this pass was called before in this pipeline, in order: for errors that tell where
   * something comes from.
   */
  public ImmutableList<Options> earlierRuns() {
    return earlierRuns;
  }

  /** What planning has made of methods before in this pipeline, also where that is no plan. */
  public ImmutableList<PlannedMethod> earlierPlans() {
    return earlierPlans;
  }

  /** What the caller and the file ask of planning. */
  public PlanningSettings settings() {
    return settings;
  }

  /** Facts about methods, computed on demand and cached. */
  public Analyses analyses() {
    return analyses;
  }

  /** When the pass must have ended. */
  public Deadline deadline() {
    return deadline;
  }

  /**
   * The content of a text file that an option names, in UTF-8 and decompressed where it is gzip.
   * Passes read files in this way only, so that a reproducer of a failure has them.
   *
   * @param call of this pass, now or earlier in the pipeline
   * @param option that names it
   * @throws DiagnosticException of kind {@code input-unreadable}, pointing at the option, or {@code
   *     input-syntax} if it is no such text
   */
  public String readFile(Call call, OptionSpec<?> option, String file) {
    return CheckContext.readFile(files, call, option, file);
  }

  /** Adds to a statistic that the pass declares. */
  public void count(Statistic statistic, long more) {
    checkArgument(spec.statistics().contains(statistic), "%s does not declare %s", spec, statistic);
    counts.merge(statistic, more, Math::addExact);
  }

  /** Tells the user of something that may be a mistake, and goes on. */
  public void warn(Diagnostic warning) {
    warnings.add(warning);
  }

  /**
   * Tells the user, once, unless what was expected is met by this run or by that on some other
   * method or graph of the program.
   */
  public void expect(boolean met, Diagnostic otherwise) {
    expectations.merge(otherwise, met, Boolean::logicalOr);
  }

  /** Shows a text to the user, after those of methods and graphs that come before. */
  public void print(String text) {
    printed.append(text);
  }

  /** Leaves plans for the caller, each in the place of an earlier one of the same method. */
  public void replacePlans(List<PlannedMethod> newPlans) {
    plans = ImmutableList.copyOf(newPlans);
  }

  ImmutableList<PlannedMethod> plans() {
    return plans;
  }

  ImmutableMap<Statistic, Long> counts() {
    return ImmutableMap.copyOf(counts);
  }

  ImmutableList<Diagnostic> warnings() {
    return ImmutableList.copyOf(warnings);
  }

  ImmutableMap<Diagnostic, Boolean> expectations() {
    return ImmutableMap.copyOf(expectations);
  }

  String printed() {
    return printed.toString();
  }
}
