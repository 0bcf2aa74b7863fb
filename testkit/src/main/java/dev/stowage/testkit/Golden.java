package dev.stowage.testkit;

import com.google.common.io.MoreFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that tests compare with, and write anew where somebody says so. */
final class Golden {
  /** The system property that has expectations written in place of compared. */
  static final String UPDATE = "stowage.updateGolden";

  private Golden() {}

  /** True if files are to be written. */
  static boolean isUpdated() {
    return Boolean.getBoolean(UPDATE);
  }

  static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  static void write(Path file, String content) {
    try {
      MoreFiles.createParentDirectories(file);
      Files.writeString(file, content, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
  }
}
