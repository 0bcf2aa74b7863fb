package dev.stowage.cli;

import static com.google.common.base.Preconditions.checkState;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The version that the build wrote down. */
final class Version {
  private Version() {}

  /** {@code stowage}, and the version. */
  static String text() {
    try (InputStream in = Version.class.getResourceAsStream("version.txt")) {
      checkState(in != null, "version.txt is missing");
      return "stowage " + new String(in.readAllBytes(), UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
