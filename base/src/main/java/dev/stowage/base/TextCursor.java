package dev.stowage.base;

/**
 * A position in a text that is being read; its errors point into the text with a caret.
 *
 * <p>Blanks, line breaks and comments ({@code #} to the end of the line) separate tokens.
 */
public final class TextCursor {
  private final String source;
  private final String text;
  private final DiagnosticKind kind;
  private int position;

  /** Starts at the beginning of a text; its errors are of kind {@code syntax}. */
  public TextCursor(String source, String text) {
    this(source, text, Kinds.SYNTAX);
  }

  /** Starts at the beginning of a text. */
  public TextCursor(String source, String text, DiagnosticKind kind) {
    this.source = source;
    this.text = text;
    this.kind = kind;
  }

  /** Index of the next character. */
  public int position() {
    return position;
  }

  /** Passes over blanks, line breaks and comments. */
  public void skipBlanks() {
    while (position < text.length()) {
      char c = text.charAt(position);
      if (c == '#') {
        int end = text.indexOf('\n', position);
        position = end < 0 ? text.length() : end;
      } else if (Character.isWhitespace(c)) {
        position++;
      } else {
        return;
      }
    }
  }

  /** True when nothing but blanks is left. */
  public boolean atEnd() {
    skipBlanks();
    return position == text.length();
  }

  /** True if the next token begins with the character; reads nothing. */
  public boolean peek(char c) {
    return !atEnd() && text.charAt(position) == c;
  }

  /** Reads the character if it is next. */
  public boolean accept(char c) {
    if (peek(c)) {
      position++;
      return true;
    }
    return false;
  }

  /** Reads the text if it is next. */
  public boolean accept(String token) {
    skipBlanks();
    if (text.startsWith(token, position)) {
      position += token.length();
      return true;
    }
    return false;
  }

  /** Goes back, or on, to a position. */
  public void moveTo(int newPosition) {
    position = newPosition;
  }

  /** Reads the word if it is next as a whole, not as the beginning of a longer one. */
  public boolean acceptWord(String word) {
    skipBlanks();
    int end = position + word.length();
    if (text.startsWith(word, position)
        && (end == text.length() || !isWordPart(text.charAt(end), "_"))) {
      position = end;
      return true;
    }
    return false;
  }

  /** True if the next token begins with a digit; reads nothing. */
  public boolean peekDigit() {
    return !atEnd() && text.charAt(position) >= '0' && text.charAt(position) <= '9';
  }

  /** Reads the character, or fails. */
  public void expect(char c) {
    if (!accept(c)) {
      throw error(position, "expected '" + c + "' but found " + found());
    }
  }

  /** Reads the text, or fails. */
  public void expect(String token) {
    if (!accept(token)) {
      throw error(position, "expected '" + token + "' but found " + found());
    }
  }

  /** Reads a word of letters, digits and the given other characters, or fails. */
  public String word(String what, String others) {
    skipBlanks();
    int start = position;
    while (position < text.length() && isWordPart(text.charAt(position), others)) {
      position++;
    }
    if (start == position) {
      throw error(position, "expected " + what + " but found " + found());
    }
    return text.substring(start, position);
  }

  /** Reads a string in double quotes, with {@code \"}, {@code \\} and {@code \n}, or fails. */
  public String quoted() {
    skipBlanks();
    int start = position;
    expect('"');
    StringBuilder value = new StringBuilder();
    while (position < text.length()) {
      char c = text.charAt(position++);
      if (c == '"') {
        return value.toString();
      }
      if (c == '\\' && position < text.length()) {
        char escaped = text.charAt(position++);
        value.append(escaped == 'n' ? '\n' : escaped);
      } else {
        value.append(c);
      }
    }
    throw error(start, "this string has no end");
  }

  /** The text in double quotes, so that {@link #quoted} reads it back. */
  public static String quote(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }

  /** A syntax error at a position, of the cursor's kind, with the line and a caret below it. */
  public DiagnosticException error(int at, String message) {
    return error(kind, at, message, "");
  }

  /** An error at a position, with the line and a caret below it. */
  public DiagnosticException error(DiagnosticKind errorKind, int at, String message, String help) {
    return new TextSpan(source, text, at, at + 1)
        .diagnose(errorKind, message)
        .help(help)
        .asException();
  }

  /** What has been read since a position. */
  public TextSpan since(int start) {
    return new TextSpan(source, text, start, position);
  }

  private String found() {
    if (position >= text.length()) {
      return "the end of the text";
    }
    return "'" + text.charAt(position) + "'";
  }

  private static boolean isWordPart(char c, String others) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || others.indexOf(c) >= 0;
  }
}
