package dev.stowage.cli;

import dev.stowage.driver.Extensions;
import java.util.List;
import picocli.CommandLine.Option;

/** What a command works with beside what is installed. */
final class PluginOptions {
  @Option(
      names = "--plugin",
      paramLabel = "JAR",
      description = "Take what a plug-in brings; may be repeated. See docs/extending.md.")
  private List<String> jars = List.of();

  /**
   * Opens the plug-ins.
   *
   * @throws dev.stowage.base.DiagnosticException if one is not fit for use
   */
  Extensions open() {
    return Extensions.open(jars);
  }
}
