package dev.stowage.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Ascii;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Standard output as commands write it. What cannot be written is a {@link DiagnosticException},
 * but a reader that went away is a {@link ClosedOutputException}, or nothing where there is other
 * work to finish.
 */
final class StandardOutput extends OutputStream {
  private final OutputStream out;
  private boolean neededElsewhere;
  private boolean closedByReader;

  StandardOutput(OutputStream out) {
    this.out = out;
  }

  /** Goes on, writing nothing, when the reader goes away: the run has a file to write as well. */
  void goOnWithoutReader() {
    neededElsewhere = true;
  }

  /** Writes text, at once. */
  void print(CharSequence text) {
    byte[] bytes = text.toString().getBytes(UTF_8);
    write(bytes, 0, bytes.length);
    flush();
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    if (closedByReader) {
      return;
    }
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      fail(e);
    }
  }

  @Override
  public void flush() {
    if (closedByReader) {
      return;
    }
    try {
      out.flush();
    } catch (IOException e) {
      fail(e);
    }
  }

  private void fail(IOException e) {
    String why = Message.reason(e);
    // Java has no type for it: "Broken pipe", on Windows "The pipe is being closed".
    if (!Ascii.toLowerCase(why).contains("pipe")) {
      throw Diagnostic.of(
              Kinds.OUTPUT_UNWRITABLE,
              Location.of("standard output"),
              "standard output cannot be written: " + why)
          .asException();
    }
    closedByReader = true;
    if (!neededElsewhere) {
      throw new ClosedOutputException();
    }
  }
}
