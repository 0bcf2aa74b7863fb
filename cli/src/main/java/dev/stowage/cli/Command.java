package dev.stowage.cli;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Suggestions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** What all commands have in common. */
abstract class Command {
  /** The argument that stands for standard input or output. */
  static final String STANDARD_STREAM = "-";

  private static final ImmutableList<String> COLORS = ImmutableList.of("auto", "always", "never");

  @Option(
      names = {"-v", "--verbose"},
      description = "Tell more: every finding, a log, stack traces of defects.")
  private boolean verbose;

  @Option(
      names = {"-q", "--quiet"},
      description = "Say only what is wrong: no tables of plans, no progress.")
  private boolean quiet;

  @Option(
      names = "--color",
      paramLabel = "WHEN",
      description = "auto (the default: on a terminal, unless NO_COLOR is set), always or never.")
  private String color = "auto";

  /**
   * Does what the command is for.
   *
   * @return the exit code
   * @throws DiagnosticException if nothing can be done
   * @throws IOException if an output fails that does not say so itself
   */
  abstract int run(Run run) throws IOException;

  boolean verbose() {
    return verbose;
  }

  boolean quiet() {
    return quiet;
  }

  /** The style of a stream, by option, stream and environment. */
  final Style style(boolean isTerminal, boolean noColor) {
    if (!COLORS.contains(color)) {
      throw badValue("--color", color, "is no time for colour", Suggestions.help(color, COLORS));
    }
    return new Style(color.equals("always") || (color.equals("auto") && isTerminal && !noColor));
  }

  /** An error about the value of an option. */
  static DiagnosticException badValue(String option, String value, String why, String help) {
    return Diagnostic.of(Kinds.OPTION_VALUE, option + ": '" + value + "' " + why)
        .help(help)
        .asException();
  }

  /** An error about how the command was called. */
  static DiagnosticException usage(String message, String help) {
    return Diagnostic.of(Kinds.USAGE, message).help(help).asException();
  }

  /** Checks that standard input is given once at most, and that no input would be overwritten. */
  static void checkFiles(List<String> inputs, String output) {
    if (inputs.stream().filter(STANDARD_STREAM::equals).count() > 1) {
      throw usage("standard input ('-') is given twice", "it can be read only once");
    }
    for (String input : inputs) {
      if (!input.equals(STANDARD_STREAM)
          && !output.equals(STANDARD_STREAM)
          && isSameFile(input, output)) {
        throw usage(
            "the output '" + output + "' is also an input", "give another name to the output");
      }
    }
  }

  private static boolean isSameFile(String one, String other) {
    try {
      return Files.exists(Path.of(one))
          && Files.exists(Path.of(other))
          && Files.isSameFile(Path.of(one), Path.of(other));
    } catch (InvalidPathException e) {
      return false; // whoever opens it says so
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
