package dev.stowage.base.io;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.io.CountingInputStream;
import com.google.common.primitives.Bytes;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * A named input, read once: a file or standard input, decompressed where its content is gzip,
 * whatever it is called.
 *
 * <p>Everything that goes wrong while reading, at any time, is a {@link DiagnosticException} of
 * kind {@code input-unreadable} that names the input. Not thread-safe.
 */
public final class Source implements Closeable {
  /** The argument that stands for standard input. */
  public static final String STANDARD_INPUT = "-";

  /** How far {@link #peek} can look, in bytes. */
  public static final int PEEK_LIMIT = 1 << 16;

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private static final int GZIP_MAGIC_0 = 0x1f;
  private static final int GZIP_MAGIC_1 = 0x8b;

  /** What is read as a whole may be this large, however small it was before decompression. */
  private static final int ANY_RATIO_BYTES = 1 << 26;

  /** Beyond that, decompressed bytes for each compressed one; real models stay far below. */
  private static final int LARGEST_RATIO = 100;

  private final String name;
  private final CountingInputStream raw;
  private final InputStream stream;

  private Source(String name, CountingInputStream raw, InputStream stream) {
    this.name = name;
    this.raw = raw;
    this.stream = stream;
  }

  /**
   * Opens a file, or standard input for {@code -}.
   *
   * @param argument as the user named it, which is also its name in errors
   * @param standardInput used and closed only for {@code -}
   * @throws DiagnosticException of kind {@code input-unreadable}
   */
  public static Source open(String argument, InputStream standardInput) {
    if (argument.equals(STANDARD_INPUT)) {
      return of("standard input", standardInput);
    }
    try {
      return open(argument, Path.of(argument));
    } catch (InvalidPathException e) {
      throw unreadable(argument, "is no valid file name: " + e.getReason()).asException();
    }
  }

  /**
   * Opens a file.
   *
   * @throws DiagnosticException of kind {@code input-unreadable}
   */
  public static Source open(Path path) {
    return open(path.toString(), path);
  }

  /**
   * An input from bytes that somebody else provides.
   *
   * @throws DiagnosticException of kind {@code input-unreadable}
   */
  public static Source of(String name, InputStream bytes) {
    CountingInputStream raw = new CountingInputStream(bytes);
    return new Source(name, raw, decompressed(name, raw));
  }

  /** An input from memory. */
  public static Source of(String name, byte[] bytes) {
    return of(name, new ByteArrayInputStream(bytes));
  }

  private static Source open(String name, Path path) {
    if (Files.isDirectory(path)) {
      throw unreadable(name, "is a directory, not a file").asException();
    }
    try {
      return of(name, Files.newInputStream(path));
    } catch (NoSuchFileException e) {
      throw unreadable(name, "does not exist").asException();
    } catch (AccessDeniedException e) {
      throw unreadable(name, "may not be read: permission denied").asException();
    } catch (IOException e) {
      throw failure(name, e);
    }
  }

