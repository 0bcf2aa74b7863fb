package dev.stowage.formats.tflite;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.formats.flatbuffers.FlatBuffer;
import dev.stowage.formats.flatbuffers.FlatTable;
import dev.stowage.formats.tflite.TfliteModel.TensorEntry;
import dev.stowage.ir.DType;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the options and the constant inputs of an operator say of the bytes that it moves, as
 * attributes of its node: axis, begin, strides, before. What is missing, is no constant or makes no
 * sense gives none: it is for the runtime to refuse.
 */
final class CopyFacts {
  /** Far above what any operator has. */
  private static final int MAX_RANK = 16;

  private static final ImmutableList<String> ACTIVATIONS =
      ImmutableList.of("none", "relu", "relu_n1_to_1", "relu6", "tanh", "sign_bit");

  private static final String AXIS = "axis";

  private final FlatBuffer file;
  private final List<TensorEntry> tensors;
  private final List<TensorData> data;
  private final ImmutableIntArray inputs;
  private final ImmutableIntArray outputs;

  /**
   * The facts of one operator.
   *
   * @param tensors by number
   * @param data by the same number
   * @param inputs numbers of tensors, -1 for one that is left out
   * @param outputs likewise
   */
  CopyFacts(
      FlatBuffer file,
      List<TensorEntry> tensors,
      List<TensorData> data,
      ImmutableIntArray inputs,
      ImmutableIntArray outputs) {
    this.file = file;
    this.tensors = tensors;
    this.data = data;
    this.inputs = inputs;
    this.outputs = outputs;
  }

  /** The attributes of an operator with a code. */
  ImmutableMap<String, String> of(int code, FlatTable operator) {
    return switch (code) {
      case BuiltinOperators.CONCATENATION ->
          options(operator, TfliteSchema.CONCATENATION_OPTIONS)
              .map(this::concatenation)
              .orElse(ImmutableMap.of());
      case BuiltinOperators.PACK ->
          options(operator, TfliteSchema.PACK_OPTIONS)
              .map(options -> axis(options.int32(TfliteSchema.PACK_AXIS, 0), output()))
              .orElse(ImmutableMap.of());
      case BuiltinOperators.UNPACK ->
          options(operator, TfliteSchema.UNPACK_OPTIONS)
              .map(options -> axis(options.int32(TfliteSchema.PACK_AXIS, 0), input(0)))
              .orElse(ImmutableMap.of());
      case BuiltinOperators.SPLIT -> constantAxis(0, 1);
      case BuiltinOperators.SPLIT_V -> constantAxis(2, 0);
      case BuiltinOperators.SLICE -> slice();
      case BuiltinOperators.STRIDED_SLICE ->
          options(operator, TfliteSchema.STRIDED_SLICE_OPTIONS)
              .map(this::stridedSlice)
              .orElse(ImmutableMap.of());
      case BuiltinOperators.PAD, BuiltinOperators.PADV2 -> pad();
      default -> ImmutableMap.of();
    };
  }

  private static Optional<FlatTable> options(FlatTable operator, int type) {
    return operator.int8(TfliteSchema.OPERATOR_OPTIONS_TYPE, 0) == type
        ? operator.table(TfliteSchema.OPERATOR_OPTIONS, "builtin options " + type)
        : Optional.empty();
  }

  private ImmutableMap<String, String> concatenation(FlatTable options) {
    ImmutableMap.Builder<String, String> facts = ImmutableMap.builder();
    facts.putAll(axis(options.int32(TfliteSchema.CONCATENATION_AXIS, 0), output()));
    int activation = options.int8(TfliteSchema.CONCATENATION_ACTIVATION, 0);
    if (activation != 0) {
      boolean known = activation > 0 && activation < ACTIVATIONS.size();
      facts.put("activation", known ? ACTIVATIONS.get(activation) : String.valueOf(activation));
    }
    if (rescales()) {
      facts.put("rescales", "true");
    }
    return facts.buildOrThrow();
  }

  /** Kernels adapt inputs whose numbers stand for other values than those of the output. */
  private boolean rescales() {
    if (output() < 0) {
      return false;
    }
    TensorData.Scaling wanted = data.get(output()).scaling();
    return inputs.stream()
        .filter(input -> input >= 0)
        .mapToObj(input -> data.get(input).scaling())
        .anyMatch(scaling -> scaling.scales() > 1 || !scaling.equals(wanted));
  }

  /** An axis of a tensor; a negative one counts from the end. */
  private ImmutableMap<String, String> axis(long stated, int tensor) {
    int rank = tensor < 0 ? 0 : shape(tensor).length();
    long axis = stated < 0 ? stated + rank : stated;
    return axis >= 0 && axis < rank
        ? ImmutableMap.of(AXIS, String.valueOf(axis))
        : ImmutableMap.of();
  }

  /** An axis that is a constant input. */
  private ImmutableMap<String, String> constantAxis(int inputWithAxis, int inputWithData) {
    ImmutableLongArray stated = constant(inputWithAxis);
    return stated.length() == 1 ? axis(stated.get(0), input(inputWithData)) : ImmutableMap.of();
  }

