package dev.stowage.driver;

import dev.stowage.base.io.Source;
import dev.stowage.memmap.Target;
import dev.stowage.memmap.TargetReader;
import java.io.InputStream;

/** Finds the target that a user means: one of the catalogue, or one that a file describes. */
public final class Targets {
  private Targets() {}

  /**
   * The target of a name or of a file, which may extend one of the catalogue. A file is what has a
   * separator in its path, ends in {@code .json} or {@code .json.gz}, or is {@code -} for standard
   * input.
   *
   * @param nameOrFile as the user wrote it
   * @param standardInput read to its end only for {@code -}
   * @throws dev.stowage.base.DiagnosticException of kind {@code unknown-target} for a name that
   *     nobody has; of a kind {@code input-*} or {@code map-*} for a file, with everything that is
   *     wrong with it
   */
  public static Target find(String nameOrFile, InputStream standardInput, Extensions extensions) {
    if (!isFile(nameOrFile)) {
      return extensions.targets().get(nameOrFile);
    }
    try (Source source = Source.open(nameOrFile, standardInput)) {
      return TargetReader.read(source, extensions.targets()::get);
    }
  }

  /** True if an argument names a file rather than a target of the catalogue. */
  public static boolean isFile(String argument) {
    return argument.equals(Source.STANDARD_INPUT)
        || argument.indexOf('/') >= 0
        || argument.indexOf('\\') >= 0
        || Source.uncompressedName(argument).endsWith(".json");
  }
}
