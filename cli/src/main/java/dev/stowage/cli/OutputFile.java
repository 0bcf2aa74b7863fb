package dev.stowage.cli;

import dev.stowage.base.io.Sink;
import java.io.Closeable;
import java.io.OutputStream;

/** A file to write, of which nothing is left either if the process is ended from outside. */
final class OutputFile implements Closeable {
  private final Sink sink;
  private final Thread cleaner;

  private OutputFile(Sink sink) {
    this.sink = sink;
    cleaner = new Thread(sink::close, "output-cleaner");
  }

  /**
   * Opens a file.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code output-unwritable}
   */
  static OutputFile open(String name) {
    OutputFile file = new OutputFile(Sink.open(name, OutputStream.nullOutputStream()));
    Runtime.getRuntime().addShutdownHook(file.cleaner);
    return file;
  }

  String name() {
    return sink.name();
  }

  OutputStream stream() {
    return sink.stream();
  }

  Sink sink() {
    return sink;
  }

  /** Makes what was written the file's content. */
  void commit() {
    sink.commit();
  }

  @Override
  public void close() {
    sink.close();
    try {
      Runtime.getRuntime().removeShutdownHook(cleaner);
    } catch (IllegalStateException e) {
      // The process is ending, and the hook does the same once more.
    }
  }
}
