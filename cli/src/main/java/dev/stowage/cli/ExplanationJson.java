package dev.stowage.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.stowage.base.io.JsonLines;
import dev.stowage.driver.Explainer;
import dev.stowage.planning.ArenaExplanation;
import dev.stowage.planning.PlacementExplanation;
import dev.stowage.planning.PlacementExplanation.Blocker;
import dev.stowage.planning.PlacementExplanation.Candidate;
import dev.stowage.planning.PlanningProblem;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;

/** Explanations of plans as JSON, one a line, in the forms that {@code docs/json.md} describes. */
final class ExplanationJson {
  private final String name;
  private final JsonGenerator json;

  private ExplanationJson(String name, JsonGenerator json) {
    this.name = name;
    this.json = json;
  }

  /**
   * Writes all explanations.
   *
   * @param name of what was planned
   */
  static void write(String name, ExplainOptions.Explanations explanations, OutputStream out)
      throws IOException {
    try (JsonGenerator json = JsonLines.generator(out)) {
      ExplanationJson it = new ExplanationJson(name, json);
      for (Explainer.OfTensor tensor : explanations.tensors()) {
        it.write(tensor);
      }
      for (Explainer.OfBank bank : explanations.banks()) {
        it.write(bank);
      }
    }
  }

  private void write(Explainer.OfTensor of) throws IOException {
    PlanningProblem problem = of.problem();
    PlacementExplanation it = of.placement();
    int buffer = it.buffer();
    begin("stowage-explanation", of.method());
    json.writeObjectFieldStart("tensor");
    writeTensor(problem, buffer);
    json.writeEndObject();
    json.writeNumberField("bytes", problem.sizeBytes(buffer));
    json.writeNumberField("size", it.allocatedBytes());
    json.writeNumberField("mem_id", problem.arena(it.arena()).memId());
    json.writeNumberField("offset", it.offsetBytes());
    writeLifetime(problem, buffer);
    json.writeStringField("first_node", of.firstNode());
    json.writeStringField("last_node", of.lastNode());
    if (it.block() == buffer) {
      json.writeNullField("base");
    } else {
      json.writeObjectFieldStart("base");
      writeTensor(problem, it.block());
      json.writeNumberField("offset_in_base", it.offsetInBlock());
      json.writeEndObject();
    }
    json.writeNumberField("alignment", problem.bufferAlignment(buffer));
    json.writeNumberField("over_read", problem.overReadBytes(buffer));
    int pin = problem.pinnedArena(it.block());
    writeIfAny("pinned", pin < 0 ? -1 : problem.arena(pin).memId());
    writeIfAny("fixed_offset", it.fixedOffset() < 0 ? -1 : it.fixedOffset() + it.offsetInBlock());
    json.writeArrayFieldStart("arenas");
    for (Candidate candidate : it.candidates()) {
      write(problem, candidate);
    }
    json.writeEndArray();
    Json.endLine(json);
  }

  private void write(PlanningProblem problem, Candidate it) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", problem.arena(it.arena()).name());
    json.writeNumberField("mem_id", problem.arena(it.arena()).memId());
    json.writeStringField(
        "verdict", it.verdict().name().toLowerCase(Locale.ROOT).replace('_', '-'));
    json.writeNumberField("alignment", problem.arenaAlignment(it.arena()));
    json.writeNumberField("required", it.requiredBytes());
    json.writeNumberField("available", it.availableBytes());
    writeIfAny("offset", it.offsetBytes());
    json.writeArrayFieldStart("blockers");
    for (Blocker blocker : it.blockers()) {
      json.writeStartObject();
      writeTensor(problem, blocker.block());
      writeRange(blocker.fromBytes(), blocker.toBytes());
      writeLifetime(problem, blocker.block());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void write(Explainer.OfBank of) throws IOException {
    PlanningProblem problem = of.problem();
    ArenaExplanation it = of.arena();
    begin("stowage-bank-explanation", of.method());
    json.writeStringField("bank", problem.arena(it.arena()).name());
    json.writeNumberField("mem_id", problem.arena(it.arena()).memId());
    json.writeNumberField("size", it.sizeBytes());
    json.writeNumberField("lower_bound", it.boundBytes());
    json.writeNumberField("fragmentation", it.fragmentationBytes());
    if (it.chain().isEmpty()) {
      json.writeNullField("peak_step");
    } else {
      json.writeNumberField("peak_step", problem.stepNumber(it.peakStep()));
    }
    json.writeStringField("peak_node", of.peakNode());
    json.writeArrayFieldStart("live_at_peak");
    for (int block : it.live()) {
      json.writeStartObject();
      writeTensor(problem, block);
      json.writeNumberField("size", problem.allocatedBytes(block, it.arena()));
      writeLifetime(problem, block);
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("chain");
    for (ArenaExplanation.Link link : it.chain()) {
      json.writeStartObject();
      writeTensor(problem, link.block());
      writeRange(link.fromBytes(), link.toBytes());
      writeLifetime(problem, link.block());
      json.writeNumberField("gap_below", link.gapBytes());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeNumberField("above_chain", it.topBytes());
    Json.endLine(json);
  }

  private void begin(String format, String method) throws IOException {
    json.writeStartObject();
    json.writeStringField("format", format);
    json.writeNumberField("version", 1);
    json.writeStringField("name", name);
    json.writeStringField("method", method);
  }

  private void writeTensor(PlanningProblem problem, int buffer) throws IOException {
    String label = problem.bufferName(buffer);
    json.writeNumberField("number", problem.bufferNumber(buffer));
    json.writeStringField("name", label == null ? "" : label);
  }

  private void writeRange(long from, long to) throws IOException {
    json.writeArrayFieldStart("range");
    json.writeNumber(from);
    json.writeNumber(to);
    json.writeEndArray();
  }

  private void writeLifetime(PlanningProblem problem, int buffer) throws IOException {
    json.writeArrayFieldStart("lifetime");
    json.writeNumber(problem.stepNumber(problem.start(buffer)));
    json.writeNumber(problem.stepNumber(problem.end(buffer)));
    json.writeEndArray();
  }

  /** Writes null for -1. */
  private void writeIfAny(String member, long value) throws IOException {
    if (value < 0) {
      json.writeNullField(member);
    } else {
      json.writeNumberField(member, value);
    }
  }
}
