package dev.stowage.base;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * A typed option of a pass or strategy: its name, what it is for, how its value is read.
 *
 * @param <T> type of the value
 */
public final class OptionSpec<T> {
  private final String name;
  private final String summary;
  private final String values;
  private final Optional<T> defaultValue;
  private final Function<Value, T> reader;

  private OptionSpec(
      String name,
      String summary,
      String values,
      Optional<T> defaultValue,
      Function<Value, T> reader) {
    this.name = name;
    this.summary = summary;
    this.values = values;
    this.defaultValue = defaultValue;
    this.reader = reader;
  }

  /** An option that is true or false. */
  public static OptionSpec<Boolean> bool(String name, String summary, boolean defaultValue) {
    return new OptionSpec<>(
        name, summary, "true|false", Optional.of(defaultValue), OptionSpec::readBoolean);
  }

  /** An option that is one of the constants of an enum, written in kebab-case. */
  public static <E extends Enum<E>> OptionSpec<E> choice(
      String name, String summary, Class<E> type, E defaultValue) {
    ImmutableList<String> words =
        Arrays.stream(type.getEnumConstants())
            .map(OptionSpec::word)
            .collect(ImmutableList.toImmutableList());
    return new OptionSpec<>(
        name,
        summary,
        String.join("|", words),
        Optional.of(defaultValue),
        value -> {
          int index = words.indexOf(text(value));
          checkArgument(index >= 0, "'%s' is none of %s", value, String.join(", ", words));
          return type.getEnumConstants()[index];
        });
  }

  /** An option that is a word. */
  public static OptionSpec<String> word(String name, String summary, String defaultValue) {
    return new OptionSpec<>(name, summary, "WORD", Optional.of(defaultValue), OptionSpec::text);
  }

  /** An option that is a call, such as a strategy with its own options; without one it is empty. */
  public static OptionSpec<Optional<Call>> optionalCall(String name, String summary) {
    return new OptionSpec<>(
        name, summary, "CALL", Optional.of(Optional.empty()), value -> Optional.of(value.asCall()));
  }

  /** An option that is a list of at least one call and has no default. */
  public static OptionSpec<ImmutableList<Call>> requiredCalls(String name, String summary) {
    return new OptionSpec<>(
        name,
        summary,
        "[CALL,...]",
        Optional.empty(),
        value -> {
          checkArgument(
              value instanceof Value.Items list && !list.items().isEmpty(),
              "'%s' is no list, such as [a,b{key=value}]",
              value);
          return ((Value.Items) value)
              .items().stream().map(Value::asCall).collect(ImmutableList.toImmutableList());
        });
  }

  /** An option that is a number of bytes above 0, such as {@code 64} or {@code 4KiB}. */
  public static OptionSpec<Optional<Long>> optionalBytes(String name, String summary) {
    return new OptionSpec<>(
        name,
        summary,
        "BYTES",
        Optional.of(Optional.empty()),
        value -> {
          long bytes = ByteSize.parse(text(value));
          checkArgument(bytes > 0, "%s is not above 0", bytes);
          return Optional.of(bytes);
        });
  }

  /** Kebab-case. */
  public String name() {
    return name;
  }

  /** One line for help and documentation. */
  public String summary() {
    return summary;
  }

  /** What the value may be, such as {@code true|false} or {@code BYTES}. */
  public String values() {
    return values;
  }

  /** The value if the option is not set; empty if it must be set. */
  public Optional<T> defaultValue() {
    return defaultValue;
  }

  /** The default as text; empty if there is none. */
  public String defaultText() {
    Object value = defaultValue.isEmpty() ? "" : defaultValue.get();
    if (value instanceof Optional<?> optional) {
      return optional.isEmpty() ? "" : optional.get().toString();
    }
    return value instanceof Enum<?> constant ? word(constant) : value.toString();
  }

  /**
   * Reads a value.
   *
   * @throws IllegalArgumentException if it is not what it may be
   */
  T read(Value value) {
    return reader.apply(value);
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static boolean readBoolean(Value value) {
    String text = text(value);
    checkArgument(
        text.equals("true") || text.equals("false"), "'%s' is neither true nor false", text);
    return text.equals("true");
  }

  private static String text(Value value) {
    checkArgument(value instanceof Value.Word, "'%s' is not a single word", value);
    return ((Value.Word) value).text();
  }
}
