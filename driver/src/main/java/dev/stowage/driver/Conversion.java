package dev.stowage.driver;

import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Sink;
import dev.stowage.base.io.Source;
import dev.stowage.formats.problem.MiniMallocWriter;
import dev.stowage.formats.problem.ProblemOptions;
import dev.stowage.formats.problem.ProblemWriter;
import dev.stowage.ir.Program;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.planning.PlanningProblem;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Optional;

/**
 * Writes what a file has in another format. A model becomes {@code .stow}, or the planning problem
 * that its usual profile makes of it; a problem becomes JSON or MiniMalloc CSV.
 */
public final class Conversion {
  private Conversion() {}

  /**
   * Checks that a name's ending says what to write.
   *
   * @throws DiagnosticException of kind {@code usage} if it does not
   */
  public static void checkTarget(String outName) {
    target(outName);
  }

  /**
   * Reads everything in a file and writes it; the caller commits.
   *
   * @param outName whose ending says what to write
   * @param extensions what else can be read than Stowage's own formats
   * @throws DiagnosticException of a kind {@code input-*} if the input is invalid, or has what the
   *     format of the output cannot express; of kind {@code usage} for an unknown ending
   */
  public static void convert(Source in, String outName, Sink out, Extensions extensions) {
    OutputForm target = target(outName);
    Iterator<Entry<Input>> inputs = Input.read(in, ProblemOptions.NONE, extensions);
    // Flushed, not closed: the caller ends the output.
    Writer text = new BufferedWriter(new OutputStreamWriter(out.stream(), StandardCharsets.UTF_8));
    try {
      Input first = inputs.next().orThrow();
      if (target != OutputForm.JSON && inputs.hasNext()) {
        throw Diagnostic.of(
                Kinds.INPUT_UNSUPPORTED,
                Location.of(in.name()),
                "the file has several documents, and " + outName + " can hold only one")
            .help("convert to .jsonl, or give a file with one document")
            .asException();
      }
      if (target == OutputForm.STOW) {
        ProgramPrinter.print(program(in, first), text);
        text.flush();
        return;
      }
      for (Optional<Input> next = Optional.of(first); next.isPresent(); ) {
        for (PlanningProblem problem : Lowering.problems(next.get())) {
          if (target == OutputForm.JSON) {
            ProblemWriter.write(out.stream(), problem, strategy(next.get()));
          } else {
            MiniMallocWriter.write(text, problem, Optional.empty());
          }
        }
        next = inputs.hasNext() ? Optional.of(inputs.next().orThrow()) : Optional.empty();
      }
      text.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // the sink reports its own failures
    }
  }

  private static Optional<Call> strategy(Input input) {
    return input instanceof Input.Problem problem
        ? problem.document().request().strategy()
        : Lowering.firstRequest(((Input.Model) input).model()).strategy();
  }

  private static Program program(Source in, Input input) {
    if (input instanceof Input.Model model) {
      Lowering.requireProgram(model.model());
      return model.model().program();
    }
    throw Diagnostic.of(
            Kinds.INPUT_UNSUPPORTED,
            Location.of(in.name()),
            "a planning problem has no program, so it cannot be written as .stow")
        .help("write it as .json or .csv")
        .asException();
  }

  private static OutputForm target(String outName) {
    return OutputForm.of(outName)
        .orElseThrow(
            () ->
                OutputForm.unknown(
                    outName, "use one of .json, .jsonl, .csv, .stow, each with .gz if you like"));
  }
}
