package dev.stowage.passes;

import dev.stowage.base.io.Source;
import java.io.InputStream;

/** Reads the files that options of passes name. */
@FunctionalInterface
public interface FileAccess {
  /** Reads from the file system, each time anew. */
  FileAccess DISK =
      file -> {
        try (Source source = Source.open(file, InputStream.nullInputStream())) {
          return source.readText();
        }
      };

  /**
   * The content of a text file in UTF-8, decompressed where it is gzip.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-unreadable}, or {@code
   *     input-syntax} if it is no such text
   */
  String read(String file);
}
