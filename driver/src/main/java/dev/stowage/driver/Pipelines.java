package dev.stowage.driver;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.io.Source;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.Pipeline;
import java.io.InputStream;
import java.util.Optional;

/** Pipelines as a user gives them. */
public final class Pipelines {
  private static final String FILE = "@";

  private Pipelines() {}

  /** The file that an argument names, if it does. */
  public static Optional<String> file(String argument) {
    return argument.startsWith(FILE)
        ? Optional.of(argument.substring(FILE.length()))
        : Optional.empty();
  }

  /**
   * The pipeline of an argument: a text, the name of a pipeline, or {@code @} and the name of a
   * file with either, in which {@code #} begins a comment.
   *
   * @throws dev.stowage.base.DiagnosticException as {@link PassManager#pipeline} does, of kind
   *     {@code option-value} if no file is named, or of a kind {@code input-*} if it cannot be read
   */
  public static Pipeline read(String argument, PassManager manager) {
    Optional<String> named = file(argument);
    if (named.isEmpty()) {
      return manager.pipeline("--pipeline", argument);
    }
    String file = named.get();
    if (file.isEmpty() || file.equals(Source.STANDARD_INPUT)) {
      throw Diagnostic.of(
              Kinds.OPTION_VALUE,
              "--pipeline: '" + argument + "' does not name a file that has the pipeline")
          .help("give @ and the name of a file, or the pipeline itself")
          .asException();
    }
    try (Source source = Source.open(file, InputStream.nullInputStream())) {
      return manager.pipeline(source.name(), source.readText());
    }
  }
}
