package dev.stowage.driver;

import dev.stowage.base.io.Source;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.Pipeline;
import java.io.InputStream;

/** Pipelines as a user gives them. */
public final class Pipelines {
  private static final String FILE = "@";

  private Pipelines() {}

  /**
   * The pipeline of an argument: a text, the name of a pipeline, or {@code @} and the name of a
   * file with either, in which {@code #} begins a comment.
   *
   * @throws dev.stowage.base.DiagnosticException as {@link PassManager#pipeline} does, or of a kind
   *     {@code input-*} if the file cannot be read
   */
  public static Pipeline read(String argument, PassManager manager) {
    if (!argument.startsWith(FILE)) {
      return manager.pipeline("--pipeline", argument);
    }
    try (Source source =
        Source.open(argument.substring(FILE.length()), InputStream.nullInputStream())) {
      return manager.pipeline(source.name(), source.readText());
    }
  }
}
