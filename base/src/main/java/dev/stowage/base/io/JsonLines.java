package dev.stowage.base.io;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;

/** How all JSON is written: without blanks, each document on a line that its writer ends. */
public final class JsonLines {
  private static final JsonFactory FACTORY = new JsonFactory();

  private JsonLines() {}

  /** Writes to a stream that the caller closes. */
  public static JsonGenerator generator(OutputStream out) throws IOException {
    return FACTORY
        .createGenerator(out)
        .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
        .setRootValueSeparator(null);
  }
}
