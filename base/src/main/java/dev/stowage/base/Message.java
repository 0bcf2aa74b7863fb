package dev.stowage.base;

import com.google.common.base.Strings;
import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Puts numbers and names into messages, the same way on every machine. */
public final class Message {
  private Message() {}

  /** As {@link String#format}, in no particular language: {@code 1,234} whatever the locale. */
  @FormatMethod
  public static String format(@FormatString String pattern, @Nullable Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  /** What went wrong: the class of an exception and its message, whatever its code does. */
  public static String describe(Throwable error) {
    try {
      String text = error.toString();
      return Strings.isNullOrEmpty(text) ? error.getClass().getName() : text;
    } catch (RuntimeException e) {
      return error.getClass().getName();
    }
  }

  /** Why it went wrong: the message of an exception, or its class where it has none. */
  public static String reason(Throwable error) {
    try {
      String message = error.getMessage();
      return Strings.isNullOrEmpty(message) ? error.getClass().getSimpleName() : message;
    } catch (RuntimeException e) {
      return error.getClass().getSimpleName();
    }
  }
}
