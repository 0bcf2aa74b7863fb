package dev.stowage.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a command's result is written, and where. */
final class OutputOptions {
  @Option(names = "--json", description = "Print JSON; docs/json.md has its schemas.")
  private boolean json;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Write the result to a file.")
  private @Nullable String file;

  /** True if the result is to be JSON. */
  boolean json() {
    return json;
  }

  /** The file as it was named, if any. */
  @Nullable String file() {
    return file;
  }

  /** The file as it was named, or the name for standard output. */
  String fileOrStandardOutput() {
    return file == null ? Command.STANDARD_STREAM : file;
  }
}
