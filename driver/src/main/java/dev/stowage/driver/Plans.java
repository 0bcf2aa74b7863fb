package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.io.Sink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The plans of one input, in the order in which it asks for them.
 *
 * @param source the input's name
 * @param answers at least one
 * @param extensions what else can be written than Stowage's own formats
 */
public record Plans(String source, ImmutableList<Answer> answers, Extensions extensions) {
  /**
   * Fails unless everything was planned and no verifier found an error.
   *
   * @throws DiagnosticException with the first reason
   */
  public void requireVerified() {
    for (Answer answer : answers) {
      Optional<Diagnostic> failure = answer.failure();
      if (failure.isPresent()) {
        throw failure.get().in(source).asException();
      }
    }
  }

  /**
   * Writes the plans, all or nothing, in the form that the file's ending says: {@code .json} or
   * {@code .jsonl}, one a line; for a single plan also {@code .csv} (a problem's solution for
   * MiniMalloc), {@code .stow} (a program with its plan) and what exporters write; each with {@code
   * .gz}. Of several plans those that are not verified are written as errors.
   *
   * @throws DiagnosticException of kind {@code usage} for another ending, {@code verification} for
   *     a single plan that is not verified, {@code output-unwritable} if the file cannot be written
   */
  public void write(Path path) {
    PlanExport.check(path.toString(), extensions);
    boolean single = answers.size() == 1;
    if (single) {
      requireVerified();
    }
    try (Sink sink = Sink.open(path)) {
      PlanExport export = PlanExport.to(path.toString(), sink.stream(), extensions);
      if (single) {
        export.write(answers.get(0));
      } else {
        export.requireRoomForMany();
        for (Answer answer : answers) {
          export.writeOneOfMany(answer);
        }
      }
      sink.commit();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // the sink reports its own failures
    }
  }
}
