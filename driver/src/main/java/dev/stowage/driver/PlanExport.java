package dev.stowage.driver;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.formats.FormatSpec;
import dev.stowage.formats.PlannedModel;
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
      ".json, .jsonl, .csv (a problem's solution for MiniMalloc), .stow (a program with its plan)";

  private final String name;
  private final Form form;
  private final Extensions extensions;
  private final OutputStream out;
  private final AnswerWriter json;

  private PlanExport(String name, Form form, Extensions extensions, OutputStream out)
      throws IOException {
    this.name = name;
    this.form = form;
    this.extensions = extensions;
    this.out = out;
    json = new AnswerWriter(out);
  }

  /** What to write. */
  private sealed interface Form {
    /** A form of Stowage's own. */
    record Own(OutputForm form) implements Form {}

    /** The format of a plug-in. */
    record OfPlugin(FormatSpec format) implements Form {}
  }

  /**
   * Writes plans to a stream, which the caller closes.
   *
   * @param name of the file that the stream writes
   * @param extensions what else can be written than Stowage's own formats
   * @throws DiagnosticException of kind {@code usage} if its ending does not say what to write
   */
  public static PlanExport to(String name, OutputStream out, Extensions extensions)
      throws IOException {
    return new PlanExport(name, form(name, extensions), extensions, out);
  }

  /**
   * Checks that a name's ending says what to write.
   *
   * @param extensions what else can be written than Stowage's own formats
   * @throws DiagnosticException of kind {@code usage} if it does not
   */
  public static void check(String name, Extensions extensions) {
    form(name, extensions);
  }

  private static Form form(String name, Extensions extensions) {
    Optional<Form> own = OutputForm.of(name).map(Form.Own::new);
    return own.or(() -> extensions.exporters().ofName(name).map(Form.OfPlugin::new))
        .orElseThrow(() -> OutputForm.unknown(name, endings(extensions)));
  }

  private static String endings(Extensions extensions) {
    StringBuilder endings = new StringBuilder("use one of ").append(ENDINGS);
    for (FormatSpec format : extensions.exporters().formats()) {
      format.endings().forEach(ending -> endings.append(", ").append(ending));
    }
    return endings.append(", each with .gz if you like").toString();
  }

  private boolean isJson() {
    return form.equals(new Form.Own(OutputForm.JSON));
  }

  /**
   * Checks that there may be several plans.
   *
   * @throws DiagnosticException of kind {@code usage} if there may be only one
   */
  public void requireRoomForMany() {
    if (!isJson()) {
      throw usage(
          "'" + name + "' can hold one plan only, but there are several",
          "write them to a .jsonl file");
    }
  }

  /**
   * Writes the only plan.
   *
   * @throws DiagnosticException of kind {@code usage} if it is not of the kind that the form is
   *     for, or of another if an exporter refuses it
   * @throws IOException if the output fails
   */
  public void write(Answer answer) throws IOException {
    boolean stow = form.equals(new Form.Own(OutputForm.STOW));
    if (answer instanceof Answer.ProgramChanged changed && !stow) {
      throw changed.noPlan().asException();
    }
    if (form instanceof Form.OfPlugin ofPlugin) {
      extensions.exporters().write(ofPlugin.format(), planned(answer, ofPlugin.format()), out);
    } else {
      write(answer, ((Form.Own) form).form());
    }
  }

  private static PlannedModel planned(Answer answer, FormatSpec format) {
    if (answer instanceof Answer.ProgramPlanned planned) {
      return new PlannedModel(
          planned.name(), planned.format(), planned.original(), planned.program());
    }
    throw usage(
        "the plan of a problem cannot be written as " + format.name() + ", which is for programs",
        "write it to a .json file");
  }

  private void write(Answer answer, OutputForm own) throws IOException {
    if (own == OutputForm.JSON) {
      json.write(answer);
      return;
    }
    Writer text = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    if (own == OutputForm.STOW && answer instanceof Answer.ProgramPlanned planned) {
      ProgramPrinter.print(planned.program(), text);
    } else if (answer instanceof Answer.ProgramChanged changed) {
      ProgramPrinter.print(changed.program(), text);
    } else if (own == OutputForm.MINIMALLOC_CSV
        && answer instanceof Answer.ProblemPlanned planned) {
      MiniMallocWriter.write(text, planned.problem(), Optional.of(planned.plan()));
    } else {
      throw usage(
          own == OutputForm.STOW
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
