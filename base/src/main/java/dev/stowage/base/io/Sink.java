package dev.stowage.base.io;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A named output: a file, compressed where its name ends in {@code .gz}, or standard output.
 *
 * <p>A file is written aside, in the same folder, and takes the place of the target only on {@link
 * #commit}: readers see the old file or the whole new one, and a run that fails leaves nothing
 * behind. What is no regular file, such as {@code /dev/null}, is written directly.
 *
 * <p>Everything that goes wrong is a {@link DiagnosticException} of kind {@code output-unwritable}
 * that names the output. Not thread-safe.
 */
public final class Sink implements Closeable {
  /** The argument that stands for standard output. */
  public static final String STANDARD_OUTPUT = "-";

  private final String name;
  private final OutputStream stream;
  private final @Nullable Path target;
  private final @Nullable Path aside;
  private boolean committed;

  private Sink(String name, OutputStream stream, @Nullable Path target, @Nullable Path aside) {
    this.name = name;
    this.stream = stream;
    this.target = target;
    this.aside = aside;
  }

  /**
   * Opens a file, or standard output for {@code -}, which is flushed on commit and never closed.
   *
   * @param argument as the user named it, which is also its name in errors
   * @throws DiagnosticException of kind {@code output-unwritable}
   */
  public static Sink open(String argument, OutputStream standardOutput) {
    if (argument.equals(STANDARD_OUTPUT)) {
      String name = "standard output";
      return new Sink(name, buffered(name, standardOutput), null, null);
    }
    try {
      return open(argument, Path.of(argument));
    } catch (InvalidPathException e) {
      throw unwritable(argument, "is no valid file name: " + e.getReason());
    }
  }

  /**
   * Opens a file.
   *
   * @throws DiagnosticException of kind {@code output-unwritable}
   */
  public static Sink open(Path path) {
    return open(path.toString(), path);
  }

  private static Sink open(String name, Path path) {
    if (Files.isDirectory(path)) {
      throw unwritable(name, "is a directory");
    }
    try {
      // The file behind a symbolic link is replaced, not the link.
      Path target = Files.exists(path) ? path.toRealPath() : linked(path).toAbsolutePath();
      boolean direct = Files.exists(target) && !Files.isRegularFile(target);
      if (Files.exists(target) && !Files.isWritable(target)) {
        throw unwritable(name, "may not be written: permission denied");
      }
      Path aside =
          target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".tmp");
      OutputStream raw =
          direct
              ? Files.newOutputStream(target)
              : Files.newOutputStream(aside, StandardOpenOption.CREATE_NEW);
      // The header that Java writes has no time in it, so equal content gives equal bytes.
      OutputStream stream = name.endsWith(".gz") ? new GZIPOutputStream(raw, 1 << 16) : raw;
      return new Sink(name, buffered(name, stream), target, direct ? null : aside);
    } catch (NoSuchFileException e) {
      throw unwritable(name, "cannot be written: its folder does not exist");
    } catch (AccessDeniedException e) {
      throw unwritable(name, "may not be written: permission denied");
    } catch (IOException e) {
      throw failure(name, e);
    }
  }

  /** Where a link leads whose target does not exist yet. */
  private static Path linked(Path path) throws IOException {
    return Files.isSymbolicLink(path) ? path.resolveSibling(Files.readSymbolicLink(path)) : path;
  }

  private static OutputStream buffered(String name, OutputStream raw) {
    return new BufferedOutputStream(new NamedStream(name, raw), 1 << 16);
  }

  /** The output as the user named it. */
  public String name() {
    return name;
  }

  /** Where to write; flush and close it through this sink only. */
  public OutputStream stream() {
    return stream;
  }

  /** Makes what was written the content of the target. */
  public void commit() {
    try {
      stream.flush();
      committed = true;
      if (target == null) {
        return;
      }
      stream.close();
      if (aside != null) {
        try {
          keepPermissions(target, aside);
          move(aside, target);
        } catch (IOException e) {
          Files.deleteIfExists(aside);
          throw e;
        }
      }
    } catch (IOException e) {
      throw failure(name, e);
    }
  }

  /** Who may read the old file may read the new one, and nobody else. */
  private static void keepPermissions(Path old, Path replacement) throws IOException {
    if (Files.exists(old) && Files.getFileStore(old).supportsFileAttributeView("posix")) {
      Files.setPosixFilePermissions(replacement, Files.getPosixFilePermissions(old));
    }
  }

  private static void move(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Ends writing; without a commit before it nothing is left of a file. */
  @Override
  public void close() {
    if (committed || target == null) {
      return;
    }
    try {
      stream.close();
    } catch (IOException | DiagnosticException e) {
      // What could not be flushed is thrown away just below.
    }
    try {
      if (aside != null) {
        Files.deleteIfExists(aside);
      }
    } catch (IOException e) {
      throw failure(name, e);
    }
  }

  private static DiagnosticException unwritable(String name, String why) {
    return Diagnostic.of(Kinds.OUTPUT_UNWRITABLE, Location.of(name), "'" + name + "' " + why)
        .asException();
  }

  private static DiagnosticException failure(String name, IOException e) {
    return unwritable(name, "cannot be written: " + Message.reason(e));
  }

  /** Turns every failure to write into the one message that the user sees. */
  private static final class NamedStream extends FilterOutputStream {
    private final String name;

    NamedStream(String name, OutputStream out) {
      super(out);
      this.name = name;
    }

    @Override
    public void write(int b) {
      try {
        out.write(b);
      } catch (IOException e) {
        throw failure(name, e);
      }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      try {
        out.write(bytes, offset, length);
      } catch (IOException e) {
        throw failure(name, e);
      }
    }

    @Override
    public void flush() {
      try {
        out.flush();
      } catch (IOException e) {
        throw failure(name, e);
      }
    }
  }
}
