package dev.stowage.formats.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Kinds;
import dev.stowage.base.json.JsonCursor;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.Finding.Subject;
import dev.stowage.verifier.FindingKind;
import dev.stowage.verifier.RatedFinding;
import dev.stowage.verifier.RatedFinding.Severity;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Findings as JSON, the same in plans of problems and of programs but for what they are about. */
public final class FindingJson {
  private static final ImmutableSet<String> MEMBERS =
      ImmutableSet.of("kind", "severity", "message", "tensors", "node", "count");
  private static final ImmutableSet<String> SUBJECT_MEMBERS =
      ImmutableSet.of("tensor", "buffer", "name", "mem_id", "range", "lifetime");

  private FindingJson() {}

  /**
   * Writes a finding as an object.
   *
   * @param program true in the plan of a program, whose subjects are tensors and not buffers
   * @throws IOException if the output fails
   */
  public static void write(JsonGenerator json, RatedFinding rated, boolean program)
      throws IOException {
    Finding finding = rated.finding();
    json.writeStartObject();
    json.writeStringField("kind", finding.kind().toString());
    json.writeStringField("severity", rated.severity().toString());
    json.writeStringField("message", finding.message());
    json.writeArrayFieldStart("tensors");
    for (Subject subject : finding.subjects()) {
      json.writeStartObject();
      json.writeNumberField(program ? "tensor" : "buffer", subject.number());
      json.writeStringField("name", subject.name());
      PlanJson.writeIndex(json, "mem_id", subject.memId());
      json.writeArrayFieldStart("range");
      json.writeNumber(subject.fromBytes());
      json.writeNumber(subject.toBytes());
      json.writeEndArray();
      PlanJson.writeSpan(json, "lifetime", subject.first(), subject.last());
      json.writeEndObject();
    }
    json.writeEndArray();
    PlanJson.writeIndex(json, "node", finding.node());
    json.writeNumberField("count", finding.count());
    json.writeEndObject();
  }

  /** Writes a member with a list of findings. */
  static void writeAll(JsonGenerator json, Iterable<RatedFinding> findings, boolean program)
      throws IOException {
    json.writeArrayFieldStart("findings");
    for (RatedFinding finding : findings) {
      write(json, finding, program);
    }
    json.writeEndArray();
  }

  /** Reads a list of findings. */
  static ImmutableList<RatedFinding> readAll(JsonCursor cursor) {
    ImmutableList.Builder<RatedFinding> findings = ImmutableList.builder();
    cursor.beginArray();
    while (cursor.nextElement()) {
      findings.add(read(cursor));
    }
    return findings.build();
  }

  private static RatedFinding read(JsonCursor cursor) {
    @Nullable FindingKind kind = null;
    @Nullable Severity severity = null;
    String message = "";
    ImmutableList.Builder<Subject> subjects = ImmutableList.builder();
    int node = -1;
    long count = 1;
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      switch (member) {
        case "kind" -> kind = readKind(cursor);
        case "severity" -> severity = readSeverity(cursor);
        case "message" -> message = cursor.text();
        case "tensors" -> {
          cursor.beginArray();
          while (cursor.nextElement()) {
            subjects.add(readSubject(cursor));
          }
        }
        case "node" -> node = PlanJson.readIndex(cursor);
        case "count" -> count = cursor.integer(1L, Long.MAX_VALUE);
        default -> throw cursor.unknownMember(member, MEMBERS);
      }
    }
    Finding finding =
        new Finding(
            PlanJson.required(cursor, kind, "kind"), message, subjects.build(), node, count);
    return new RatedFinding(finding, PlanJson.required(cursor, severity, "severity"));
  }

  private static FindingKind readKind(JsonCursor cursor) {
    String word = cursor.text();
    return FindingKind.ofName(word)
        .orElseThrow(
            () ->
                cursor.unknownWord(
                    "kind of finding",
                    word,
                    Arrays.stream(FindingKind.values()).map(FindingKind::toString).toList()));
  }

  private static Severity readSeverity(JsonCursor cursor) {
    String word = cursor.text();
    for (Severity severity : Severity.values()) {
      if (severity.toString().equals(word)) {
        return severity;
      }
    }
    throw cursor
        .error(Kinds.INPUT_MEMBER, "a severity is error or warning, but this is '" + word + "'")
        .asException();
  }

  private static Subject readSubject(JsonCursor cursor) {
    int number = -1;
    String name = "";
    int memId = -1;
    long[] range = {0, 0};
    long[] lifetime = {0, 0};
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      switch (member) {
        case "tensor", "buffer" -> number = cursor.integer(0, Integer.MAX_VALUE);
        case "name" -> name = cursor.text();
        case "mem_id" -> memId = PlanJson.readIndex(cursor);
        case "range" -> range = PlanJson.readPair(cursor, Long.MIN_VALUE, Long.MAX_VALUE);
        case "lifetime" -> lifetime = PlanJson.readPair(cursor, -1, Integer.MAX_VALUE);
        default -> throw cursor.unknownMember(member, SUBJECT_MEMBERS);
      }
    }
    return new Subject(
        number, name, memId, range[0], range[1], (int) lifetime[0], (int) lifetime[1]);
  }
}
