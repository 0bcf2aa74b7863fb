package dev.stowage.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.io.Sink;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a command's result goes: to standard output, or whole or not at all to a file. */
final class Report implements Closeable {
  private final Run run;
  private final @Nullable OutputFile file;

  private Report(Run run, @Nullable OutputFile file) {
    this.run = run;
    this.file = file;
  }

  /**
   * Opens a file, or standard output for {@code -}.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code output-unwritable}, or {@code
   *     usage} if it is one of the inputs
   */
  static Report open(Run run, String output, List<String> inputs) {
    Command.checkFiles(inputs, ImmutableList.of(output));
    return new Report(run, output.equals(Sink.STANDARD_OUTPUT) ? null : OutputFile.open(output));
  }

  OutputStream stream() {
    return file == null ? run.out() : file.stream();
  }

  /** How text looks there. */
  Style style() {
    return file == null ? run.style() : new Style(false);
  }

  void print(CharSequence text) throws IOException {
    stream().write(text.toString().getBytes(UTF_8));
  }

  void commit() {
    if (file == null) {
      run.out().flush();
    } else {
      file.commit();
    }
  }

  @Override
  public void close() {
    if (file != null) {
      file.close();
    }
  }
}
