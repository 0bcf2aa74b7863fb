package dev.stowage.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The streams that a run reads and writes: those of the process, or of a test.
 *
 * @param outIsTerminal true if somebody looks at standard output as it comes
 * @param errIsTerminal true if somebody looks at standard error as it comes
 * @param noColor true if the environment asks for no colour ({@code NO_COLOR})
 */
record Terminal(
    InputStream in,
    OutputStream out,
    OutputStream err,
    boolean outIsTerminal,
    boolean errIsTerminal,
    boolean noColor) {

  /** The streams of this process. */
  static Terminal ofProcess() {
    String noColor = System.getenv("NO_COLOR");
    return new Terminal(
        new FileInputStream(FileDescriptor.in),
        // Not System.out, which keeps quiet about what cannot be written.
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        isTerminal(1),
        isTerminal(2),
        noColor != null && !noColor.isEmpty());
  }

  /** Linux tells of each stream, Java only of input and output together, and in some versions. */
  @SuppressWarnings("SystemConsoleNull") // never null from JDK 22 on, hence the version
  private static boolean isTerminal(int descriptor) {
    Path link = Path.of("/proc/self/fd/" + descriptor);
    try {
      if (Files.isSymbolicLink(link)) {
        String file = Files.readSymbolicLink(link).toString();
        return file.startsWith("/dev/pts/")
            || file.startsWith("/dev/tty")
            || file.equals("/dev/console");
      }
    } catch (IOException e) {
      return false;
    }
    return Runtime.version().feature() < 22 && System.console() != null;
  }
}
