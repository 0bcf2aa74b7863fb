package dev.stowage.formats.flatbuffers;

import static com.google.common.base.Preconditions.checkElementIndex;

/** A vector of a {@link FlatBuffer}, known to lie inside the file. */
public final class FlatVector {
  private final FlatBuffer file;
  private final FlatTable owner;
  private final FlatField field;
  private final int start;
  private final int count;
  private final int elementBytes;
  private final String tableName;

  FlatVector(
      FlatBuffer file,
      FlatTable owner,
      FlatField field,
      int start,
      int count,
      int elementBytes,
      String tableName) {
    this.file = file;
    this.owner = owner;
    this.field = field;
    this.start = start;
    this.count = count;
    this.elementBytes = elementBytes;
    this.tableName = tableName;
  }

  /** Where the first element begins, in bytes from the start of the file. */
  public int start() {
    return start;
  }

  /** Number of elements. */
  public int count() {
    return count;
  }

  /** Bytes of all elements. */
  public int sizeBytes() {
    return count * elementBytes;
  }

  /**
   * An element of a vector of tables.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-malformed} if it is not
   *     inside the file
   */
  public FlatTable table(int index) {
    checkElementIndex(index, count);
    return new FlatTable(file, tableName, owner.follow(field, start + 4 * index, 4));
  }

  /** An element of a vector of signed 32-bit or 64-bit numbers, as its elements have bytes. */
  public long number(int index) {
    checkElementIndex(index, count);
    return elementBytes == Long.BYTES
        ? file.int64(start + Long.BYTES * index)
        : file.int32(start + Integer.BYTES * index);
  }

  FlatVector of(String newTableName) {
    return new FlatVector(file, owner, field, start, count, elementBytes, newTableName);
  }
}
