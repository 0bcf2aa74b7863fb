package dev.stowage.formats.flatbuffers;

import static dev.stowage.formats.flatbuffers.FlatBuffer.exact;

import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Message;
import java.util.Optional;

/**
 * A table of a {@link FlatBuffer}. A field that is left out has the default that the caller gives;
 * a vector that is left out is empty.
 *
 * <p>Every method throws a {@link DiagnosticException} of kind {@code input-malformed} if what it
 * reads is not inside the file.
 */
public final class FlatTable {
  private static final int VTABLE_HEADER_BYTES = 4;

  private final FlatBuffer file;
  private final String name;
  private final int position;
  private final int vtable;
  private final int vtableBytes;
  private final int tableBytes;

  /**
   * Checks where the table and its vtable lie.
   *
   * @param position at most 4 bytes before the end of the file
   */
  FlatTable(FlatBuffer file, String name, int position) {
    file.chargeTable();
    this.file = file;
    this.name = name;
    this.position = position;
    long at = (long) position - file.int32(position);
    if (at < 0 || at > file.sizeBytes() - VTABLE_HEADER_BYTES) {
      throw malformed("its vtable is said to be at byte " + at + ", outside of the file");
    }
    vtable = (int) at;
    vtableBytes = file.uint16(vtable);
    tableBytes = file.uint16(vtable + 2);
    if (vtableBytes < VTABLE_HEADER_BYTES || vtableBytes > file.sizeBytes() - vtable) {
      throw malformed("its vtable at byte " + at + " cannot be " + vtableBytes + " bytes long");
    }
    if (tableBytes < 4 || tableBytes > file.sizeBytes() - position) {
      throw malformed("it cannot be " + tableBytes + " bytes long");
    }
  }

  /** Where the table begins, in bytes from the start of the file. */
  public int position() {
    return position;
  }

  /** True unless the field is left out. */
  public boolean has(FlatField field) {
    return locate(field, 1) >= 0;
  }

  /** A signed byte; enums and union tags below 128 too. */
  public int int8(FlatField field, int absent) {
    int at = locate(field, 1);
    return at < 0 ? absent : file.int8(at);
  }

  /** A flag, false where it is left out. */
  public boolean bool(FlatField field) {
    return int8(field, 0) != 0;
  }

  /** A signed 32-bit number. */
  public int int32(FlatField field, int absent) {
    int at = locate(field, 4);
    return at < 0 ? absent : file.int32(at);
  }

  /** An unsigned 32-bit number. */
  public long uint32(FlatField field, long absent) {
    int at = locate(field, 4);
    return at < 0 ? absent : file.uint32(at);
  }

  /** A 64-bit number; negative for an unsigned one of 2^63 or more. */
  public long int64(FlatField field, long absent) {
    int at = locate(field, 8);
    return at < 0 ? absent : file.int64(at);
  }

  /** A text, empty where it is left out. */
  public String string(FlatField field) {
    FlatVector characters = vector(field, 1);
    file.charge(characters.count());
    return file.text(characters.start(), characters.count());
  }

  /** Signed 32-bit numbers. */
  public ImmutableIntArray int32s(FlatField field) {
    FlatVector vector = vector(field, 4);
    file.charge(vector.sizeBytes());
    ImmutableIntArray.Builder values = ImmutableIntArray.builder(vector.count());
    for (int i = 0; i < vector.count(); i++) {
      values.add(file.int32(vector.start() + 4 * i));
    }
    return values.build();
  }

  /** A table of the given name. */
  public Optional<FlatTable> table(FlatField field, String tableName) {
    int at = locate(field, 4);
    return at < 0
        ? Optional.empty()
        : Optional.of(new FlatTable(file, tableName, follow(field, at, 4)));
  }

  /** A vector of tables of the given name, for {@link FlatVector#table}. */
  public FlatVector tables(FlatField field, String tableName) {
    return vector(field, 4).of(tableName);
  }

  /** A vector of anything: checks where it lies and reads none of its elements. */
  public FlatVector vector(FlatField field, int elementBytes) {
    int at = locate(field, 4);
    if (at < 0) {
      return new FlatVector(file, this, field, 0, 0, elementBytes, "");
    }
    int target = follow(field, at, 4);
    long count = file.uint32(target);
    if (count * elementBytes > file.sizeBytes() - target - 4) {
      throw malformed(
          field,
          at,
          Message.format(
              "vector of %s entries of %s bytes at byte %s reaches past the end of the file"
                  + " (%s bytes)",
              exact(count), elementBytes, target, exact(file.sizeBytes())));
    }
    return new FlatVector(file, this, field, target + 4, (int) count, elementBytes, "");
  }

  /** Where the reference at {@code at} leads to, with at least {@code bytes} before the end. */
  int follow(FlatField field, int at, int bytes) {
    long target = at + file.uint32(at);
    if (target > file.sizeBytes() - bytes) {
      throw malformed(
          field,
          at,
          Message.format(
              "refers to byte %s, past the end of the file (%s bytes)",
              exact(target), exact(file.sizeBytes())));
    }
    return (int) target;
  }

  /** Position of a field's value of so many bytes; -1 where it is left out. */
  private int locate(FlatField field, int bytes) {
    int slot = VTABLE_HEADER_BYTES + 2 * field.id();
    if (slot + 2 > vtableBytes) {
      return -1;
    }
    int offset = file.uint16(vtable + slot);
    if (offset == 0) {
      return -1;
    }
    if (offset < 4 || offset + bytes > tableBytes) {
      throw malformed(
          field,
          position,
          Message.format(
              "its %s bytes at offset %s are outside of the table of %s bytes",
              bytes, offset, tableBytes));
    }
    return position + offset;
  }

  private DiagnosticException malformed(FlatField field, int at, String what) {
    return file.malformed(
        "%s.%s (field %s) at byte %s: %s", name, field.name(), field.id(), at, what);
  }

  private DiagnosticException malformed(String what) {
    return file.malformed("table %s at byte %s: %s", name, position, what);
  }
}
