package dev.stowage.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.stowage.base.Diagnostic;
import dev.stowage.formats.plan.PlanError;
import java.io.IOException;
import java.util.Optional;

/** What the JSON of all commands has in common. */
final class Json {
  private Json() {}

  /** Ends an object, and its line. */
  static void endLine(JsonGenerator json) throws IOException {
    json.writeEndObject();
    json.writeRaw('\n');
    json.flush();
  }

  /** Writes the member {@code error}, null where there is none. */
  static void writeError(JsonGenerator json, Optional<Diagnostic> error) throws IOException {
    if (error.isEmpty()) {
      json.writeNullField("error");
      return;
    }
    PlanError plain = PlanError.of(error.get());
    json.writeObjectFieldStart("error");
    json.writeStringField("kind", plain.kind());
    json.writeStringField("message", plain.message());
    json.writeEndObject();
  }
}
