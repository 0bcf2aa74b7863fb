package dev.stowage.base;

import com.google.common.collect.ImmutableList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What an option of a {@link Call} is set to: a word, a list, or another call. */
public sealed interface Value {
  /** Characters other than letters and digits that a word may have without quotes. */
  String WORD_CHARACTERS = "_.:/+*-";

  /** A word, a number or a quoted text. Two of the same text are equal, wherever they stand. */
  final class Word implements Value {
    private final String text;
    private final @Nullable TextSpan place;

    /** A word that stands nowhere. */
    public Word(String text) {
      this(text, null);
    }

    Word(String text, @Nullable TextSpan place) {
      this.text = text;
      this.place = place;
    }

    /** The word, without quotes. */
    public String text() {
      return text;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Word word && text.equals(word.text);
    }

    @Override
    public int hashCode() {
      return text.hashCode();
    }

    @Override
    public String toString() {
      boolean plain =
          !text.isEmpty()
              && text.chars()
                  .allMatch(
                      c ->
                          c < 128
                              && (Character.isLetterOrDigit(c) || WORD_CHARACTERS.indexOf(c) >= 0));
      return plain ? text : TextCursor.quote(text);
    }
  }

  /** {@code [a,b]}. */
  record Items(ImmutableList<Value> items) implements Value {
    @Override
    public String toString() {
      return items.stream().map(Value::toString).collect(Collectors.joining(",", "[", "]"));
    }
  }

  /** {@code name{key=value}}, with at least one option. */
  record Nested(Call call) implements Value {
    @Override
    public String toString() {
      return call.toString();
    }
  }

  /** This value as a call, at the same place: a word is a call without options. */
  default Call asCall() {
    if (this instanceof Nested nested) {
      return nested.call();
    }
    if (this instanceof Word word) {
      return Call.of(word.text, word.place);
    }
    throw new IllegalArgumentException("a list is not a call: " + this);
  }
}