  private ImmutableMap<String, String> slice() {
    ImmutableLongArray begin = constant(1);
    if (input(0) < 0 || output() < 0 || !fits(begin, output(), input(0))) {
      return ImmutableMap.of();
    }
    return ImmutableMap.of("begin", text(begin));
  }

  /** True if a tensor lies inside another from given indices on. */
  private boolean fits(ImmutableLongArray begin, int inner, int outer) {
    ImmutableLongArray size = shape(inner);
    ImmutableLongArray outerSize = shape(outer);
    if (begin.length() != size.length() || begin.length() != outerSize.length()) {
      return false;
    }
    for (int d = 0; d < begin.length(); d++) {
      if (begin.get(d) < 0 || size.get(d) > outerSize.get(d) - begin.get(d)) {
        return false;
      }
    }
    return !begin.isEmpty();
  }

  private ImmutableMap<String, String> stridedSlice(FlatTable options) {
    boolean changesDimensions =
        options.int32(TfliteSchema.STRIDED_SLICE_ELLIPSIS_MASK, 0) != 0
            || options.int32(TfliteSchema.STRIDED_SLICE_NEW_AXIS_MASK, 0) != 0
            || options.int32(TfliteSchema.STRIDED_SLICE_SHRINK_AXIS_MASK, 0) != 0
            || options.bool(TfliteSchema.STRIDED_SLICE_OFFSET);
    ImmutableLongArray begin = constant(1);
    ImmutableLongArray end = constant(2);
    ImmutableLongArray strides = constant(3);
    int rank = begin.length();
    if (changesDimensions
        || input(0) < 0
        || output() < 0
        || rank == 0
        || end.length() != rank
        || strides.length() != rank
        || shape(input(0)).length() != rank
        || shape(output()).length() != rank) {
      return ImmutableMap.of();
    }
    int beginMask = options.int32(TfliteSchema.STRIDED_SLICE_BEGIN_MASK, 0);
    int endMask = options.int32(TfliteSchema.STRIDED_SLICE_END_MASK, 0);
    ImmutableLongArray.Builder first = ImmutableLongArray.builder(rank);
    for (int d = 0; d < rank; d++) {
      long size = shape(input(0)).get(d);
      long stride = strides.get(d);
      long from = (beginMask >> d & 1) == 0 ? clamped(begin.get(d), size) : 0;
      long to = (endMask >> d & 1) == 0 ? clamped(end.get(d), size) : size;
      if (stride < 1 || to < from || shape(output()).get(d) != (to - from + stride - 1) / stride) {
        return ImmutableMap.of();
      }
      first.add(from);
    }
    return ImmutableMap.of("begin", text(first.build()), "strides", text(strides));
  }

  /** An index from the start, inside a dimension or at its end. */
  private static long clamped(long index, long size) {
    return Math.min(Math.max(index < 0 ? index + size : index, 0), size);
  }

  private ImmutableMap<String, String> pad() {
    ImmutableLongArray paddings = constant(1);
    if (input(0) < 0 || output() < 0 || paddings.length() != 2 * shape(input(0)).length()) {
      return ImmutableMap.of();
    }
    ImmutableLongArray.Builder before = ImmutableLongArray.builder();
    for (int d = 0; 2 * d < paddings.length(); d++) {
      before.add(paddings.get(2 * d));
    }
    ImmutableLongArray begin = before.build();
    if (!fits(begin, input(0), output())) {
      return ImmutableMap.of();
    }
    for (int d = 0; d < begin.length(); d++) {
      long behind = shape(output()).get(d) - shape(input(0)).get(d) - begin.get(d);
      if (behind != paddings.get(2 * d + 1)) {
        return ImmutableMap.of();
      }
    }
    return ImmutableMap.of("before", text(begin));
  }

  /** The numbers of a constant input; none if it is missing, no constant or no small vector. */
  private ImmutableLongArray constant(int position) {
    int tensor = input(position);
    if (tensor < 0 || data.get(tensor).start() < 0) {
      return ImmutableLongArray.of();
    }
    DType dtype = tensors.get(tensor).type().dtype();
    int bytesEach = dtype == DType.I64 ? Long.BYTES : dtype == DType.I32 ? Integer.BYTES : 0;
    long bytes = tensors.get(tensor).type().bytes();
    return bytesEach == 0 || bytes != data.get(tensor).bytes() || bytes > 2L * MAX_RANK * bytesEach
        ? ImmutableLongArray.of()
        : file.numbers((int) data.get(tensor).start(), (int) bytes / bytesEach, bytesEach);
  }

  private int input(int position) {
    return position < inputs.length() ? inputs.get(position) : -1;
  }

  private int output() {
    return outputs.length() == 1 ? outputs.get(0) : -1;
  }

  private ImmutableLongArray shape(int tensor) {
    return tensors.get(tensor).type().shape();
  }

  private static String text(ImmutableLongArray numbers) {
    return numbers.stream().mapToObj(String::valueOf).collect(Collectors.joining(":"));
  }
}
