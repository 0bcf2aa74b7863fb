package dev.stowage.base;

/**
 * A part of a text, such as an option in a pipeline; its errors show the line with the part
 * underlined.
 *
 * @param source what the text is called in errors, such as {@code --pipeline}
 * @param text the whole text
 * @param start index of the first character
 * @param endExclusive index after the last one
 */
public record TextSpan(String source, String text, int start, int endExclusive) {
  /** How much of a long line is shown. */
  private static final int SHOWN = 76;

  private static final int SHOWN_BEFORE = 60;

  /** An error about this part: its place is line and column, its first note the line. */
  public Diagnostic diagnose(DiagnosticKind kind, String message) {
    int lineStart = text.lastIndexOf('\n', start - 1) + 1;
    int lineEnd = text.indexOf('\n', start);
    String line = text.substring(lineStart, lineEnd < 0 ? text.length() : lineEnd);
    int lineNumber = 1 + (int) text.substring(0, lineStart).chars().filter(c -> c == '\n').count();
    int column = start - lineStart;
    // Long lines are cut around the error, so that the caret stays in sight.
    int from = Math.max(0, column - SHOWN_BEFORE);
    String shown = line.substring(from, Math.min(line.length(), from + SHOWN)).replace('\t', ' ');
    int carets = Math.min(endExclusive - start, from + shown.length() - column);
    return Diagnostic.of(kind, new Location(source, lineNumber + ":" + (column + 1)), message)
        .note(shown + "\n" + " ".repeat(column - from) + "^".repeat(Math.max(1, carets)));
  }
}
