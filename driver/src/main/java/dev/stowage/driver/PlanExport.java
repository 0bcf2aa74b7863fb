package dev.stowage.driver;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.formats.problem.MiniMallocWriter;
import dev.stowage.ir.text.ProgramPrinter;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Writes plans in the form that a file's ending says. */
public final class PlanExport {
  private static final String ENDINGS =
      "use one of .json, .jsonl, .csv (a problem's solution for MiniMalloc), .stow (a program"
          + " with its plan), each with .gz if you like";

  private final String name;
  private final OutputForm form;
  private final OutputStream out;
  private final AnswerWriter json;

  private PlanExport(String name, OutputForm form, OutputStream out) throws IOException {
    this.name = name;
    this.form = form;
    this.out = out;
    json = new AnswerWriter(out);
  }

  /**
   * Writes plans to a stream, which the caller closes.
   *
   * @param name of the file that the stream writes
   * @throws DiagnosticException of kind {@code usage} if its ending does not say what to write
   */
  public static PlanExport to(String name, OutputStream out) throws IOException {
    return new PlanExport(name, form(name), out);
  }

  /**
   * Checks that a name's ending says what to write.
   *
   * @throws DiagnosticException of kind {@code usage} if it does not
   */
  public static void check(String name) {
    form(name);
  }

  private static OutputForm form(String name) {
    return OutputForm.of(name, ENDINGS);
  }

  /**
   * Checks that there may be several plans.
   *
   * @throws DiagnosticException of kind {@code usage} if there may be only one
   */
  public void requireRoomForMany() {
    if (form != OutputForm.JSON) {
      throw usage(
          "'" + name + "' can hold one plan only, but there are several",
          "write them to a .jsonl file");
    }
  }

  /**
   * Writes the only plan.
   *
   * @throws DiagnosticException of kind {@code usage} if it is not of the kind that the form is for
   * @throws IOException if the output fails
   */
  public void write(Answer answer) throws IOException {
    if (form == OutputForm.JSON) {
      json.write(answer);
      return;
    }
    Writer text = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    if (form == OutputForm.STOW && answer instanceof Answer.ProgramPlanned planned) {
      ProgramPrinter.print(planned.program(), text);
    } else if (form == OutputForm.MINIMALLOC_CSV
        && answer instanceof Answer.ProblemPlanned planned) {
      MiniMallocWriter.write(text, planned.problem(), Optional.of(planned.plan()));
    } else {
      throw usage(
          form == OutputForm.STOW
              ? "the plan of a problem cannot be written as .stow, which is for programs"
              : "the plan of a program cannot be written as .csv, which is for problems",
          "write it to a .json file");
    }
    text.flush();
  }

  /**
   * Writes one of several plans, or an error in its place if it has none or is not verified.
   *
   * @throws IOException if the output fails
   */
  public void writeOneOfMany(Answer answer) throws IOException {
    json.writeVerified(answer);
  }

  private static DiagnosticException usage(String message, String help) {
    return Diagnostic.of(Kinds.USAGE, message).help(help).asException();
  }
}
