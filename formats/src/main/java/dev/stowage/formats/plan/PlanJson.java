package dev.stowage.formats.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Diagnostic.Shortfall;
import dev.stowage.base.Kinds;
import dev.stowage.base.json.JsonCursor;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What both kinds of plan have in common as JSON. */
final class PlanJson {
  static final String PROBLEM_FORMAT = "stowage-plan";
  static final String PROGRAM_FORMAT = "stowage-program-plan";
  static final int VERSION = 1;

  private static final ImmutableSet<String> ERROR_MEMBERS =
      ImmutableSet.of("kind", "message", "buffer", "proof");
  private static final ImmutableSet<String> PROOF_MEMBERS =
      ImmutableSet.of("required", "available", "missing", "step", "buffers");

  private PlanJson() {}

  static void writeHead(JsonGenerator json, String format, String name) throws IOException {
    json.writeStartObject();
    json.writeStringField("format", format);
    json.writeNumberField("version", VERSION);
    json.writeStringField("name", name);
  }

  /** Writes a number, or null for -1. */
  static void writeIndex(JsonGenerator json, String member, int index) throws IOException {
    if (index < 0) {
      json.writeNullField(member);
    } else {
      json.writeNumberField(member, index);
    }
  }

  static void writeSpan(JsonGenerator json, String member, int first, int last) throws IOException {
    json.writeArrayFieldStart(member);
    json.writeNumber(first);
    json.writeNumber(last);
    json.writeEndArray();
  }

  static void writeLongs(JsonGenerator json, String member, long[] values) throws IOException {
    json.writeFieldName(member);
    json.writeArray(values, 0, values.length);
  }

  static void writeError(JsonGenerator json, PlanError error, boolean withBuffer)
      throws IOException {
    json.writeObjectFieldStart("error");
    json.writeStringField("kind", error.kind());
    json.writeStringField("message", error.message());
    if (withBuffer) {
      writeIndex(json, "buffer", error.buffer());
    }
    if (error.proof().isPresent()) {
      writeProof(json, error.proof().get());
    }
    json.writeEndObject();
  }

  private static void writeProof(JsonGenerator json, Shortfall proof) throws IOException {
    json.writeObjectFieldStart("proof");
    json.writeNumberField("required", proof.requiredBytes());
    json.writeNumberField("available", proof.availableBytes());
    json.writeNumberField("missing", proof.missingBytes());
    writeIndex(json, "step", proof.step());
    json.writeArrayFieldStart("buffers");
    for (int buffer : proof.buffers()) {
      json.writeNumber(buffer);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static Shortfall readProof(JsonCursor cursor) {
    long required = 0;
    long available = 0;
    int step = -1;
    ImmutableList.Builder<Integer> buffers = ImmutableList.builder();
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      switch (member) {
        case "required" -> required = cursor.integer(0L, Long.MAX_VALUE);
        case "available" -> available = cursor.integer(0L, Long.MAX_VALUE);
        // It follows from the two.
        case "missing" -> cursor.skip();
        case "step" -> step = readIndex(cursor);
        case "buffers" -> {
          cursor.beginArray();
          while (cursor.nextElement()) {
            buffers.add(cursor.integer(0, Integer.MAX_VALUE));
          }
        }
        default -> throw cursor.unknownMember(member, PROOF_MEMBERS);
      }
    }
    return new Shortfall(required, available, step, buffers.build());
  }

  /** Reads a number that is 0 or more, or -1 for null. */
  static int readIndex(JsonCursor cursor) {
    return cursor.isNull() ? -1 : cursor.integer(0, Integer.MAX_VALUE);
  }

  static long[] readPair(JsonCursor cursor, long least, long most) {
    long[] pair = readLongs(cursor, least, most);
    if (pair.length != 2) {
      throw cursor
          .error(Kinds.INPUT_MEMBER, "expected a list of two numbers but found " + pair.length)
          .asException();
    }
    return pair;
  }

  static long[] readLongs(JsonCursor cursor, long least, long most) {
    long[] values = new long[8];
    int count = 0;
    cursor.beginArray();
    while (cursor.nextElement()) {
      if (count == values.length) {
        values = Arrays.copyOf(values, 2 * count);
      }
      values[count++] = cursor.integer(least, most);
    }
    return Arrays.copyOf(values, count);
  }

  static void readFormat(JsonCursor cursor, String format) {
    String found = cursor.text();
    if (!found.equals(format)) {
      throw cursor
          .error(Kinds.INPUT_MEMBER, "expected a " + format + " but this is a '" + found + "'")
          .asException();
    }
  }

  static void readVersion(JsonCursor cursor) {
    int version = cursor.integer(0, Integer.MAX_VALUE);
    if (version != VERSION) {
      throw cursor
          .error(
              Kinds.INPUT_UNSUPPORTED,
              "this version reads plans of version " + VERSION + ", not " + version)
          .asException();
    }
  }

  static PlanError readError(JsonCursor cursor) {
    String kind = null;
    String message = "";
    int buffer = -1;
    @Nullable Shortfall proof = null;
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      switch (member) {
        case "kind" -> kind = cursor.text();
        case "message" -> message = cursor.text();
        case "buffer" -> buffer = readIndex(cursor);
        case "proof" -> proof = cursor.isNull() ? null : readProof(cursor);
        default -> throw cursor.unknownMember(member, ERROR_MEMBERS);
      }
    }
    return new PlanError(
        required(cursor, kind, "kind"), message, buffer, Optional.ofNullable(proof));
  }

  static <T> T required(JsonCursor cursor, @Nullable T value, String member) {
    if (value == null) {
      throw cursor
          .error(Kinds.INPUT_MEMBER, "the member '" + member + "' is missing")
          .asException();
    }
    return value;
  }
}
