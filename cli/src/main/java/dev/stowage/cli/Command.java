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

  /**
   * The whole number that the value of an option states.
   *
   * @param greatest it may be 1 to this
   * @param what the words for it
   * @param example one, for help
   * @throws DiagnosticException of kind {@code option-value} if it states none
   */
  static int parseNumber(String option, String text, int greatest, String what, int example) {
    try {
      int number = Integer.parseInt(text);
      if (number >= 1 && number <= greatest) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The same message as for a number that is too large.
    }
    throw badValue(
        option,
        text,
        "is no " + what + " from 1 to " + Text.number(greatest),
        "give a number such as " + example);
  }

  /** An error about how the command was called. */
  static DiagnosticException usage(String message, String help) {
    return Diagnostic.of(Kinds.USAGE, message).help(help).asException();
  }

  /**
   * Checks that standard input is given once at most, that no input would be overwritten, and that
   * no two outputs are one file.
   */
  static void checkFiles(List<String> inputs, List<String> outputs) {
    if (inputs.stream().filter(STANDARD_STREAM::equals).count() > 1) {
      throw usage("standard input ('-') is given twice", "it can be read only once");
    }
    for (int i = 0; i < outputs.size(); i++) {
      String output = outputs.get(i);
      if (contains(inputs, output)) {
        throw usage(
            "the output '" + output + "' is also an input", "give another name to the output");
      }
      if (contains(outputs.subList(0, i), output)) {
        throw usage(
            "two outputs would be written to '" + output + "'", "give another name to one of them");
      }
    }
  }

  private static boolean contains(List<String> files, String wanted) {
    return !wanted.equals(STANDARD_STREAM)
        && files.stream()
            .anyMatch(file -> !file.equals(STANDARD_STREAM) && isSameFile(file, wanted));
  }

  private static boolean isSameFile(String one, String other) {
    try {
      Path path = Path.of(one);
      Path otherPath = Path.of(other);
      return (Files.exists(path) && Files.exists(otherPath))
          ? Files.isSameFile(path, otherPath)
          : path.toAbsolutePath().normalize().equals(otherPath.toAbsolutePath().normalize());
    } catch (InvalidPathException e) {
      return false; // whoever opens it says so
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
