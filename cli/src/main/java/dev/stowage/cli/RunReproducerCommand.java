package dev.stowage.cli;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.io.Source;
import dev.stowage.driver.Answer;
import dev.stowage.driver.Extensions;
import dev.stowage.driver.Stowage;
import dev.stowage.passes.Reproducer;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code stowage run-reproducer}. */
@CommandLine.Command(
    name = "run-reproducer",
    description = "Runs a recorded pipeline again, and fails as it failed.",
    footer = {
      "",
      "Examples:",
      "  stowage run-reproducer stowage-reproducer.stow",
      "  stowage run-reproducer failure.stow --plugin acme.jar --print-ir-after-change",
      "",
      "A reproducer is a program with the pipeline in comments above it: edit either and",
      "run it again. Plug-ins are named in it, but only those given by --plugin are used.",
      "The deadline is the recorded one unless --deadline gives another.",
      "",
      "Exit codes: those of the failure; 0 if nothing fails.",
    })
final class RunReproducerCommand extends Command {
  @Parameters(paramLabel = "FILE", description = "A reproducer; - is standard input.")
  private String file = "";

  @Mixin private final PluginOptions plugins = new PluginOptions();

  @Mixin private final PipelineOptions pipelines = new PipelineOptions();

  @Override
  int run(Run run) throws IOException {
    try (Extensions extensions = plugins.open(pipelines.deadline());
        Source source = Source.open(file, run.terminal().in())) {
      PipelineOptions.Instruments instruments =
          pipelines.open(extensions::passManager, run.messages()::raw);
      Reproducer reproducer = Reproducer.parse(source.name(), source.readText());
      if (!quiet()) {
        tell(run, reproducer);
      }
      try {
        Answer answer =
            Stowage.reproduce(reproducer, extensions, instruments.options(), pipelines.deadline());
        return finish(run, answer);
      } finally {
        instruments.show(run.messages()::raw);
      }
    } catch (DiagnosticException e) {
      throw Messages.in(e.diagnostic(), file).asException();
    }
  }

  private static void tell(Run run, Reproducer reproducer) {
    run.messages().note("pipeline " + reproducer.pipeline());
    run.messages()
        .note("recorded by version " + reproducer.version() + ": " + reproducer.failure());
    for (String jar : reproducer.plugins()) {
      run.messages().note("it was run with --plugin " + jar);
    }
  }

  private int finish(Run run, Answer answer) {
    for (Diagnostic warning : answer.warnings()) {
      run.messages().warning(Messages.in(warning, file));
    }
    Optional<Diagnostic> failure = answer.failure();
    if (failure.isPresent()) {
      throw failure.get().asException();
    }
    if (!quiet()) {
      run.out().print("the pipeline runs without a failure\n");
    }
    return ExitCodes.DONE;
  }
}
