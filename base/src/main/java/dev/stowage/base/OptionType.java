package dev.stowage.base;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * What the value of an option may be: how it is read, and how it is written so that reading gives
 * it back.
 *
 * @param <T> type of the value, with equals
 */
public final class OptionType<T> {
  /** True or false. */
  public static final OptionType<Boolean> BOOLEAN =
      of("true|false", OptionType::readBoolean, String::valueOf);

  /** Any word, number or quoted text. */
  public static final OptionType<String> WORD = of("WORD", text -> text, text -> text);

  /** A device, such as {@code cpu} or {@code cuda:0}. */
  public static final OptionType<Device> DEVICE = of("DEVICE", Device::parse, Device::toString);

  /** A call with options of its own, such as a strategy. */
  public static final OptionType<Call> CALL =
      new OptionType<>("CALL", Value::asCall, Call::asValue);

  private final String values;
  private final Function<Value, T> reader;
  private final Function<T, Value> writer;

  private OptionType(String values, Function<Value, T> reader, Function<T, Value> writer) {
    this.values = values;
    this.reader = reader;
    this.writer = writer;
  }

  /**
   * A type of single words.
   *
   * @param values what a value may be, for help, such as {@code true|false} or {@code BYTES}
   * @param reader throws {@link IllegalArgumentException}, with a message that says why, for other
   *     text
   * @param writer of text that {@code reader} takes for the same value
   */
  public static <T> OptionType<T> of(
      String values, Function<String, T> reader, Function<T, String> writer) {
    return new OptionType<>(
        values, value -> reader.apply(text(value)), value -> new Value.Word(writer.apply(value)));
  }

  /** A whole number. */
  public static OptionType<Integer> integer(int least, int greatest) {
    return of("NUMBER", text -> readInteger(text, least, greatest), String::valueOf);
  }

  /** A number of bytes, such as {@code 64} or {@code 4KiB}. */
  public static OptionType<Long> bytes(long least, long greatest) {
    return of("BYTES", text -> readBytes(text, least, greatest), ByteSize::compact);
  }

  /** One of the constants of an enum, written in kebab-case. */
  public static <E extends Enum<E>> OptionType<E> choice(Class<E> type) {
    ImmutableList<String> words =
        Arrays.stream(type.getEnumConstants())
            .map(OptionType::word)
            .collect(ImmutableList.toImmutableList());
    return of(
        String.join("|", words),
        text -> {
          int index = words.indexOf(text);
          checkArgument(index >= 0, "'%s' is none of %s", text, String.join(", ", words));
          return type.getEnumConstants()[index];
        },
        OptionType::word);
  }

  /** A list of at least one element, in brackets. */
  public static <T> OptionType<ImmutableList<T>> list(OptionType<T> element) {
    return list(element, 1);
  }

  /** A list in brackets, which may be empty. */
  public static <T> OptionType<ImmutableList<T>> listOrNone(OptionType<T> element) {
    return list(element, 0);
  }

  private static <T> OptionType<ImmutableList<T>> list(OptionType<T> element, int least) {
    return new OptionType<>(
        "[" + element.values + ",...]",
        value -> {
          checkArgument(
              value instanceof Value.Items list && list.items().size() >= least,
              "'%s' is no list, such as [a,b{key=value}]",
              value);
          return ((Value.Items) value)
              .items().stream().map(element::read).collect(ImmutableList.toImmutableList());
        },
        list ->
            new Value.Items(
                ((List<T>) list)
                    .stream().map(element::write).collect(ImmutableList.toImmutableList())));
  }

  /** What a value may be, such as {@code true|false} or {@code BYTES}. */
  public String values() {
    return values;
  }

  /**
   * Reads a value.
   *
   * @throws IllegalArgumentException if it is not what it may be
   */
  T read(Value value) {
    return reader.apply(value);
  }

  /** Writes a value in its canonical form. */
  Value write(T value) {
    return writer.apply(value);
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static boolean readBoolean(String text) {
    checkArgument(
        text.equals("true") || text.equals("false"), "'%s' is neither true nor false", text);
    return text.equals("true");
  }

  private static int readInteger(String text, int least, int greatest) {
    int number;
    try {
      number = Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is no whole number from " + least + " to " + greatest, e);
    }
    checkArgument(
        least <= number && number <= greatest, "%s is not from %s to %s", text, least, greatest);
    return number;
  }

  private static long readBytes(String text, long least, long greatest) {
    long bytes = ByteSize.parse(text);
    checkArgument(bytes >= least, "%s is below %s", text, least);
    checkArgument(bytes <= greatest, "%s is above %s", text, greatest);
    return bytes;
  }

  private static String text(Value value) {
    checkArgument(value instanceof Value.Word, "'%s' is not a single word", value);
    return ((Value.Word) value).text();
  }
}
