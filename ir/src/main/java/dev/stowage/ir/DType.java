package dev.stowage.ir;

import java.util.Locale;
import java.util.Optional;

/** Element types, by the names of the textual form. */
public enum DType {
  F64(64),
  F32(32),
  F16(16),
  BF16(16),
  F8E4M3(8),
  F8E5M2(8),
  I64(64),
  I32(32),
  I16(16),
  I8(8),
  I4(4),
  I2(2),
  U64(64),
  U32(32),
  U16(16),
  U8(8),
  U4(4),
  BOOL(8),
  C128(128),
  C64(64),
  C32(32),
  /** Text, without a fixed size. */
  STRING(0),
  /** A handle to what only the runtime knows. */
  HANDLE(0),
  /** An element type that has no name here; its tensors state their bytes. */
  OPAQUE(0);

  private final int bits;

  DType(int bits) {
    this.bits = bits;
  }

  /** Bits of one element as stored; 0 where there is no fixed size. */
  public int bits() {
    return bits;
  }

  /** The element type of a printed name. */
  public static Optional<DType> ofName(String name) {
    for (DType type : values()) {
      if (type.toString().equals(name)) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }

  /** As in the textual form, such as {@code f32}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
