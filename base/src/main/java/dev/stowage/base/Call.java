package dev.stowage.base;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A name with options, such as {@code greedy{overlap=false}}: how strategies and passes are asked
 * for, in files and on the command line.
 *
 * <p>{@link #toString} gives the canonical text, and {@link #parse} of it an equal call. A call
 * that was read remembers where, so that errors about it point into the text; two calls are equal
 * wherever they stand.
 */
public final class Call {
  /** How deep options and lists may nest in a text: far beyond use, well before a stack's end. */
  private static final int MAX_DEPTH = 100;

  private final String name;
  private final ImmutableMap<String, Value> options;
  private final @Nullable TextSpan place;
  private final ImmutableMap<String, OptionPlace> optionPlaces;

  private Call(
      String name,
      ImmutableMap<String, Value> options,
      @Nullable TextSpan place,
      ImmutableMap<String, OptionPlace> optionPlaces) {
    this.name = name;
    this.options = options;
    this.place = place;
    this.optionPlaces = optionPlaces;
  }

  /** Where an option stands in a text. */
  private record OptionPlace(TextSpan key, TextSpan value) {}

  /** A call without options. */
  public static Call of(String name) {
    return of(name, ImmutableMap.of());
  }

  /**
   * A call.
   *
   * @param name kebab-case
   * @param options in the order in which they print
   */
  public static Call of(String name, ImmutableMap<String, Value> options) {
    return new Call(name, options, null, ImmutableMap.of());
  }

  /** A call without options, which stands somewhere in a text, or nowhere. */
  static Call of(String name, @Nullable TextSpan place) {
    return new Call(name, ImmutableMap.of(), place, ImmutableMap.of());
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
    return read(cursor, "a name", "_-.", 0);
  }

  /** What is called, in kebab-case. */
  public String name() {
    return name;
  }

  /** The options, in the order written. */
  public ImmutableMap<String, Value> options() {
    return options;
  }

  /** This call with one more option, or with another value for it. */
  public Call with(String key, Value value) {
    Map<String, Value> merged = new LinkedHashMap<>(options);
    merged.put(key, value);
    return new Call(name, ImmutableMap.copyOf(merged), place, optionPlaces);
  }

  /** This call at the place of another, for which it stands. */
  public Call at(Call other) {
    return new Call(name, options, other.place, ImmutableMap.of());
  }

  /** This call, at the same place, with other options. */
  Call withOptions(ImmutableMap<String, Value> newOptions) {
    return new Call(name, newOptions, place, optionPlaces);
  }

  /** This call as a value, at the same place: one without options is a word. */
  Value asValue() {
    return options.isEmpty() ? new Value.Word(name, place) : new Value.Nested(this);
  }

  /** An error about this call, pointing at its name. */
  public Diagnostic diagnose(DiagnosticKind kind, String message) {
    return place == null
        ? Diagnostic.of(kind, Location.of(toString()), message)
        : place.diagnose(kind, message);
  }

  /** An error about an option, pointing at its name; at the call's where it is not set. */
  public Diagnostic diagnoseOption(String option, DiagnosticKind kind, String message) {
    OptionPlace at = optionPlaces.get(option);
    return at == null ? diagnose(kind, message) : at.key.diagnose(kind, message);
  }

  /** An error about the value of an option, pointing at it; at the call where it is not set. */
  public Diagnostic diagnoseValue(String option, DiagnosticKind kind, String message) {
    OptionPlace at = optionPlaces.get(option);
    return at == null ? diagnose(kind, message) : at.value.diagnose(kind, message);
  }

  private static Call read(TextCursor cursor, String what, String others, int depth) {
    cursor.skipBlanks();
    int at = cursor.position();
    String name = cursor.word(what, others);
    TextSpan place = cursor.since(at);
    Map<String, Value> options = new LinkedHashMap<>();
    Map<String, OptionPlace> places = new LinkedHashMap<>();
    if (cursor.peek('{')) {
      readOptions(cursor, depth, options, places);
    }
    return new Call(name, ImmutableMap.copyOf(options), place, ImmutableMap.copyOf(places));
  }

  private static void readOptions(
      TextCursor cursor, int depth, Map<String, Value> options, Map<String, OptionPlace> places) {
    cursor.expect('{');
    if (cursor.accept('}')) {
      return;
    }
    do {
      cursor.skipBlanks();
      int keyAt = cursor.position();
      String key = cursor.word("an option", "_-");
      TextSpan keyPlace = cursor.since(keyAt);
      cursor.expect('=');
      cursor.skipBlanks();
      int valueAt = cursor.position();
      if (options.put(key, readValue(cursor, depth + 1)) != null) {
        throw keyPlace
            .diagnose(Kinds.SYNTAX, "option '" + key + "' is set twice")
            .help("leave one of them out")
            .asException();
      }
      places.put(key, new OptionPlace(keyPlace, cursor.since(valueAt)));
    } while (cursor.accept(','));
    cursor.expect('}');
  }

  private static Value readValue(TextCursor cursor, int depth) {
    if (depth > MAX_DEPTH) {
      throw cursor.error(cursor.position(), "this is nested deeper than " + MAX_DEPTH + " levels");
    }
    if (cursor.peek('"')) {
      int at = cursor.position();
      String text = cursor.quoted();
      return new Value.Word(text, cursor.since(at));
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
    return read(cursor, "a value", Value.WORD_CHARACTERS, depth).asValue();
  }

  /** True for the same name and the same options, in any order. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Call call && name.equals(call.name) && options.equals(call.options);
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + options.hashCode();
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
