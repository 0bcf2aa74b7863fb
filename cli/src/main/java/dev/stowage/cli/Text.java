package dev.stowage.cli;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.Locale;

/** Text for people, in lines of limited width. */
final class Text {
  /** Characters in a line. */
  static final int WIDTH = 80;

  private Text() {}

  /** The text without line breaks and escape sequences, which names from a file may have. */
  static String clean(String text) {
    StringBuilder clean = new StringBuilder(text);
    for (int i = 0; i < clean.length(); i++) {
      if (Character.isISOControl(clean.charAt(i))) {
        clean.setCharAt(i, '?');
      }
    }
    return clean.toString();
  }

  /** At most so many characters of a text; of a longer one the beginning and, mostly, the end. */
  static String shorten(String text, int width) {
    String clean = clean(text);
    if (clean.length() <= width) {
      return clean;
    }
    int head = (width - 1) / 3;
    return clean.substring(0, head) + "…" + clean.substring(clean.length() - (width - 1 - head));
  }

  /** A text on its left, filled with blanks. */
  static String left(String text, int width) {
    String shown = shorten(text, width);
    return shown + " ".repeat(width - shown.length());
  }

  /** A text on its right, filled with blanks. */
  static String right(String text, int width) {
    String shown = shorten(text, width);
    return " ".repeat(width - shown.length()) + shown;
  }

  /**
   * A text as lines, broken between words where they fit and anywhere where they do not.
   *
   * @param indent blanks before the first line
   * @param hanging blanks before the others
   */
  static ImmutableList<String> wrap(int indent, int hanging, String text) {
    return wrap(indent, hanging, text, WIDTH);
  }

  /** A text as lines of a given width. */
  static ImmutableList<String> wrap(int indent, int hanging, String text, int width) {
    ImmutableList.Builder<String> lines = ImmutableList.builder();
    StringBuilder line = new StringBuilder(" ".repeat(indent));
    boolean blank = true;
    for (String next : Splitter.on(' ').omitEmptyStrings().split(clean(text))) {
      String word = next;
      if (!blank && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line = new StringBuilder(" ".repeat(hanging));
        blank = true;
      }
      line.append(blank ? "" : " ");
      while (line.length() + word.length() > width) {
        int room = width - line.length();
        lines.add(line + word.substring(0, room));
        word = word.substring(room);
        line = new StringBuilder(" ".repeat(hanging));
      }
      line.append(word);
      blank = false;
    }
    return lines.add(line.toString()).build();
  }

  /** {@code 1,234}. */
  static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** {@code 1 tensor} or {@code 1,234 tensors}. */
  static String count(long value, String one) {
    return number(value) + " " + one + (value == 1 ? "" : "s");
  }

  /** {@code 0.42 ms}, {@code 42.1 ms} or {@code 4,213 ms}. */
  static String millis(long nanos) {
    double millis = nanos / 1e6;
    String format = millis < 10 ? "%.2f ms" : millis < 100 ? "%.1f ms" : "%,.0f ms";
    return String.format(Locale.ROOT, format, millis);
  }
}
