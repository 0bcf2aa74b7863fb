package dev.stowage.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.io.JsonLines;
import dev.stowage.driver.Extensions;
import dev.stowage.driver.Inspection;
import dev.stowage.driver.Inspection.Live;
import dev.stowage.driver.Inspection.Section;
import dev.stowage.driver.Stowage;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code stowage inspect}. */
@CommandLine.Command(
    name = "inspect",
    description = "Shows what is in a file: tensors, the peak and who is live there, lower bounds.",
    footer = {
      "",
      "Examples:",
      "  stowage inspect model.tflite",
      "  stowage inspect model.tflite --json",
      "",
      "Exit codes: 0 done; 1 one of several failed; 2 wrong usage; 3 input invalid or",
      "output unwritable; 4 defect of Stowage; 5 plug-in failed.",
    })
final class InspectCommand extends Command {
  /** How many of those live at the peak the text shows, unless all are asked for. */
  private static final int SHOWN_LIVE = 10;

  @Parameters(
      arity = "1..*",
      paramLabel = "MODEL",
      description = "Models or problems (.tflite .stow .json .jsonl .csv); - is standard input.")
  private List<String> models = List.of();

  @Mixin private final OutputOptions output = new OutputOptions();

  @Mixin private final PluginOptions plugins = new PluginOptions();

  @Override
  int run(Run run) throws IOException {
    Tally tally = new Tally();
    try (Extensions extensions = plugins.open();
        Report report = Report.open(run, output.fileOrStandardOutput(), plugins.andJars(models))) {
      for (String model : models) {
        inspect(run, extensions, report, model, tally);
      }
      report.commit();
    }
    return tally.exitCode();
  }

  private void inspect(Run run, Extensions extensions, Report report, String model, Tally tally)
      throws IOException {
    ImmutableList<Inspection> inspections;
    try (Stowage session = Stowage.open(model, run.terminal().in(), extensions)) {
      inspections = session.inspect();
    } catch (DiagnosticException e) {
      Diagnostic error = Messages.in(e.diagnostic(), model);
      if (models.size() == 1) {
        throw error.asException();
      }
      run.messages().error(error);
      tally.failed(error);
      return;
    }
    boolean only = models.size() == 1 && inspections.size() == 1;
    for (Inspection inspection : inspections) {
      if (inspection.error().isPresent()) {
        Diagnostic error = Messages.in(inspection.error().get(), model);
        tally.failed(error);
        run.messages().error(error);
        if (only && !error.kind().equals(Kinds.INPUT_UNSUPPORTED)) {
          continue;
        }
      } else {
        tally.done();
      }
      if (output.json()) {
        writeJson(report, inspection);
      } else if (inspection.error().isEmpty()) {
        report.print(text(inspection, report.style()));
      }
    }
  }

  private String text(Inspection it, Style style) {
    StringBuilder text = new StringBuilder();
    String format = " (" + it.format() + ")";
    text.append(style.bold(Text.shorten(it.name(), Text.WIDTH - format.length())))
        .append(format)
        .append('\n');
    long activations = it.methods().stream().mapToLong(Section::activationBytes).sum();
    Table totals = new Table(2, "total", "#bytes");
    totals.row("activations", Text.number(activations));
    totals.row("constants", Text.number(it.constantBytes()));
    totals.row("state", Text.number(it.stateBytes()));
    totals.appendTo(text, style);
    for (String note : it.notes()) {
      Text.wrap(2, 4, "note: " + note).forEach(line -> text.append(line).append('\n'));
    }
    it.methods().forEach(section -> append(text, section, style));
    return text.append('\n').toString();
  }

  private void append(StringBuilder text, Section it, Style style) {
    boolean problem = it.name().isEmpty();
    String title = problem ? "problem" : Text.shorten(it.name(), 40);
    text.append('\n').append(style.bold(title)).append('\n');
    Table table =
        problem
            ? new Table(2, "#buffers", "#planned", "#bytes", "#alignment", "#lower bound")
            : new Table(
                2, "#nodes", "#tensors", "#planned", "#bytes", "#alignment", "#lower bound");
    ImmutableList.Builder<String> cells = ImmutableList.builder();
    if (!problem) {
      cells.add(Text.number(it.nodes()));
    }
    cells.add(
        Text.number(it.tensors()),
        Text.number(it.planned()),
        Text.number(it.activationBytes()),
        Text.number(it.alignment()),
        Text.number(it.lowerBoundBytes()));
    table.row(cells.build().toArray(String[]::new)).appendTo(text, style);
    if (it.carriesPlan()) {
      text.append("  carries a plan, which stowage verify checks\n");
    }
    if (it.liveAtPeak().isEmpty()) {
      return;
    }
    String rules = it.profile().isEmpty() ? "" : ", profile " + it.profile();
    String node = it.peakNode().isEmpty() ? "" : ", node " + it.peakNode();
    text.append("  ")
        .append(Text.shorten("peak at step " + it.peakStep() + node + rules, Text.WIDTH - 2))
        .append('\n');
    int shown = verbose() ? it.liveAtPeak().size() : Math.min(SHOWN_LIVE, it.liveAtPeak().size());
    Table live =
        new Table(4, problem ? "#buffer" : "#tensor", "live at the peak", "#bytes", "#lifetime");
    for (Live each : it.liveAtPeak().subList(0, shown)) {
      live.row(
          String.valueOf(each.number()),
          each.name(),
          Text.number(each.bytes()),
          each.first() + ".." + each.last());
    }
    live.appendTo(text, style);
    if (shown < it.liveAtPeak().size()) {
      text.append("    ... and ")
          .append(Text.number(it.liveAtPeak().size() - shown))
          .append(" more; -v shows all\n");
    }
  }

  private static void writeJson(Report report, Inspection it) throws IOException {
    try (JsonGenerator json = JsonLines.generator(report.stream())) {
      json.writeStartObject();
      json.writeStringField("format", "stowage-inspection");
      json.writeNumberField("version", 1);
      json.writeStringField("name", it.name());
      json.writeStringField("input_format", it.format());
      json.writeNumberField("constant_bytes", it.constantBytes());
      json.writeNumberField("state_bytes", it.stateBytes());
      json.writeArrayFieldStart("notes");
      for (String note : it.notes()) {
        json.writeString(note);
      }
      json.writeEndArray();
      json.writeArrayFieldStart("methods");
      for (Section section : it.methods()) {
        write(json, section);
      }
      json.writeEndArray();
      Json.writeError(json, it.error());
      Json.endLine(json);
    }
  }

  private static void write(JsonGenerator json, Section it) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", it.name());
    json.writeStringField("profile", it.profile());
    json.writeNumberField("nodes", it.nodes());
    json.writeNumberField("tensors", it.tensors());
    json.writeNumberField("planned", it.planned());
    json.writeNumberField("activation_bytes", it.activationBytes());
    json.writeNumberField("alignment", it.alignment());
    json.writeNumberField("lower_bound", it.lowerBoundBytes());
    json.writeNumberField("peak_step", it.peakStep());
    json.writeStringField("peak_node", it.peakNode());
    json.writeArrayFieldStart("live_at_peak");
    for (Live live : it.liveAtPeak()) {
      json.writeStartObject();
      json.writeNumberField("number", live.number());
      json.writeStringField("name", live.name());
      json.writeNumberField("bytes", live.bytes());
      json.writeArrayFieldStart("lifetime");
      json.writeNumber(live.first());
      json.writeNumber(live.last());
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeBooleanField("carries_plan", it.carriesPlan());
    json.writeEndObject();
  }
}
