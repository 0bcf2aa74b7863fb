package dev.stowage.cli;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.ByteSize;
import dev.stowage.base.Call;
import dev.stowage.driver.Extensions;
import dev.stowage.driver.FailureRecorder;
import dev.stowage.driver.Pipelines;
import dev.stowage.driver.Stowage;
import dev.stowage.driver.Targets;
import dev.stowage.memmap.Target;
import dev.stowage.passes.RunOptions;
import dev.stowage.planning.Limits;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stowage plan}. */
@CommandLine.Command(
    name = "plan",
    description = "Plans where each tensor lies, verifies the plan, and shows it.",
    footer = {
      "",
      "Examples:",
      "  stowage plan model.tflite",
      "  stowage plan problem.json --strategy 'greedy{overlap=false}' -o plan.json",
      "  stowage plan problems.jsonl.gz --json > plans.jsonl",
      "  stowage plan model.tflite --pipeline default -o planned.stow",
      "  stowage plan model.tflite --target stm32h743",
      "  stowage plan model.tflite --target stm32h743 --why-not-lower dtcm",
      "  stowage plan model.tflite --explain conv1",
      "  stowage plan model.tflite --plugin acme.jar --target board.json",
      "  stowage plan model.tflite --pipeline 'pin-pool{mem-id=2,op=CONV*},tflm'",
      "",
      "-o FILE writes plans by the ending of FILE: .json and .jsonl (one plan a line),",
      ".csv (a solution for MiniMalloc), .stow (a program with its plan) and those of",
      "plug-ins, each with or without .gz; -o - is --json. A plan with an error is not",
      "written; where there are several, an error stands in its place.",
      "",
      "Exit codes: 0 planned; 1 no plan, an error in a plan, or one of several failed;",
      "2 wrong usage; 3 input invalid or output unwritable; 4 defect of Stowage;",
      "5 plug-in failed; 6 deadline or budget reached.",
    })
final class PlanCommand extends Command {
  private static final String DEFAULT_REPRODUCER = "stowage-reproducer.stow";

  @Parameters(
      arity = "1..*",
      paramLabel = "MODEL",
      description = "Models or problems (.tflite .stow .json .jsonl .csv); - is standard input.")
  private List<String> models = List.of();

  @Mixin private final OutputOptions output = new OutputOptions();

  @Mixin private final PluginOptions plugins = new PluginOptions();

  @Option(
      names = "--strategy",
      paramLabel = "CALL",
      description = "How to place, such as greedy or naive; see stowage list strategies.")
  private @Nullable String strategy;

  @Option(
      names = "--pipeline",
      paramLabel = "TEXT",
      description = {
        "Passes for models, the name of a pipeline, or @FILE with either; see stowage list",
        "passes and stowage list pipelines."
      })
  private @Nullable String pipeline;

  @Option(
      names = "--target",
      paramLabel = "NAME|FILE",
      description = {
        "Plan models for the banks of a target: one of stowage list targets, or a .json",
        "file that describes one."
      })
  private @Nullable String target;

  @Option(
      names = "--alignment",
      paramLabel = "BYTES",
      description = "Align to so many bytes, whatever the file says.")
  private @Nullable String alignment;

  @Option(
      names = "--capacity",
      paramLabel = "BYTES",
      description = "Bytes of the arena, such as 64KiB, where there are no banks.")
  private @Nullable String capacity;

  @Option(
      names = "--reproducer",
      paramLabel = "FILE",
      description = {
        "Record the first pipeline that fails for any reason, also that there is no plan, for",
        "stowage run-reproducer. Without it, a defect of a pass is recorded in",
        DEFAULT_REPRODUCER + "."
      })
  private @Nullable String reproducer;

  @Mixin private final ExplainOptions explain = new ExplainOptions();

  @Mixin private final PipelineOptions pipelines = new PipelineOptions();

  @Override
  int run(Run run) throws IOException {
    checkFiles();
    try (Extensions extensions = plugins.open(pipelines.deadline())) {
      Optional<Target> banks = checkOptions(run, extensions);
      // Looking for passes takes time, which plans of problems need not spend.
      PipelineOptions.Instruments instruments =
          pipelines.open(extensions::passManager, run.messages()::raw);
      try {
        return run(run, extensions, banks, instruments);
      } finally {
        instruments.show(run.messages()::raw);
      }
    }
  }

