package dev.stowage.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.stowage.driver.Answer;
import dev.stowage.driver.AnswerWriter;
import dev.stowage.formats.problem.MiniMallocWriter;
import dev.stowage.ir.text.ProgramPrinter;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.util.Optional;

/** The file that plans are written to, whose ending says how. */
final class PlanFile implements Closeable {
  private enum Form {
    JSON,
    MINIMALLOC_CSV,
    STOW,
  }

  private final Form form;
  private final OutputFile file;
  private final AnswerWriter json;

  private PlanFile(Form form, OutputFile file) throws IOException {
    this.form = form;
    this.file = file;
    json = new AnswerWriter(file.stream());
  }

  /**
   * Opens a file.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code usage} for an ending that does not
   *     say what to write, {@code output-unwritable} if it cannot be written
   */
  static PlanFile open(String name) throws IOException {
    Form form = form(name);
    return new PlanFile(form, OutputFile.open(name));
  }

  private static Form form(String name) {
    String plain = name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
    if (plain.endsWith(".json") || plain.endsWith(".jsonl")) {
      return Form.JSON;
    }
    if (plain.endsWith(".csv")) {
      return Form.MINIMALLOC_CSV;
    }
    if (plain.endsWith(".stow")) {
      return Form.STOW;
    }
    throw Command.usage(
        "the ending of '" + name + "' does not say what to write",
        "use one of .json, .jsonl, .csv (a problem's solution for MiniMalloc), .stow (a program"
            + " with its plan), each with .gz if you like");
  }

  String name() {
    return file.name();
  }

  /** Checks that there may be several plans. */
  void requireRoomForMany() {
    if (form != Form.JSON) {
      throw Command.usage(
          "'" + name() + "' can hold one plan only, but there are several",
          "write them to a .jsonl file");
    }
  }

  /** Writes the only plan. */
  void write(Answer answer) throws IOException {
    if (form == Form.JSON) {
      json.write(answer);
      return;
    }
    Writer text = new BufferedWriter(new OutputStreamWriter(file.stream(), UTF_8));
    if (form == Form.STOW && answer instanceof Answer.ProgramPlanned planned) {
      ProgramPrinter.print(planned.program(), text);
    } else if (form == Form.MINIMALLOC_CSV && answer instanceof Answer.ProblemPlanned planned) {
      MiniMallocWriter.write(text, planned.problem(), Optional.of(planned.plan()));
    } else {
      throw Command.usage(
          form == Form.STOW
              ? "the plan of a problem cannot be written as .stow, which is for programs"
              : "the plan of a program cannot be written as .csv, which is for problems",
          "write it to a .json file");
    }
    text.flush();
  }

  /** Writes one of several plans, or its error. */
  void writeOneOfMany(Answer answer) throws IOException {
    json.writeVerified(answer);
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
