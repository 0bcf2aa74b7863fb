package dev.stowage.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.stowage.base.Diagnostic;
import dev.stowage.formats.plan.PlanError;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/** How all JSON of the commands is written. */
final class Json {
  private Json() {}

  /** Writes to a stream that the caller closes. */
  static JsonGenerator generator(OutputStream out) throws IOException {
    return new JsonFactory()
        .createGenerator(out)
        .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
        .setRootValueSeparator(null);
  }

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