  private int run(
      Run run,
      Extensions extensions,
      Optional<Target> banks,
      PipelineOptions.Instruments instruments)
      throws IOException {
    String file = output.file();
    boolean standardJson = output.json() || STANDARD_STREAM.equals(file);
    if (file == null || file.equals(STANDARD_STREAM)) {
      return plan(
          run, extensions, banks, instruments, new PlanReport(run, this, standardJson, null));
    }
    run.out().goOnWithoutReader();
    try (PlanFile plans = PlanFile.open(file, extensions)) {
      return plan(
          run, extensions, banks, instruments, new PlanReport(run, this, standardJson, plans));
    }
  }

  private int plan(
      Run run,
      Extensions extensions,
      Optional<Target> banks,
      PipelineOptions.Instruments instruments,
      PlanReport report)
      throws IOException {
    RunOptions options = instruments.options().observedBy(report.observer());
    FailureRecorder recorder =
        new FailureRecorder(
            reproducer == null ? DEFAULT_REPRODUCER : reproducer,
            /* ofAnyFailure= */ reproducer != null,
            inputs(),
            run.messages()::note);
    for (String model : models) {
      report.add(
          model,
          () ->
              configure(Stowage.open(model, run.terminal().in(), extensions), banks)
                  .runOptions(options)
                  .progress(quiet() ? line -> {} : run.messages()::note)
                  .recordFailure(recorder));
    }
    return report.finish();
  }

  /** True if there is more than one file. */
  boolean severalFiles() {
    return models.size() > 1;
  }

  /** Everything that is read. */
  private ImmutableList<String> inputs() {
    ImmutableList.Builder<String> inputs = ImmutableList.builder();
    inputs.addAll(plugins.andJars(models));
    Optional.ofNullable(pipeline).flatMap(Pipelines::file).ifPresent(inputs::add);
    Optional.ofNullable(target).ifPresent(inputs::add);
    return inputs.build();
  }

  private void checkFiles() {
    ImmutableList.Builder<String> outputs = ImmutableList.builder();
    outputs.add(output.fileOrStandardOutput());
    if (reproducer != null) {
      if (reproducer.isEmpty() || reproducer.equals(STANDARD_STREAM)) {
        throw badValue(
            "--reproducer",
            reproducer,
            "is no file, and standard output is for plans",
            "give the name of a file, such as " + DEFAULT_REPRODUCER);
      }
      outputs.add(reproducer);
    }
    checkFiles(inputs(), outputs.build());
  }

  ExplainOptions explain() {
    return explain;
  }

  /** Finds wrong usage before any model is read; gives the target if there is one. */
  private Optional<Target> checkOptions(Run run, Extensions extensions) {
    if (strategy != null) {
      extensions.planner().check(Call.parse("--strategy", strategy));
    }
    if (pipeline != null) {
      Pipelines.read(pipeline, extensions.passManager());
    }
    if (target != null && capacity != null) {
      throw usage(
          "--capacity and --target are both given, but a target has banks with sizes",
          "leave out one of them");
    }
    if (alignment != null) {
      alignment(alignment);
    }
    if (capacity != null) {
      parseCapacity(capacity);
    }
    return target == null
        ? Optional.empty()
        : Optional.of(Targets.find(target, run.terminal().in(), extensions));
  }

  private Stowage configure(Stowage session, Optional<Target> banks) {
    if (strategy != null) {
      session.strategy(strategy);
    }
    if (pipeline != null) {
      session.pipeline(pipeline);
    }
    banks.ifPresent(session::target);
    if (alignment != null) {
      session.alignment(alignment(alignment));
    }
    if (capacity != null) {
      session.capacity(parseCapacity(capacity));
    }
    pipelines.deadline().ifPresent(session::deadline);
    return session;
  }

  private static int alignment(String text) {
    return parseNumber("--alignment", text, Limits.MAX_ALIGNMENT, "number of bytes", 16);
  }

  private static long parseCapacity(String text) {
    try {
      return ByteSize.parse(text);
    } catch (IllegalArgumentException e) {
      throw badValue(
          "--capacity",
          text,
          "is no size: " + e.getMessage(),
          "give a number of bytes, or a size such as 64KiB");
    }
  }
}
