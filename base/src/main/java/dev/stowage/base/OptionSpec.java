package dev.stowage.base;

import java.util.Optional;
import java.util.function.Function;

/**
 * The declaration of an option of a pass or strategy: its name, what it is for, what its value may
 * be, and what it is where nobody sets it.
 *
 * @param <T> type of the value
 */
public final class OptionSpec<T> {
  private final String name;
  private final String summary;
  private final String values;
  private final Optional<T> defaultValue;
  private final Function<Value, T> reader;
  private final Function<T, Optional<Value>> writer;

  private OptionSpec(
      String name,
      String summary,
      String values,
      Optional<T> defaultValue,
      Function<Value, T> reader,
      Function<T, Optional<Value>> writer) {
    this.name = name;
    this.summary = summary;
    this.values = values;
    this.defaultValue = defaultValue;
    this.reader = reader;
    this.writer = writer;
  }

  /**
   * An option with a default.
   *
   * @param name kebab-case
   * @param summary one line without a full stop
   */
  public static <T> OptionSpec<T> of(
      String name, String summary, OptionType<T> type, T defaultValue) {
    return of(name, summary, type, Optional.of(defaultValue));
  }

  /** An option that must be set. */
  public static <T> OptionSpec<T> required(String name, String summary, OptionType<T> type) {
    return of(name, summary, type, Optional.empty());
  }

  /** An option that is empty where nobody sets it. */
  public static <T> OptionSpec<Optional<T>> optional(
      String name, String summary, OptionType<T> type) {
    return new OptionSpec<>(
        name,
        summary,
        type.values(),
        Optional.of(Optional.empty()),
        value -> Optional.of(type.read(value)),
        value -> value.map(type::write));
  }

  private static <T> OptionSpec<T> of(
      String name, String summary, OptionType<T> type, Optional<T> defaultValue) {
    return new OptionSpec<>(
        name,
        summary,
        type.values(),
        defaultValue,
        type::read,
        value -> Optional.of(type.write(value)));
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

  /** True if the option must be set. */
  public boolean isRequired() {
    return defaultValue.isEmpty();
  }

  /** The default as text; empty if there is none. */
  public String defaultText() {
    return defaultValue.flatMap(writer).map(Value::toString).orElse("");
  }

  /** {@code name=VALUES: summary (default: x)}: the line for help and documentation. */
  public String describe() {
    String preset = defaultText();
    return name
        + "="
        + values
        + ": "
        + summary
        + (isRequired() ? " (must be set)" : preset.isEmpty() ? "" : " (default: " + preset + ")");
  }

  /**
   * Reads a value.
   *
   * @throws IllegalArgumentException if it is not what it may be
   */
  T read(Value value) {
    return reader.apply(value);
  }

  /** The canonical form of a value; empty where the option need not be set to have it. */
  Optional<Value> write(T value) {
    return defaultValue.equals(Optional.of(value)) ? Optional.empty() : writer.apply(value);
  }
}
