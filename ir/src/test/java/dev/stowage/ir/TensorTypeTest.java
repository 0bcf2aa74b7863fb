package dev.stowage.ir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.ir.TensorType.Dynamism;
import org.junit.jupiter.api.Test;

class TensorTypeTest {
  private static final long HUGE = 1L << 40;

  @Test
  void denseBytes_elementsBelowAByte_arePackedAndRoundedUpOnce() {
    assertThat(bytes(DType.I4, 3, 3)).isEqualTo(5);
    assertThat(bytes(DType.I2, 5)).isEqualTo(2);
    assertThat(bytes(DType.U4, 1)).isEqualTo(1);
    assertThat(bytes(DType.BOOL, 9)).isEqualTo(9);
  }

  @Test
  void denseBytes_scalar_isOneElement() {
    assertThat(bytes(DType.C128)).isEqualTo(16);
  }

  @Test
  void denseBytes_zeroDimension_isZeroHoweverLargeTheOthers() {
    assertThat(bytes(DType.F32, 0, HUGE, HUGE)).isZero();
    assertThat(bytes(DType.F32, HUGE, HUGE, 0)).isZero();
  }

  @Test
  void denseBytes_unknownDimensionOrElement_isEmpty() {
    assertThat(TensorType.denseBytes(DType.F32, ImmutableLongArray.of(HUGE, HUGE, -1))).isEmpty();
    assertThat(TensorType.denseBytes(DType.F32, ImmutableLongArray.of(0, -1))).isEmpty();
    assertThat(TensorType.denseBytes(DType.STRING, ImmutableLongArray.of(2))).isEmpty();
  }

  @Test
  void denseBytes_nearTheEndOfTheRange_isExactOrRefused() {
    assertThat(bytes(DType.I8, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(bytes(DType.I4, Long.MAX_VALUE)).isEqualTo(1L << 62);
    assertThat(bytes(DType.I2, Long.MAX_VALUE)).isEqualTo(1L << 61);
    assertThatThrownBy(() -> bytes(DType.I16, 1L << 62)).isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> bytes(DType.I2, HUGE, HUGE)).isInstanceOf(ArithmeticException.class);
  }

  @Test
  void of_symbolicShape_isRefused() {
    assertThatThrownBy(() -> TensorType.of(DType.F32, 2, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no fixed size");
  }

  @Test
  void constructor_unknownBytes_areForUnboundedOnly() {
    ImmutableLongArray shape = ImmutableLongArray.of(-1);
    assertThat(new TensorType(DType.F32, shape, Dynamism.UNBOUNDED, -1).bytes()).isEqualTo(-1);
    assertThatThrownBy(() -> new TensorType(DType.F32, shape, Dynamism.BOUNDED, -1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new TensorType(DType.F32, shape, Dynamism.UNBOUNDED, -2))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void toString_symbolicDimension_isAQuestionMark() {
    ImmutableLongArray shape = ImmutableLongArray.of(8, -1, 4);
    assertThat(new TensorType(DType.BF16, shape, Dynamism.BOUNDED, 99)).hasToString("bf16[8,?,4]");
  }

  private static long bytes(DType dtype, long... shape) {
    return TensorType.denseBytes(dtype, ImmutableLongArray.copyOf(shape)).orElseThrow();
  }
}
