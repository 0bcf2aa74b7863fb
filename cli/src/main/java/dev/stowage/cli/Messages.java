package dev.stowage.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.stowage.base.Diagnostic;
import java.io.IOException;
import java.io.OutputStream;
import java.util.regex.Pattern;

/** What a run has to say to its user, on standard error. */
final class Messages {
  private static final Pattern CONTROLS = Pattern.compile("[\\p{Cntrl}&&[^\n]]");

  private final OutputStream err;
  private final Style style;

  Messages(OutputStream err, Style style) {
    this.err = err;
    this.style = style;
  }

  /** Says what is wrong. */
  void error(Diagnostic error) {
    raw(render(error, style) + "\n");
  }

  /** Says what may be a mistake, though it was done. */
  void warning(Diagnostic warning) {
    raw(CONTROLS.matcher(warning.renderWarning()).replaceAll("?") + "\n");
  }

  /** Says what is wrong where no input is to blame. */
  void failure(String message, String help) {
    raw("stowage: " + style.error("error") + ": " + message + "\n  help: " + help + "\n");
  }

  /** Says what else there is to know. */
  void note(String message) {
    raw("stowage: " + message + "\n");
  }

  /** Writes a text as it is. */
  void raw(String text) {
    try {
      err.write(text.getBytes(UTF_8));
      err.flush();
    } catch (IOException e) {
      // Nowhere is left to say so; the exit code still tells.
    }
  }

  /** The diagnostic as text, its first word in colour. */
  static String render(Diagnostic error, Style style) {
    String word = "error[" + error.kind().name() + "]";
    // Names from a file may have escape sequences; line breaks are ours.
    String text = CONTROLS.matcher(error.render()).replaceAll("?");
    // The place may quote the same words, but the last before the message is ours.
    int at = text.indexOf(word + ": " + error.message());
    return at < 0
        ? text
        : text.substring(0, at) + style.error(word) + text.substring(at + word.length());
  }

  /** The diagnostic, in its file if it does not say another source. */
  static Diagnostic in(Diagnostic error, String file) {
    return error.location().source().isEmpty() ? error.in(file) : error;
  }
}
