package dev.stowage.formats.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import com.google.common.collect.Streams;
import dev.stowage.base.io.JsonLines;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.RatedFinding;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;

/** Writes plans of problems, one a line, as they come; nothing is held in memory. */
public final class PlanWriter implements Closeable {
  private final JsonGenerator json;

  /** Writes to a stream, which is flushed after each answer and never closed. */
  public PlanWriter(OutputStream out) throws IOException {
    json = JsonLines.generator(out);
  }

  /**
   * Writes a plan.
   *
   * @param name of the problem
   * @param strategy the call that made it, as text
   * @param bounds of the problem
   * @throws IOException if the output fails
   */
  public void write(
      String name,
      String strategy,
      PlanningProblem problem,
      MemoryPlan plan,
      LowerBounds bounds,
      Iterable<RatedFinding> findings)
      throws IOException {
    boolean verified = Streams.stream(findings).noneMatch(RatedFinding::isError);
    PlanJson.writeHead(json, PlanJson.PROBLEM_FORMAT, name);
    json.writeStringField("strategy", strategy);
    json.writeNumberField("alignment", problem.alignment());
    PlanJson.writeLongs(json, "arena_sizes", plan.arenaSizes());
    json.writeNumberField("lower_bound", bounds.totalBytes());
    PlanJson.writeLongs(json, "lower_bounds", bounds.byMemId());
    json.writeBooleanField("optimal", verified && bounds.provesOptimal(plan));
    json.writeArrayFieldStart("placements");
    for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
      writePlacement(problem, plan, buffer);
    }
    json.writeEndArray();
    FindingJson.writeAll(json, findings, /* program= */ false);
    endLine();
  }

  private void writePlacement(PlanningProblem problem, MemoryPlan plan, int buffer)
      throws IOException {
    int arena = plan.arena(buffer);
    String label = problem.bufferName(buffer);
    json.writeStartObject();
    json.writeNumberField("buffer", problem.bufferNumber(buffer));
    json.writeStringField("name", label == null ? "" : label);
    json.writeNumberField("mem_id", problem.arena(arena).memId());
    PlanJson.writeIndex(json, "mem_obj_id", plan.object(buffer));
    json.writeNumberField("offset", plan.offsetBytes(buffer));
    json.writeNumberField("size", problem.allocatedBytes(buffer, arena));
    PlanJson.writeSpan(json, "lifetime", problem.start(buffer), problem.end(buffer));
    if (problem.base(buffer) >= 0) {
      json.writeNumberField("base", problem.bufferNumber(problem.base(buffer)));
    }
    json.writeEndObject();
  }

  /**
   * Writes an error in place of a plan.
   *
   * @throws IOException if the output fails
   */
  public void writeError(String name, PlanError error) throws IOException {
    PlanJson.writeHead(json, PlanJson.PROBLEM_FORMAT, name);
    PlanJson.writeError(json, error, /* withBuffer= */ true);
    endLine();
  }

  private void endLine() throws IOException {
    json.writeEndObject();
    json.writeRaw('\n');
    json.flush();
  }

  /** Ends writing; the stream stays open. */
  @Override
  public void close() throws IOException {
    json.close();
  }
}
