package dev.stowage.formats.problem;

import com.fasterxml.jackson.core.JsonGenerator;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.io.JsonLines;
import dev.stowage.memmap.ReservedRange;
import dev.stowage.planning.Arena;
import dev.stowage.planning.PlanningProblem;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/** Writes planning problems as JSON, in the form that {@link ProblemReader} reads, one a line. */
public final class ProblemWriter {
  private ProblemWriter() {}

  /**
   * Writes a problem as one line; storage bases have the lifetimes to which they were widened.
   *
   * @param out flushed and left open
   * @param strategy that the file is to ask for; empty for none
   * @throws DiagnosticException of kind {@code input-unsupported} if the problem has what the
   *     format cannot express: gaps, arena sets that are no choice among the banks, several
   *     paddings, or banks of other devices
   * @throws IOException if the output fails
   */
  public static void write(OutputStream out, PlanningProblem problem, Optional<Call> strategy)
      throws IOException {
    checkExpressible(problem);
    JsonGenerator json = JsonLines.generator(out);
    json.writeStartObject();
    json.writeStringField("name", problem.name());
    if (strategy.isPresent()) {
      Algorithms.write(json, strategy.get());
    }
    json.writeNumberField("alignment", problem.alignment());
    long padding = problem.arena(0).paddingBytes();
    if (padding != 0) {
      json.writeNumberField("extra_padding", padding);
    }
    writeReserved(json, problem);
    if (hasBanks(problem)) {
      writeBanks(json, problem);
    }
    ImmutableListMultimap.Builder<Integer, Integer> separated = ImmutableListMultimap.builder();
    for (int pair = 0; pair < problem.separationCount(); pair++) {
      separated.put(problem.separation(pair, 0), problem.separation(pair, 1));
    }
    ImmutableListMultimap<Integer, Integer> separations = separated.build();
    json.writeArrayFieldStart("buffers");
    for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
      writeBuffer(json, problem, buffer, separations.get(buffer));
    }
    json.writeEndArray();
    json.writeEndObject();
    json.writeRaw('\n');
    json.close();
  }

  /** Without banks there is one open arena of any size, number 1. */
  private static boolean hasBanks(PlanningProblem problem) {
    ImmutableList<Arena> open =
        problem.arenas().stream().filter(Arena::open).collect(ImmutableList.toImmutableList());
    return open.size() != 1
        || open.get(0).memId() != 1
        || open.get(0).capacityBytes() != Arena.UNLIMITED
        || open.get(0).alignment() != 0
        || open.get(0).baseAddress() != 0
        || open.get(0).maxAllocationBytes() != Arena.UNLIMITED
        || open.get(0).readCost() != 0
        || open.get(0).writeCost() != 0
        || !open.get(0).reservedRanges().isEmpty();
  }

  private static void writeReserved(JsonGenerator json, PlanningProblem problem)
      throws IOException {
    int highest = 0;
    for (Arena arena : problem.arenas()) {
      highest = arena.reservedBytes() > 0 ? Math.max(highest, arena.memId()) : highest;
    }
    if (highest == 0) {
      return;
    }
    long[] reserved = new long[highest + 1];
    for (Arena arena : problem.arenas()) {
      if (arena.memId() <= highest) {
        reserved[arena.memId()] = arena.reservedBytes();
      }
    }
    json.writeFieldName("reserved");
    json.writeArray(reserved, 0, reserved.length);
  }

  private static void writeBanks(JsonGenerator json, PlanningProblem problem) throws IOException {
    json.writeArrayFieldStart("banks");
    for (Arena arena : problem.arenas()) {
      if (arena.open()) {
        json.writeStartObject();
        json.writeStringField("name", arena.name());
        json.writeNumberField("size", arena.capacityBytes());
        json.writeNumberField("mem_id", arena.memId());
        if (arena.alignment() != 0) {
          json.writeNumberField("alignment", arena.alignment());
        }
        writeUnless(json, "base_address", arena.baseAddress(), 0);
        writeUnless(json, "max_allocation", arena.maxAllocationBytes(), Arena.UNLIMITED);
        writeCost(json, "read_cost", arena.readCost());
        writeCost(json, "write_cost", arena.writeCost());
        writeReservedRanges(json, arena);
        json.writeEndObject();
      }
    }
    json.writeEndArray();
  }

  private static void writeCost(JsonGenerator json, String member, long millionths)
      throws IOException {
    if (millionths != 0) {
      json.writeNumberField(member, BigDecimal.valueOf(millionths, 6).stripTrailingZeros());
    }
  }

  private static void writeReservedRanges(JsonGenerator json, Arena arena) throws IOException {
    if (arena.reservedRanges().isEmpty()) {
      return;
    }
    json.writeArrayFieldStart("reserved");
    for (ReservedRange range : arena.reservedRanges()) {
      json.writeStartObject();
      json.writeNumberField("offset", range.offsetBytes());
      json.writeNumberField("size", range.sizeBytes());
      json.writeStringField("owner", range.owner());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writeNotBanks(JsonGenerator json, PlanningProblem problem, int buffer)
      throws IOException {
    if (problem.arenaSet(buffer) == 0) {
      return;
    }
    ImmutableIntArray members =
        ImmutableIntArray.copyOf(problem.arenaSetMembers(problem.arenaSet(buffer)));
    json.writeArrayFieldStart("not_banks");
    for (int arena = 0; arena < problem.arenaCount(); arena++) {
      if (problem.arena(arena).open() && !members.contains(arena)) {
        json.writeString(problem.arena(arena).name());
      }
    }
    json.writeEndArray();
  }

  private static void writeBuffer(
      JsonGenerator json, PlanningProblem problem, int buffer, List<Integer> separated)
      throws IOException {
    json.writeStartObject();
    String name = problem.bufferName(buffer);
    if (name != null && !name.isEmpty()) {
      json.writeStringField("name", name);
    }
    json.writeNumberField("bytes", problem.sizeBytes(buffer));
    json.writeArrayFieldStart("lifetime");
    json.writeNumber(problem.start(buffer));
    json.writeNumber(problem.end(buffer));
    json.writeEndArray();
    if (problem.pinnedArena(buffer) >= 0) {
      json.writeNumberField("mem_id", problem.arena(problem.pinnedArena(buffer)).memId());
    }
    if (problem.base(buffer) >= 0) {
      json.writeNumberField("base", problem.base(buffer));
      json.writeNumberField("base_offset", problem.baseOffset(buffer));
    }
    writeNotBanks(json, problem, buffer);
    writeUnless(json, "offset", problem.fixedOffset(buffer), -1);
    writeUnless(json, "alignment", problem.bufferAlignment(buffer), 1);
    writeUnless(json, "initial_alignment", problem.oracleAlignment(buffer), 16);
    writeUnless(json, "over_read", problem.overReadBytes(buffer), 0);
    writeUnless(json, "reads", problem.readBytes(buffer), 0);
    writeUnless(json, "writes", problem.writeBytes(buffer), 0);
    if (!separated.isEmpty()) {
      json.writeArrayFieldStart("must_not_share");
      for (int other : separated) {
        json.writeNumber(other);
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }

  private static void writeUnless(JsonGenerator json, String member, long value, long neutral)
      throws IOException {
    if (value != neutral) {
      json.writeNumberField(member, value);
    }
  }

  private static void checkExpressible(PlanningProblem problem) {
    refuseIf(problem.gapCount() > 0, "gaps in lifetimes", problem);
    for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
      refuseIf(!isChoiceOfBanks(problem, buffer), "this choice of arenas", problem);
      refuseIf(
          problem.base(buffer) == PlanningProblem.UNPLACED_BASE,
          "storage bases that the plan does not place",
          problem);
    }
    for (Arena arena : problem.arenas()) {
      refuseIf(
          arena.paddingBytes() != problem.arena(0).paddingBytes(),
          "arenas with different paddings",
          problem);
      refuseIf(arena.managed() && !arena.open(), "banks of other devices", problem);
    }
  }

  /** True if the arenas of a buffer are some of the open ones, in the order of preference. */
  private static boolean isChoiceOfBanks(PlanningProblem problem, int buffer) {
    int[] members = problem.arenaSetMembers(problem.arenaSet(buffer));
    for (int i = 0; i < members.length; i++) {
      if (!problem.arena(members[i]).open() || (i > 0 && members[i - 1] > members[i])) {
        return false;
      }
    }
    return true;
  }

  private static void refuseIf(boolean refused, String what, PlanningProblem problem) {
    if (refused) {
      throw Diagnostic.of(
              Kinds.INPUT_UNSUPPORTED,
              Location.of(problem.name()),
              "a problem file cannot express " + what)
          .asException();
    }
  }
}
