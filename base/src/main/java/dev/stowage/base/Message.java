package dev.stowage.base;

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
}
