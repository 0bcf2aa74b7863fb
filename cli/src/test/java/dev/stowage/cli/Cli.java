package dev.stowage.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs commands in this process, on streams in memory. */
final class Cli {
  static final Path MODELS = Path.of("..", "models");
  static final Path PROBLEMS =
      Path.of("..", "formats", "src", "test", "resources", "golden", "problems");

  private Cli() {}

  /** What a run left. */
  record Result(int exit, String out, String err) {
    /** Standard output, each line read as JSON. */
    List<Map<String, @Nullable Object>> json() {
      return out.lines().map(Cli::object).toList();
    }
  }

  static Result run(String... args) {
    return runWith(new byte[0], args);
  }

  static Result runWith(byte[] standardInput, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    InputStream in = new ByteArrayInputStream(standardInput);
    int exit = Main.run(new Terminal(in, out, err, false, false, false), args);
    return new Result(exit, out.toString(UTF_8), err.toString(UTF_8));
  }

  static List<Path> models() {
    return files(MODELS, ".tflite");
  }

  static List<Path> problems() {
    return files(PROBLEMS, ".jsonl.gz");
  }

  private static List<Path> files(Path folder, String ending) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @SuppressWarnings("unchecked") // members have names
  static Map<String, @Nullable Object> object(String json) {
    return (Map<String, @Nullable Object>) (Map<?, ?>) value(json);
  }

  /** A text as lists, maps, texts, numbers and truth values. */
  static Object value(String json) {
    try (JsonParser parser = new JsonFactory().createParser(json)) {
      parser.nextToken();
      Object value = read(parser);
      if (value == null || parser.nextToken() != null) {
        throw new AssertionError("not one JSON value: " + json);
      }
      return value;
    } catch (IOException e) {
      throw new UncheckedIOException(json, e);
    }
  }

  private static @Nullable Object read(JsonParser parser) throws IOException {
    switch (parser.currentToken()) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          String name = parser.currentName();
          parser.nextToken();
          members.put(name, read(parser));
        }
        return members;
      }
      case START_ARRAY -> {
        List<@Nullable Object> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          items.add(read(parser));
        }
        return items;
      }
      case VALUE_NUMBER_INT -> {
        return parser.getLongValue();
      }
      case VALUE_STRING -> {
        return parser.getText();
      }
      case VALUE_TRUE, VALUE_FALSE -> {
        return parser.getBooleanValue();
      }
      default -> {
        return null;
      }
    }
  }
}
