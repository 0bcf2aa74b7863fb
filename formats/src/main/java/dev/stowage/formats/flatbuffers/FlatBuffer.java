package dev.stowage.formats.flatbuffers;

import static com.google.common.base.Strings.lenientFormat;

import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.ByteSize;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A file made of FlatBuffers tables. Everything that is read through it, and through the tables and
 * vectors that it gives, is checked to lie inside the file; what does not ends in a {@link
 * DiagnosticException} of kind {@code input-malformed} that names table, field and byte.
 *
 * <p>Tables and vectors may be referred to from many places, so a small file can describe a huge
 * tree. Reading therefore has a budget of a small multiple of the file's size. Not thread-safe.
 */
public final class FlatBuffer {
  /** Position of the file identifier. */
  private static final int IDENTIFIER_AT = 4;

  private static final int BUDGET_PER_BYTE = 4;

  /** Lets tiny files share tables freely; it is small against what any process has. */
  private static final long BUDGET_MINIMUM = 1 << 16;

  /** About what a table takes in the file, with the reference to it and what goes with it. */
  private static final int TABLE_COST = 32;

  private final String source;
  private final ByteBuffer bytes;
  private long budget;

  /**
   * Wraps a file.
   *
   * @param source what the file is called in messages
   * @param bytes the whole file; not copied
   */
  public FlatBuffer(String source, byte[] bytes) {
    this.source = source;
    this.bytes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    budget = BUDGET_MINIMUM + (long) bytes.length * BUDGET_PER_BYTE;
  }

  /** True if the file identifier is the given one; {@code prefix} is the file's first 8 bytes. */
  public static boolean hasIdentifier(byte[] prefix, String identifier) {
    byte[] expected = identifier.getBytes(StandardCharsets.US_ASCII);
    if (prefix.length < IDENTIFIER_AT + expected.length) {
      return false;
    }
    for (int i = 0; i < expected.length; i++) {
      if (prefix[IDENTIFIER_AT + i] != expected[i]) {
        return false;
      }
    }
    return true;
  }

  /** Size of the file in bytes. */
  public int sizeBytes() {
    return bytes.limit();
  }

  /** The root table. */
  public FlatTable root(String tableName) {
    if (sizeBytes() < IDENTIFIER_AT + 4) {
      throw malformed("the file of %s bytes is too short to hold a table", exact(sizeBytes()));
    }
    long position = uint32(0);
    if (position > sizeBytes() - 4) {
      throw malformed(
          "the root table %s is said to be at byte %s, past the end of the file (%s bytes)",
          tableName, exact(position), exact(sizeBytes()));
    }
    return new FlatTable(this, tableName, (int) position);
  }

  /**
   * Little-endian numbers of 4 or 8 bytes each, which lie one behind the other.
   *
   * @throws IndexOutOfBoundsException if they reach past the end of the file
   */
  public ImmutableLongArray numbers(int at, int count, int bytesEach) {
    charge((long) count * bytesEach);
    ImmutableLongArray.Builder numbers = ImmutableLongArray.builder(count);
    for (int i = 0; i < count; i++) {
      numbers.add(
          bytesEach == Long.BYTES ? int64(at + Long.BYTES * i) : int32(at + Integer.BYTES * i));
    }
    return numbers.build();
  }

  int int8(int at) {
    return bytes.get(at);
  }

  int uint16(int at) {
    return Short.toUnsignedInt(bytes.getShort(at));
  }

  int int32(int at) {
    return bytes.getInt(at);
  }

  long uint32(int at) {
    return Integer.toUnsignedLong(bytes.getInt(at));
  }

  long int64(int at) {
    return bytes.getLong(at);
  }

  String text(int from, int length) {
    return new String(bytes.array(), from, length, StandardCharsets.UTF_8);
  }

  void chargeTable() {
    charge(TABLE_COST);
  }

  void charge(long work) {
    budget -= work;
    if (budget < 0) {
      throw malformed(
          "its tables are referred to from so many places that reading them takes more than %s"
              + " times the file's %s bytes",
          BUDGET_PER_BYTE, exact(sizeBytes()));
    }
  }

  DiagnosticException malformed(String message, Object... arguments) {
    return Diagnostic.of(
            Kinds.INPUT_MALFORMED, Location.of(source), lenientFormat(message, arguments))
        .help("the file is damaged or incomplete; get or export it again")
        .asException();
  }

  static String exact(long bytes) {
    return ByteSize.exact(bytes);
  }
}
