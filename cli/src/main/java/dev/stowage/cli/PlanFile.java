package dev.stowage.cli;

import dev.stowage.driver.Answer;
import dev.stowage.driver.Extensions;
import dev.stowage.driver.PlanExport;
import java.io.Closeable;
import java.io.IOException;

/** The file that plans are written to, whose ending says how. */
final class PlanFile implements Closeable {
  private final OutputFile file;
  private final PlanExport export;

  private PlanFile(OutputFile file, Extensions extensions) throws IOException {
    this.file = file;
    export = PlanExport.to(file.name(), file.stream(), extensions);
  }

  /**
   * Opens a file.
   *
   * @param extensions what else can be written than Stowage's own formats
   * @throws dev.stowage.base.DiagnosticException of kind {@code usage} for an ending that does not
   *     say what to write, {@code output-unwritable} if it cannot be written
   */
  static PlanFile open(String name, Extensions extensions) throws IOException {
    PlanExport.check(name, extensions);
    return new PlanFile(OutputFile.open(name), extensions);
  }

  String name() {
    return file.name();
  }

  /** Checks that there may be several plans. */
  void requireRoomForMany() {
    export.requireRoomForMany();
  }

  /** Writes the only plan. */
  void write(Answer answer) throws IOException {
    export.write(answer);
  }

  /** Writes one of several plans, or its error. */
  void writeOneOfMany(Answer answer) throws IOException {
    export.writeOneOfMany(answer);
  }

  /** Makes what was written the file's content. */
  void commit() {
    file.commit();
  }

  @Override
  public void close() {
    file.close();
  }
}
