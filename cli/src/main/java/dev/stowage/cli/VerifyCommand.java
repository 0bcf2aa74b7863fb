package dev.stowage.cli;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.core.JsonGenerator;
import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Message;
import dev.stowage.base.io.JsonLines;
import dev.stowage.base.io.Source;
import dev.stowage.driver.Extensions;
import dev.stowage.driver.Replaying;
import dev.stowage.driver.Stowage;
import dev.stowage.driver.Targets;
import dev.stowage.driver.Verdict;
import dev.stowage.formats.plan.FindingJson;
import dev.stowage.verifier.RatedFinding;
import java.io.IOException;
import java.util.Iterator;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stowage verify}. */
@CommandLine.Command(
    name = "verify",
    description = "Checks plans against what they are plans of, and lists every finding.",
    footer = {
      "",
      "Examples:",
      "  stowage verify model.tflite plan.json",
      "  stowage plan problems.jsonl --json | stowage verify problems.jsonl -",
      "  stowage verify planned.stow",
      "",
      "Exit codes: 0 no errors; 1 an error in a plan, or one of several failed;",
      "2 wrong usage; 3 input invalid or output unwritable; 4 defect of Stowage;",
      "5 plug-in failed.",
    })
final class VerifyCommand extends Command {
  @Parameters(
      index = "0",
      paramLabel = "MODEL",
      description = "What was planned: a model or problems; - is standard input.")
  private String model = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PLAN",
      description = "The plans, as stowage plan writes them; without it those in MODEL itself.")
  private @Nullable String plan;

  @Mixin private final OutputOptions output = new OutputOptions();

  @Mixin private final PluginOptions plugins = new PluginOptions();

  @Option(
      names = "--target",
      paramLabel = "NAME|FILE",
      description = "The target that the model was planned for, if it was.")
  private @Nullable String target;

  @ArgGroup private ReplayOptions replay = new ReplayOptions();

  /** Whether a plan is replayed; at most one of them. */
  static final class ReplayOptions {
    @Option(names = "--replay", description = "Replay the schedule of a model however long it is.")
    private boolean always;

    @Option(names = "--no-replay", description = "Do not replay the schedule of a model.")
    private boolean never;

    @Option(
        names = "--replay-bytes",
        description = "Replay the schedule of a model in real memory, four times the arenas.")
    private boolean inMemory;

    Replaying wanted() {
      return always
          ? Replaying.ALWAYS
          : never ? Replaying.NEVER : inMemory ? Replaying.IN_MEMORY : Replaying.WITHIN_BOUND;
    }
  }

  @Override
  int run(Run run) throws IOException {
    ImmutableList<String> inputs =
        Stream.of(model, plan, target).filter(Objects::nonNull).collect(toImmutableList());
    Tally tally = new Tally();
    try (Extensions extensions = plugins.open();
        Report report = Report.open(run, output.fileOrStandardOutput(), plugins.andJars(inputs));
        Stowage session = Stowage.open(model, run.terminal().in(), extensions)) {
      session.replay(replay.wanted());
      if (target != null) {
        session.target(Targets.find(target, run.terminal().in(), extensions));
      }
      if (plan == null) {
        report(run, report, session.verify(), tally);
      } else {
        try (Source plans = Source.open(plan, run.terminal().in())) {
          report(run, report, session.verify(plans), tally);
        }
      }
      report.commit();
    }
    return tally.exitCode();
  }

  private void report(Run run, Report report, Iterator<Verdict> verdicts, Tally tally)
      throws IOException {
    Progress progress = new Progress(run.terminal(), run.messages(), quiet());
    boolean many = false;
    while (verdicts.hasNext()) {
      Verdict verdict = verdicts.next();
      Optional<Diagnostic> broken = Optional.empty();
      try {
        many |= verdicts.hasNext();
      } catch (DiagnosticException e) {
        // A file that breaks off; what came before it still counts.
        many = true;
        broken = Optional.of(e.diagnostic());
      }
      report(run, report, verdict, many, tally);
      progress.update(tally.total());
      if (broken.isPresent()) {
        progress.clear();
        run.messages().error(broken.get());
        tally.failed(broken.get());
        break;
      }
    }
    progress.clear();
    if (many && !output.json() && !quiet()) {
      long verified = tally.total() - tally.failures() - tally.rejections();
      report.print(
          Message.format(
              "%s verified, %s with errors, %s failed\n",
              Text.number(verified),
              Text.number(tally.rejections()),
              Text.number(tally.failures())));
    }
  }

  private void report(Run run, Report report, Verdict verdict, boolean many, Tally tally)
      throws IOException {
    if (verdict.error().isPresent()) {
      Diagnostic error = Messages.in(verdict.error().get(), plan == null ? model : plan);
      tally.failed(error);
      if (!output.json() || !many) {
        run.messages().error(error);
      }
      if (output.json() && (many || ExitCodes.isAnswer(error))) {
        writeJson(report, verdict);
      }
      return;
    }
    if (verdict.isVerified()) {
      tally.done();
    } else {
      tally.rejected();
    }
    if (output.json()) {
      writeJson(report, verdict);
    } else if (!quiet()) {
      report.print(text(verdict, report.style()));
    } else if (!verdict.isVerified()) {
      run.messages().note(title(verdict) + " has errors; without -q they are shown");
    }
  }

  private static String title(Verdict verdict) {
    return Text.clean(verdict.name()) + (verdict.number() > 0 ? " #" + verdict.number() : "");
  }

  private static String text(Verdict verdict, Style style) {
    StringBuilder text = new StringBuilder();
    String profile = verdict.profile().isEmpty() ? "" : " (" + verdict.profile() + ")";
    text.append(style.bold(Text.shorten(title(verdict), Text.WIDTH - profile.length())))
        .append(profile)
        .append('\n');
    // Every finding: that is what the command is for.
    new Findings(style, /* all= */ true).appendTo(text, verdict.findings(), /* subjects= */ true);
    text.append("  ")
        .append(Findings.verdict(style, verdict.placements(), verdict.findings()))
        .append('\n');
    if (verdict.replay().state() == Verdict.Replay.State.LEFT_OUT) {
      String why =
          Message.format(
              "note: not replayed, which takes %,d accesses to tensors and is done by itself up to"
                  + " %,d; --replay does it all the same",
              verdict.replay().accesses(), Replaying.BOUND);
      text.append(String.join("\n", Text.wrap(2, 4, why))).append('\n');
    }
    return text.toString();
  }

  private static void writeJson(Report report, Verdict it) throws IOException {
    try (JsonGenerator json = JsonLines.generator(report.stream())) {
      json.writeStartObject();
      json.writeStringField("format", "stowage-verdict");
      json.writeNumberField("version", 1);
      json.writeStringField("name", it.name());
      json.writeNumberField("plan", it.number());
      json.writeStringField("profile", it.profile());
      json.writeBooleanField("verified", it.isVerified());
      json.writeNumberField("placements", it.placements());
      json.writeArrayFieldStart("findings");
      for (RatedFinding finding : it.findings()) {
        FindingJson.write(json, finding, /* program= */ !it.profile().isEmpty());
      }
      json.writeEndArray();
      json.writeStringField("replay", it.replay().state().toString());
      Json.writeError(json, it.error());
      Json.endLine(json);
    }
  }
}
