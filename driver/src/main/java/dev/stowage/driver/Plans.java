package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.formats.io.Sink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * The plans of one input, in the order in which it asks for them.
 *
 * @param source the input's name
 * @param answers at least one
 */
public record Plans(String source, ImmutableList<Answer> answers) {
  /**
   * Fails unless everything was planned and no verifier found an error.
   *
   * @throws DiagnosticException with the first reason
   */
  public void requireVerified() {
    for (Answer answer : answers) {
      if (answer.error().isPresent()) {
        throw answer.error().get().in(source).asException();
      }
      if (!answer.isVerified()) {
        Diagnostic error = AnswerWriter.verificationError(answer);
        throw error.in(source).asException();
      }
    }
  }

  /**
   * Writes the plans as JSON, one a line, all or nothing; plans that are not verified are written
   * as errors.
   *
   * @throws DiagnosticException of kind {@code output-unwritable}
   */
  public void write(Path path) {
    try (Sink sink = Sink.open(path);
        AnswerWriter writer = new AnswerWriter(sink.stream())) {
      for (Answer answer : answers) {
        writer.writeVerified(answer);
      }
      sink.commit();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // the sink reports its own failures
    }
  }
}
