package dev.stowage.ir;

import java.util.function.Function;

/**
 * The typed key of a column of annotations.
 *
 * <p>Keys are equal only to themselves. The textual form of a value is a word or is quoted.
 *
 * @param <T> type of the values, immutable, with equals
 */
public final class AnnotationKey<T> {
  /** What a key is about. */
  public enum Scope {
    /** A tensor, whatever bytes it is a handle to. */
    TENSOR,
    /** Bytes: through any tensor one reads and writes what its root has. */
    STORAGE,
    /** The method as a whole. */
    METHOD,
  }

  private final String name;
  private final Scope scope;
  private final Function<T, String> printer;
  private final Function<String, T> parser;

  private AnnotationKey(
      String name, Scope scope, Function<T, String> printer, Function<String, T> parser) {
    this.name = name;
    this.scope = scope;
    this.printer = printer;
    this.parser = parser;
  }

  /**
   * A key.
   *
   * @param name kebab-case, as in the textual form
   * @param parser reads what {@code printer} wrote; {@link IllegalArgumentException} for other text
   */
  public static <T> AnnotationKey<T> of(
      String name, Scope scope, Function<T, String> printer, Function<String, T> parser) {
    return new AnnotationKey<>(name, scope, printer, parser);
  }

  /** Kebab-case name, as in the textual form. */
  public String name() {
    return name;
  }

  /** What the key is about. */
  public Scope scope() {
    return scope;
  }

  /** The textual form of a value. */
  public String print(T value) {
    return printer.apply(value);
  }

  /**
   * The value of a text.
   *
   * @throws IllegalArgumentException if the text is none
   */
  public T parse(String text) {
    return parser.apply(text);
  }

  @Override
  public String toString() {
    return name;
  }
}