  private static InputStream decompressed(String name, InputStream bytes) {
    BufferedInputStream raw = new BufferedInputStream(bytes, PEEK_LIMIT);
    try {
      raw.mark(2);
      boolean gzip = raw.read() == GZIP_MAGIC_0 && raw.read() == GZIP_MAGIC_1;
      raw.reset();
      return new BufferedInputStream(
          new NamedStream(name, gzip ? new GZIPInputStream(raw, PEEK_LIMIT) : raw), PEEK_LIMIT);
    } catch (IOException e) {
      try {
        raw.close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw failure(name, e);
    }
  }

  /** The input as the user named it, for errors. */
  public String name() {
    return name;
  }

  /** The name without {@code .gz}, in which an ending says what the content is. */
  public String uncompressedName() {
    return uncompressedName(name);
  }

  /** A name without {@code .gz}, in which an ending says what the content is. */
  public static String uncompressedName(String name) {
    return name.endsWith(".gz") ? name.substring(0, name.length() - ".gz".length()) : name;
  }

  /** The name of the file without folders and endings {@code .gz}, {@code .json} and the like. */
  public String stem() {
    String file = uncompressedName();
    file = file.substring(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
    int dot = file.lastIndexOf('.');
    return dot > 0 ? file.substring(0, dot) : file;
  }

  /**
   * The first bytes, decompressed, which stay unread; fewer if the input is shorter. Only before
   * anything is read.
   *
   * @param count at most {@link #PEEK_LIMIT}
   */
  public byte[] peek(int count) {
    checkArgument(count <= PEEK_LIMIT, "cannot look %s bytes ahead", count);
    try {
      stream.mark(count);
      byte[] prefix = stream.readNBytes(count);
      stream.reset();
      return prefix;
    } catch (IOException e) {
      throw failure(name, e);
    }
  }

  /** The bytes, decompressed. Closing it closes this source. */
  public InputStream stream() {
    return stream;
  }

  /**
   * All that is left, decompressed, as text in UTF-8, without a byte order mark.
   *
   * @throws DiagnosticException of kind {@code input-syntax} if it is no such text
   */
  public String readText() {
    return text(readAll());
  }

  /**
   * The bytes of this source as text in UTF-8, without a byte order mark.
   *
   * @throws DiagnosticException of kind {@code input-syntax} if they are no such text
   */
  public String text(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.startsWith(BYTE_ORDER_MARK) ? text.substring(BYTE_ORDER_MARK.length()) : text;
    } catch (CharacterCodingException e) {
      throw Diagnostic.of(Kinds.INPUT_SYNTAX, Location.of(name), "the text is not UTF-8")
          .asException();
    }
  }

  /**
   * All bytes that are left, decompressed.
   *
   * @throws DiagnosticException of kind {@code input-unsupported} if they are more than one array
   *     holds
   */
  public byte[] readAll() {
    int limit = Integer.MAX_VALUE - 64;
    try {
      byte[] start = stream.readNBytes(ANY_RATIO_BYTES);
      if (start.length < ANY_RATIO_BYTES) {
        return start;
      }
      byte[] all = Bytes.concat(start, readRest(limit - start.length));
      if (all.length == limit && stream.read() >= 0) {
        throw Diagnostic.of(
                Kinds.INPUT_UNSUPPORTED, Location.of(name), "the file has more than 2 GiB")
            .asException();
      }
      return all;
    } catch (IOException e) {
      throw failure(name, e);
    }
  }

  /** What is left, as long as it stays in proportion to what it was decompressed from. */
  private byte[] readRest(int limit) throws IOException {
    ByteArrayOutputStream rest = new ByteArrayOutputStream();
    byte[] part = new byte[PEEK_LIMIT];
    int read = 0;
    while (rest.size() < limit && read >= 0) {
      rest.write(part, 0, read);
      if (rest.size() / LARGEST_RATIO > raw.getCount()) {
        throw unreadable(name, "is decompressed to more than 100 times its size")
            .help("if it is what it should be, decompress it first")
            .asException();
      }
      read = stream.read(part, 0, Math.min(part.length, limit - rest.size()));
    }
    return rest.toByteArray();
  }

  /** An error that is about the input as a whole, of kind {@code input-syntax}: it is empty. */
  public Diagnostic emptyError() {
    return Diagnostic.of(Kinds.INPUT_SYNTAX, Location.of(name), "the file is empty");
  }

  @Override
  public void close() {
    try {
      stream.close();
    } catch (IOException e) {
      throw failure(name, e);
    }
  }

  private static Diagnostic unreadable(String name, String why) {
    return Diagnostic.of(Kinds.INPUT_UNREADABLE, Location.of(name), "'" + name + "' " + why);
  }

  private static DiagnosticException failure(String name, IOException e) {
    Diagnostic diagnostic =
        e instanceof EOFException || e instanceof ZipException
            ? unreadable(name, "is damaged or truncated gzip data").note(Message.reason(e))
            : unreadable(name, "cannot be read: " + Message.reason(e));
    return diagnostic.asException();
  }

  /** Turns every failure to read into the one message that the user sees. */
  private static final class NamedStream extends FilterInputStream {
    private final String name;

    NamedStream(String name, InputStream in) {
      super(in);
      this.name = name;
    }

    @Override
    public int read() {
      try {
        return in.read();
      } catch (IOException e) {
        throw failure(name, e);
      }
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
      try {
        return in.read(bytes, offset, length);
      } catch (IOException e) {
        throw failure(name, e);
      }
    }
  }
}
