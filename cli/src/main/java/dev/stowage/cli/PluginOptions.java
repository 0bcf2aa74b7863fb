package dev.stowage.cli;

import com.google.common.collect.ImmutableList;
import dev.stowage.driver.Extensions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What a command works with beside what is installed. */
final class PluginOptions {
  @Option(
      names = "--plugin",
      paramLabel = "JAR",
      description = "Take what a plug-in brings; may be repeated. See docs/extending.md.")
  private List<String> jars = List.of();

  /** All that a command reads: what is given, and the jars. */
  ImmutableList<String> andJars(List<String> inputs) {
    return ImmutableList.<String>builder().addAll(inputs).addAll(jars).build();
  }

  /**
   * Opens the plug-ins.
   *
   * @throws dev.stowage.base.DiagnosticException if one is not fit for use, or of kind {@code
   *     option-value} if one has no name
   */
  Extensions open() {
    return open(Optional.empty());
  }

  /** The same, with a limit for how long loading them may take. */
  Extensions open(Optional<Duration> deadline) {
    if (jars.contains("")) {
      throw Command.badValue("--plugin", "", "is no file", "give the jar of a plug-in");
    }
    return Extensions.open(jars, deadline);
  }
}
