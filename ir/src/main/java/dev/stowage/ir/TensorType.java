package dev.stowage.ir;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.math.LongMath;
import com.google.common.primitives.ImmutableLongArray;
import java.math.RoundingMode;
import java.util.OptionalLong;

/**
 * What a tensor is made of and how many bytes it takes.
 *
 * @param dtype element type
 * @param shape dimensions, outermost first; {@link #UNKNOWN} where a dimension is symbolic; empty
 *     for a scalar
 * @param dynamism whether the shape may change between runs
 * @param bytes size, at the upper bound for {@link Dynamism#BOUNDED}; {@link #UNKNOWN} only for
 *     {@link Dynamism#UNBOUNDED}
 */
public record TensorType(DType dtype, ImmutableLongArray shape, Dynamism dynamism, long bytes) {
  /** A dimension or a size that has no number. */
  public static final long UNKNOWN = -1;

  /** Whether a shape may change between runs. */
  public enum Dynamism {
    /** Always the same. */
    STATIC,
    /** Up to a bound, for which the bytes are given. */
    BOUNDED,
    /** Without a bound: the runtime allocates. */
    UNBOUNDED,
  }

  /** Checks that the numbers make sense. */
  public TensorType {
    for (int i = 0; i < shape.length(); i++) {
      checkArgument(shape.get(i) >= UNKNOWN, "dimension %s is negative: %s", i, shape.get(i));
    }
    checkArgument(
        bytes >= 0 || (bytes == UNKNOWN && dynamism == Dynamism.UNBOUNDED),
        "a %s tensor has %s bytes",
        dynamism,
        bytes);
  }

  /**
   * A static type whose bytes follow from its shape.
   *
   * @throws ArithmeticException if the bytes are 2^63 or more
   */
  public static TensorType of(DType dtype, long... shape) {
    ImmutableLongArray dimensions = ImmutableLongArray.copyOf(shape);
    OptionalLong bytes = denseBytes(dtype, dimensions);
    checkArgument(bytes.isPresent(), "%s%s has no fixed size", dtype, dimensions);
    return new TensorType(dtype, dimensions, Dynamism.STATIC, bytes.getAsLong());
  }

  /**
   * Bytes of a dense tensor, elements smaller than a byte packed; empty where a dimension or the
   * element has no size.
   *
   * @throws ArithmeticException if the bytes are 2^63 or more
   */
  public static OptionalLong denseBytes(DType dtype, ImmutableLongArray shape) {
    if (dtype.bits() == 0) {
      return OptionalLong.empty();
    }
    // These first: other dimensions may be so large that their product overflows.
    if (shape.contains(UNKNOWN)) {
      return OptionalLong.empty();
    }
    if (shape.contains(0)) {
      return OptionalLong.of(0);
    }
    long elements = 1;
    for (int i = 0; i < shape.length(); i++) {
      elements = Math.multiplyExact(elements, shape.get(i));
    }
    return OptionalLong.of(
        dtype.bits() < 8
            ? LongMath.divide(elements, 8 / dtype.bits(), RoundingMode.CEILING)
            : Math.multiplyExact(elements, dtype.bits() / 8));
  }

  /** {@code f32[8,4]}; {@code ?} for a symbolic dimension. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(dtype.toString()).append('[');
    for (int i = 0; i < shape.length(); i++) {
      text.append(i == 0 ? "" : ",").append(shape.get(i) == UNKNOWN ? "?" : shape.get(i));
    }
    return text.append(']').toString();
  }
}
