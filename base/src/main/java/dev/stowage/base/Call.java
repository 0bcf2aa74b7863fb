package dev.stowage.base;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A name with options, such as {@code greedy{overlap=false}}: how strategies and passes are asked
 * for, in files and on the command line.
 *
 * <p>{@link #toString} gives the canonical text, and {@link #parse} of it an equal call.
 *
 * @param name kebab-case
 * @param options in the order written
 */
public record Call(String name, ImmutableMap<String, Value> options) {
  /** How deep options and lists may nest in a text: far beyond use, well before a stack's end. */
  private static final int MAX_DEPTH = 100;

  /** A call without options. */
  public static Call of(String name) {
    return new Call(name, ImmutableMap.of());
  }

  /**
   * Reads a whole text as one call.
   *
   * @param source what the text is called in errors, such as {@code --strategy}
   * @throws DiagnosticException of kind {@code syntax}, pointing into the text
   */
  public static Call parse(String source, String text) {
    TextCursor cursor = new TextCursor(source, text);
    Call call = read(cursor);
    if (!cursor.atEnd()) {
      throw cursor.error(cursor.position(), "nothing may follow the call");
    }
    return call;
  }

  /** Reads a call at the cursor. */
  public static Call read(TextCursor cursor) {
    String name = cursor.word("a name", "_-.");
    return new Call(name, cursor.peek('{') ? readOptions(cursor, 0) : ImmutableMap.of());
  }

  /** This call with one more option, or with another value for it. */
  public Call with(String key, Value value) {
    Map<String, Value> merged = new LinkedHashMap<>(options);
    merged.put(key, value);
    return new Call(name, ImmutableMap.copyOf(merged));
  }

  private static ImmutableMap<String, Value> readOptions(TextCursor cursor, int depth) {
    cursor.expect('{');
    Map<String, Value> options = new LinkedHashMap<>();
    if (!cursor.accept('}')) {
      do {
        cursor.skipBlanks();
        int at = cursor.position();
        String key = cursor.word("an option", "_-");
        cursor.expect('=');
        if (options.put(key, readValue(cursor, depth + 1)) != null) {
          throw cursor.error(at, "option " + key + " is set twice");
        }
      } while (cursor.accept(','));
      cursor.expect('}');
    }
    return ImmutableMap.copyOf(options);
  }

  private static Value readValue(TextCursor cursor, int depth) {
    if (depth > MAX_DEPTH) {
      throw cursor.error(cursor.position(), "this is nested deeper than " + MAX_DEPTH + " levels");
    }
    if (cursor.peek('"')) {
      return new Value.Word(cursor.quoted());
    }
    if (cursor.accept('[')) {
      ImmutableList.Builder<Value> items = ImmutableList.builder();
      if (!cursor.accept(']')) {
        do {
          items.add(readValue(cursor, depth + 1));
        } while (cursor.accept(','));
        cursor.expect(']');
      }
      return new Value.Items(items.build());
    }
    String word = cursor.word("a value", Value.WORD_CHARACTERS);
    if (cursor.peek('{')) {
      ImmutableMap<String, Value> options = readOptions(cursor, depth);
      return options.isEmpty() ? new Value.Word(word) : new Value.Nested(new Call(word, options));
    }
    return new Value.Word(word);
  }

  @Override
  public String toString() {
    if (options.isEmpty()) {
      return name;
    }
    return options.entrySet().stream()
        .map(option -> option.getKey() + "=" + option.getValue())
        .collect(Collectors.joining(",", name + "{", "}"));
  }
}
