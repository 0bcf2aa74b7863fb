package dev.stowage.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Message;
import dev.stowage.base.io.JsonLines;
import dev.stowage.driver.Answer;
import dev.stowage.driver.ConstantBudget;
import dev.stowage.driver.Extensions;
import dev.stowage.driver.Fit;
import dev.stowage.driver.Stowage;
import dev.stowage.driver.Targets;
import dev.stowage.memmap.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stowage fit}. */
@CommandLine.Command(
    name = "fit",
    description =
        "Finds how small each bank may be while the others keep their sizes: the smallest size for"
            + " which a plan is found, and the smallest that is not proved too small.",
    footer = {
      "",
      "Examples:",
      "  stowage fit model.tflite --target stm32h743",
      "  stowage fit problem.json --deadline 1min --json",
      "",
      "Exit codes: 0 done; 1 no plan, or one of several failed; 2 wrong usage; 3 input",
      "invalid or output unwritable; 4 defect of Stowage; 5 plug-in failed; 6 deadline",
      "reached before there was a plan.",
    })
final class FitCommand extends Command {
  @Parameters(
      paramLabel = "MODEL",
      description =
          "A model, or problems with banks (.tflite .stow .json .jsonl); - is standard" + " input.")
  private String model = "";

  @Mixin private final OutputOptions output = new OutputOptions();

  @Mixin private final PluginOptions plugins = new PluginOptions();

  @Option(
      names = "--target",
      paramLabel = "NAME|FILE",
      description = {
        "The banks of a target, for a model: one of stowage list targets, or a .json file",
        "that describes one."
      })
  private @Nullable String target;

  @Option(
      names = "--strategy",
      paramLabel = "CALL",
      description = "Plan by this strategy only; without it also by stronger ones.")
  private @Nullable String strategy;

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      description = "End the search after so long, such as 10s or 2min, with what it has found.")
  private @Nullable String deadline;

  @Override
  int run(Run run) throws IOException {
    Tally tally = new Tally();
    List<String> inputs = plugins.andJars(target == null ? List.of(model) : List.of(model, target));
    checkFiles(inputs, List.of(output.fileOrStandardOutput()));
    try (Extensions extensions = plugins.open();
        Stowage session = open(run, extensions);
        Report report = Report.open(run, output.fileOrStandardOutput(), inputs)) {
      for (Iterator<Fit> fits = session.fits(); fits.hasNext(); ) {
        Fit fit = fits.next();
        Optional<Diagnostic> error = fit.answer().error().map(it -> Messages.in(it, model));
        error.ifPresentOrElse(tally::failed, tally::done);
        error.ifPresent(run.messages()::error);
        if (output.json()) {
          // Of several, also what cannot be read has its line; alone it is no answer.
          if (error.isEmpty()
              || ExitCodes.isAnswer(error.get())
              || tally.total() > 1
              || fits.hasNext()) {
            writeJson(report, fit);
          }
        } else if (error.isEmpty()) {
          report.print(text(fit, report.style()));
        }
      }
      report.commit();
    }
    return tally.exitCode();
  }

  /** Finds wrong usage before the model is read. */
  private Stowage open(Run run, Extensions extensions) {
    Optional<Duration> limit =
        Optional.ofNullable(deadline).map(text -> TimeSpans.parse("--deadline", text));
    if (strategy != null) {
      extensions.planner().check(Call.parse("--strategy", strategy));
    }
    Optional<Target> banks =
        Optional.ofNullable(target)
            .map(text -> Targets.find(text, run.terminal().in(), extensions));
    Stowage session = Stowage.open(model, run.terminal().in(), extensions);
    banks.ifPresent(session::target);
    limit.ifPresent(session::deadline);
    if (strategy != null) {
      session.strategy(strategy);
    }
    return quiet() ? session : session.progress(run.messages()::note);
  }

  private static String text(Fit fit, Style style) {
    StringBuilder text = new StringBuilder();
    text.append(style.bold(Text.shorten(fit.answer().name(), Text.WIDTH))).append('\n');
    Table table = new Table(2, "bank", "#size", "#smallest found", "#proven minimum", "#gap");
    for (Fit.Bank bank : fit.banks()) {
      boolean needed = bank.foundBytes() > 0;
      table.row(
          bank.name(),
          Text.number(bank.sizeBytes()),
          needed ? Text.number(bank.foundBytes()) : "not needed",
          needed ? Text.number(bank.provenBytes()) : "",
          needed ? Text.number(bank.foundBytes() - bank.provenBytes()) : "");
    }
    table.appendTo(text, style);
    if (fit.banks().stream().anyMatch(bank -> bank.foundBytes() == 0)) {
      text.append("  not needed: the other banks hold everything, as large as they are\n");
    }
    if (fit.answer() instanceof Answer.ProgramPlanned planned
        && planned.constants().map(ConstantBudget::bytes).orElse(0L) > 0) {
      text.append(
          Message.format(
              "  %,d bytes of constants are not counted\n",
              planned.constants().orElseThrow().bytes()));
    }
    if (!fit.complete()) {
      text.append("  the deadline came first: smaller sizes may do\n");
    }
    return text.toString();
  }

  private static void writeJson(Report report, Fit fit) throws IOException {
    try (JsonGenerator json = JsonLines.generator(report.stream())) {
      json.writeStartObject();
      json.writeStringField("format", "stowage-fit");
      json.writeNumberField("version", 1);
      json.writeStringField("name", fit.answer().name());
      json.writeBooleanField("complete", fit.complete());
      json.writeArrayFieldStart("banks");
      for (Fit.Bank bank : fit.banks()) {
        json.writeStartObject();
        json.writeStringField("name", bank.name());
        json.writeNumberField("mem_id", bank.memId());
        json.writeNumberField("size", bank.sizeBytes());
        json.writeNumberField("smallest_found", bank.foundBytes());
        json.writeNumberField("proven_minimum", bank.provenBytes());
        json.writeBooleanField("optimal", bank.isOptimal());
        json.writeEndObject();
      }
      json.writeEndArray();
      Json.writeError(json, fit.answer().error());
      Json.endLine(json);
    }
  }
}
