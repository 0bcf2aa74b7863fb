package dev.stowage.cli;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Suggestions;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.RunOptions;
import dev.stowage.passes.instrument.IrPrinting;
import dev.stowage.passes.instrument.Statistics;
import dev.stowage.passes.instrument.Timing;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a pipeline is run and what is shown of it, on standard error. */
final class PipelineOptions {
  private static final int MAX_THREADS = 1024;

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      description = "Give up on a plan after so long, such as 500ms, 10s or 2min.")
  private @Nullable String deadline;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Work on so many methods at a time; the result is the same for any number.")
  private @Nullable String threads;

  @Option(
      names = "--verify-each",
      description = "After each pass, check the program, the plan and what the pass promises.")
  private boolean verifyEach;

  @Option(names = "--timing", description = "Show how long each pass and analysis took.")
  private boolean timing;

  @Option(names = "--statistics", description = "Show what passes count.")
  private boolean statistics;

  @Option(
      names = "--print-ir-before",
      paramLabel = "PASS",
      description = "Show the program before a pass, or several: a,b; all is every pass.")
  private @Nullable String printBefore;

  @Option(
      names = "--print-ir-after",
      paramLabel = "PASS",
      description = "Show the program after a pass, or several: a,b; all is every pass.")
  private @Nullable String printAfter;

  @Option(
      names = "--print-ir-after-change",
      description = "Show what each pass changed in the program, as a diff.")
  private boolean printAfterChange;

  /**
   * What is shown when everything has run.
   *
   * @param options for the pipelines
   */
  record Instruments(RunOptions options, Optional<Timing> timing, Optional<Statistics> statistics) {
    /** Shows the tables. */
    void show(Consumer<String> printer) {
      timing.ifPresent(it -> printer.accept(it.table()));
      statistics.ifPresent(it -> printer.accept(it.table()));
    }
  }

  /** The deadline, if there is one. */
  Optional<Duration> deadline() {
    return Optional.ofNullable(deadline).map(text -> TimeSpans.parse("--deadline", text));
  }

  /**
   * Sets up what is to be shown.
   *
   * @throws dev.stowage.base.DiagnosticException if an option has a value that makes no sense
   */
  Instruments open(Supplier<PassManager> manager, Consumer<String> printer) {
    RunOptions options = RunOptions.DEFAULT.printingTo(printer);
    if (threads != null) {
      options =
          options.withThreads(Command.parseNumber("--threads", threads, MAX_THREADS, "number", 4));
    }
    if (verifyEach) {
      options = options.withChecks();
    }
    Optional<Timing> times = timing ? Optional.of(new Timing()) : Optional.empty();
    Optional<Statistics> counts = statistics ? Optional.of(new Statistics()) : Optional.empty();
    if (times.isPresent()) {
      options = options.observedBy(times.get());
    }
    if (counts.isPresent()) {
      options = options.observedBy(counts.get());
    }
    if (printBefore != null) {
      options =
          options.observedBy(
              IrPrinting.before(names(manager.get(), "--print-ir-before", printBefore), printer));
    }
    if (printAfter != null) {
      options =
          options.observedBy(
              IrPrinting.after(names(manager.get(), "--print-ir-after", printAfter), printer));
    }
    if (printAfterChange) {
      options = options.observedBy(IrPrinting.afterChange(printer));
    }
    return new Instruments(options, times, counts);
  }

  private static List<String> names(PassManager manager, String option, String text) {
    List<String> known =
        ImmutableList.<String>builder()
            .addAll(manager.specs().stream().map(PassSpec::name).iterator())
            .add(IrPrinting.ALL)
            .build();
    List<String> names = Splitter.on(',').trimResults().splitToList(text);
    for (String name : names) {
      if (!known.contains(name)) {
        throw Diagnostic.of(Kinds.UNKNOWN_PASS, option + ": there is no pass called '" + name + "'")
            .help(Suggestions.help(name, known))
            .asException();
      }
    }
    return names;
  }
}
