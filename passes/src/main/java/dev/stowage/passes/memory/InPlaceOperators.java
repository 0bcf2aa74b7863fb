package dev.stowage.passes.memory;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;

/**
 * The operators that compute each element of their result from the elements at the same index of
 * their operands, by their definitions in ATen (as ExecuTorch's out variants name them) and in
 * TensorFlow Lite, and from nothing else of an operand that is as large as the result. A kernel
 * that goes through the elements in order may then write the result over such an operand.
 *
 * <p>A definition is no promise of a kernel. TensorFlow Lite's kernels promise it in their
 * registration ({@code inplace_operator} in {@code lite/core/c/common.h}) for few operators;
 * TensorFlow Lite Micro and ExecuTorch's portable kernels promise nothing.
 */
final class InPlaceOperators {
  /**
   * Results of ATen operators; {@code .out} and {@code _out} variants write into a given tensor.
   */
  private static final String ATEN =
      """
      aten.abs.out aten.acos.out aten.add.out aten.add.Scalar_out aten.asin.out aten.atan.out
      aten.bitwise_and.Tensor_out aten.bitwise_not.out aten.bitwise_or.Tensor_out
      aten.bitwise_xor.Tensor_out aten.ceil.out aten.clamp.out aten.clamp.Tensor_out aten.cos.out
      aten.div.out aten.div.Scalar_out aten.elu.out aten.erf.out aten.exp.out aten.expm1.out
      aten.floor.out aten.floor_divide.out aten.fmod.Scalar_out aten.fmod.Tensor_out aten.gelu.out
      aten.hardsigmoid.out aten.hardswish.out aten.hardtanh.out aten.leaky_relu.out aten.log.out
      aten.log1p.out aten.logical_and.out aten.logical_not.out aten.logical_or.out
      aten.logical_xor.out aten.maximum.out aten.minimum.out aten.mul.out aten.mul.Scalar_out
      aten.neg.out aten.pow.Scalar_out aten.pow.Tensor_Scalar_out aten.pow.Tensor_Tensor_out
      aten.reciprocal.out aten.relu.out aten.remainder.Scalar_out aten.remainder.Tensor_out
      aten.round.out aten.rsqrt.out aten.rsub.Scalar_out aten.sigmoid.out aten.sign.out
      aten.silu.out aten.sin.out aten.sqrt.out aten.sub.out aten.sub.Scalar_out aten.tan.out
      aten.tanh.out aten.trunc.out aten.where.self_out
      """;

  /** Builtin operators of TensorFlow Lite. */
  private static final String TFLITE =
      """
      ABS ADD ATAN2 BITWISE_XOR CEIL COS DIV ELU EXP FLOOR FLOOR_DIV FLOOR_MOD GELU HARD_SWISH
      LEAKY_RELU LOG LOGICAL_AND LOGICAL_NOT LOGICAL_OR LOGISTIC MAXIMUM MINIMUM MUL NEG POW PRELU
      RELU RELU6 RELU_0_TO_1 RELU_N1_TO_1 RIGHT_SHIFT ROUND RSQRT SELECT SELECT_V2 SIGN SIN SQRT
      SQUARE SQUARED_DIFFERENCE SUB TANH
      """;

  /** Short names, as hand-written programs have them. */
  private static final String PLAIN =
      "abs add div exp gelu mul neg relu sigmoid silu sqrt sub tanh";

  /** All of them. */
  static final ImmutableSet<String> NAMES =
      ImmutableSet.copyOf(
          Splitter.on(CharMatcher.whitespace())
              .omitEmptyStrings()
              .split(String.join(" ", ATEN, TFLITE, PLAIN)));

  private InPlaceOperators() {}
}
