package dev.stowage.formats.tflite;

import static com.google.common.base.Strings.lenientFormat;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.ByteSize;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.formats.flatbuffers.FlatBuffer;
import dev.stowage.formats.flatbuffers.FlatTable;
import dev.stowage.formats.flatbuffers.FlatVector;
import dev.stowage.formats.tflite.TfliteModel.Operator;
import dev.stowage.formats.tflite.TfliteModel.Subgraph;
import dev.stowage.formats.tflite.TfliteModel.TensorEntry;
import dev.stowage.ir.DType;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.TensorType.Dynamism;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one file and checks every reference in it. */
final class TfliteReader {
  private static final String OFFLINE_PLAN = "OfflineMemoryAllocation";

  /** Element types by their number in the file; 13 is RESOURCE, 14 VARIANT. */
  private static final ImmutableList<DType> TYPES =
      ImmutableList.of(
          DType.F32,
          DType.F16,
          DType.I32,
          DType.U8,
          DType.I64,
          DType.STRING,
          DType.BOOL,
          DType.I16,
          DType.C64,
          DType.I8,
          DType.F64,
          DType.C128,
          DType.U64,
          DType.HANDLE,
          DType.HANDLE,
          DType.U32,
          DType.U16,
          DType.I4,
          DType.BF16,
          DType.I2,
          DType.U4,
          DType.F8E4M3,
          DType.F8E5M2);

  private static final int RESOURCE = 13;

  /** What TFLite Micro takes for a resource handle. */
  private static final int RESOURCE_BYTES = 4;

  private final String source;
  private final FlatBuffer file;
  private final List<Code> codes = new ArrayList<>();
  private final List<TensorEntry> tensors = new ArrayList<>();
  private final Set<String> resources = new HashSet<>();
  private final List<TensorData> data = new ArrayList<>();
  private long[] bufferBytes = {};

  /** Where in the file the data of each buffer begins. */
  private long[] bufferStart = {};

  private boolean[] bufferUsed = {};
  private int subgraphCount;
  private int openShapes;

  /** An operator that the file uses. */
  private record Code(int number, String name) {}

  TfliteReader(String source, byte[] bytes) {
    this.source = source;
    file = new FlatBuffer(source, bytes);
  }

  TfliteModel read() {
    FlatTable model = file.root("Model");
    readCodes(model);
    readBuffers(model);
    FlatVector tables = model.tables(TfliteSchema.MODEL_SUBGRAPHS, "SubGraph");
    subgraphCount = tables.count();
    if (subgraphCount == 0) {
      throw error(Kinds.INPUT_MALFORMED, "", "the model has no subgraphs");
    }
    List<Subgraph> subgraphs = new ArrayList<>();
    for (int i = 0; i < subgraphCount; i++) {
      subgraphs.add(readSubgraph(i, tables.table(i)));
    }
    String entryName = subgraphs.get(0).name();
    return new TfliteModel(
        entryName.isEmpty() ? signatureKey(model) : entryName,
        ImmutableList.copyOf(subgraphs),
        ImmutableList.copyOf(tensors),
        constantBytes(),
        resources.size(),
        openShapes,
        carriesOfflinePlan(model));
  }

  private void readCodes(FlatTable model) {
    FlatVector tables = model.tables(TfliteSchema.MODEL_OPERATOR_CODES, "OperatorCode");
    for (int i = 0; i < tables.count(); i++) {
      FlatTable table = tables.table(i);
      // Numbers above 127 are only in the newer field; old files have only the older one.
      int number =
          Math.max(
              table.int8(TfliteSchema.CODE_DEPRECATED, 0),
              table.int32(TfliteSchema.CODE_BUILTIN, 0));
      String name = BuiltinOperators.name(number);
      codes.add(
          new Code(
              number,
              number == BuiltinOperators.CUSTOM
                  ? name + ":" + table.string(TfliteSchema.CODE_CUSTOM)
                  : name));
    }
  }

  private void readBuffers(FlatTable model) {
    FlatVector tables = model.tables(TfliteSchema.MODEL_BUFFERS, "Buffer");
    bufferBytes = new long[tables.count()];
    bufferStart = new long[tables.count()];
    bufferUsed = new boolean[tables.count()];
    for (int i = 0; i < bufferBytes.length; i++) {
      FlatTable table = tables.table(i);
      long offset = table.int64(TfliteSchema.BUFFER_OFFSET, 0);
      long size = table.int64(TfliteSchema.BUFFER_SIZE, 0);
      // Writers put 1 where the offset is still to be filled in.
      if (offset == 0 || offset == 1) {
        FlatVector content = table.vector(TfliteSchema.BUFFER_DATA, 1);
        bufferBytes[i] = content.sizeBytes();
        bufferStart[i] = content.start();
        continue;
      }
      if (offset < 0 || size < 0 || offset > file.sizeBytes() - size) {
        throw error(
            Kinds.INPUT_MALFORMED,
            "buffer " + i,
            "%s bytes at byte %s reach past the end of the file (%s bytes)",
            Long.toUnsignedString(size),
            Long.toUnsignedString(offset),
            ByteSize.exact(file.sizeBytes()));
      }
      bufferBytes[i] = size;
      bufferStart[i] = offset;
    }
  }

  private Subgraph readSubgraph(int index, FlatTable table) {
    String name = table.string(TfliteSchema.SUBGRAPH_NAME);
    String place = Places.named("subgraph", index, name);
    int first = tensors.size();
    FlatVector entries = table.tables(TfliteSchema.SUBGRAPH_TENSORS, "Tensor");
    for (int i = 0; i < entries.count(); i++) {
      tensors.add(readTensor(place, i, entries.table(i)));
    }
    Numbering numbering = new Numbering(first, entries.count());
    ImmutableIntArray inputs =
        numbering.required(place, "input", table.int32s(TfliteSchema.SUBGRAPH_INPUTS));
    ImmutableIntArray outputs =
        numbering.required(place, "output", table.int32s(TfliteSchema.SUBGRAPH_OUTPUTS));
    FlatVector operators = table.tables(TfliteSchema.SUBGRAPH_OPERATORS, "Operator");
    ImmutableList.Builder<Operator> read = ImmutableList.builder();
    for (int i = 0; i < operators.count(); i++) {
      read.add(readOperator(place, i, operators.table(i), numbering));
    }
    return new Subgraph(index, name, first, entries.count(), inputs, outputs, read.build());
  }

  private Operator readOperator(String subgraph, int index, FlatTable table, Numbering numbering) {
    String place = subgraph + ", operator " + index;
    long codeIndex = table.uint32(TfliteSchema.OPERATOR_OPCODE_INDEX, 0);
    if (codeIndex >= codes.size()) {
      throw error(
          Kinds.INPUT_REFERENCE,
          place,
          "operator code %s does not exist; the model has %s",
          codeIndex,
          codes.size());
    }
    Code code = codes.get((int) codeIndex);
    place = subgraph + ", " + Places.named("operator", index, code.name());
    if (code.number() == BuiltinOperators.VAR_HANDLE) {
      noteResource(table);
    }
    ImmutableIntArray inputs =
        numbering.optional(place, "input", table.int32s(TfliteSchema.OPERATOR_INPUTS));
    ImmutableIntArray outputs =
        numbering.optional(place, "output", table.int32s(TfliteSchema.OPERATOR_OUTPUTS));
    return new Operator(
        code.number(),
        code.name(),
        inputs,
        outputs,
        calledSubgraphs(place, code.number(), table),
        new CopyFacts(file, tensors, data, inputs, outputs).of(code.number(), table));
  }

  private ImmutableIntArray calledSubgraphs(String place, int code, FlatTable table) {
    return switch (code) {
      case BuiltinOperators.IF -> calledSubgraphs(place, table, TfliteSchema.IF_OPTIONS, 2);
      case BuiltinOperators.WHILE -> calledSubgraphs(place, table, TfliteSchema.WHILE_OPTIONS, 2);
      case BuiltinOperators.CALL_ONCE ->
          calledSubgraphs(place, table, TfliteSchema.CALL_ONCE_OPTIONS, 1);
      default -> ImmutableIntArray.of();
    };
  }

  private ImmutableIntArray calledSubgraphs(
      String place, FlatTable table, int optionsType, int count) {
    FlatTable options = options(table, optionsType);
    if (options == null) {
      throw error(Kinds.INPUT_MALFORMED, place, "its options do not say which subgraphs it runs");
    }
    ImmutableIntArray.Builder called = ImmutableIntArray.builder(count);
    called.add(subgraph(place, options.int32(TfliteSchema.OPTIONS_FIRST_SUBGRAPH, 0)));
    if (count == 2) {
      called.add(subgraph(place, options.int32(TfliteSchema.OPTIONS_SECOND_SUBGRAPH, 0)));
    }
    return called.build();
  }

  private int subgraph(String place, int index) {
    if (index < 0 || index >= subgraphCount) {
      throw error(
          Kinds.INPUT_REFERENCE,
          place,
          "it runs subgraph %s, which does not exist; the model has %s",
          index,
          subgraphCount);
    }
    return index;
  }

  private void noteResource(FlatTable table) {
    FlatTable options = options(table, TfliteSchema.VAR_HANDLE_OPTIONS);
    if (options != null) {
      resources.add(
          options.string(TfliteSchema.VAR_HANDLE_CONTAINER)
              + '\0'
              + options.string(TfliteSchema.VAR_HANDLE_SHARED_NAME));
    }
  }

  private static @Nullable FlatTable options(FlatTable operator, int type) {
    return operator.int8(TfliteSchema.OPERATOR_OPTIONS_TYPE, 0) == type
        ? operator.table(TfliteSchema.OPERATOR_OPTIONS, "builtin options " + type).orElse(null)
        : null;
  }

  private TensorEntry readTensor(String subgraph, int index, FlatTable table) {
    String name = table.string(TfliteSchema.TENSOR_NAME);
    String place = subgraph + ", " + Places.named("tensor", index, name);
    long buffer = table.uint32(TfliteSchema.TENSOR_BUFFER, 0);
    // Some writers leave out the empty buffer 0 that every tensor without data refers to.
    if (buffer >= bufferBytes.length && buffer != 0) {
      throw error(
          Kinds.INPUT_REFERENCE,
          place,
          "buffer %s does not exist; the model has %s",
          buffer,
          bufferBytes.length);
    }
    boolean variable = table.bool(TfliteSchema.TENSOR_IS_VARIABLE);
    long stored = bufferBytes.length == 0 ? 0 : bufferBytes[(int) buffer];
    boolean external = table.uint32(TfliteSchema.TENSOR_EXTERNAL_BUFFER, 0) != 0;
    boolean constant = (stored > 0 || external) && !variable;
    if (constant && stored > 0) {
      bufferUsed[(int) buffer] = true;
    }
    data.add(
        new TensorData(
            constant && stored > 0 ? bufferStart[(int) buffer] : -1, stored, scaling(table)));
    ImmutableIntArray signature = table.int32s(TfliteSchema.TENSOR_SHAPE_SIGNATURE);
    if (signature.contains(-1)) {
      openShapes++;
    }
    return new TensorEntry(name, type(place, table, constant, stored), constant, variable);
  }

  /** What the numbers of a tensor stand for, as far as it is one scale for all of them. */
  private static TensorData.Scaling scaling(FlatTable tensor) {
    Optional<FlatTable> table = tensor.table(TfliteSchema.TENSOR_QUANTIZATION, "Quantization");
    if (table.isEmpty()) {
      return TensorData.Scaling.NONE;
    }
    FlatVector scales = table.get().vector(TfliteSchema.QUANTIZATION_SCALE, Float.BYTES);
    FlatVector zeros = table.get().vector(TfliteSchema.QUANTIZATION_ZERO_POINT, Long.BYTES);
    return new TensorData.Scaling(
        scales.count(),
        scales.count() == 0 ? 0 : scales.number(0),
        zeros.count() == 0 ? 0 : zeros.number(0));
  }

  private TensorType type(String place, FlatTable table, boolean constant, long stored) {
    int number = table.int8(TfliteSchema.TENSOR_TYPE, 0);
    if (number < 0 || number >= TYPES.size()) {
      throw error(
          Kinds.INPUT_VALUE,
          place,
          "element type %s is unknown; known are 0 to %s",
          number,
          TYPES.size() - 1);
    }
    DType dtype = TYPES.get(number);
    ImmutableLongArray shape = shape(place, table.int32s(TfliteSchema.TENSOR_SHAPE));
    if (number != RESOURCE && dtype.bits() == 0) {
      return constant && stored > 0
          ? new TensorType(dtype, shape, Dynamism.STATIC, stored)
          : new TensorType(dtype, shape, Dynamism.UNBOUNDED, TensorType.UNKNOWN);
    }
    // TFLite Micro packs elements below a byte in constants only: its planner takes a byte for
    // each, and a plan that gave them less would be overrun.
    long elementBytes =
        number == RESOURCE ? RESOURCE_BYTES : (dtype.bits() + Byte.SIZE - 1) / Byte.SIZE;
    try {
      return constant && number != RESOURCE
          ? TensorType.of(dtype, shape.toArray())
          : new TensorType(dtype, shape, Dynamism.STATIC, bytes(shape, elementBytes));
    } catch (ArithmeticException e) {
      throw error(Kinds.INPUT_OVERFLOW, place, "its shape %s has 2^63 bytes or more", brief(shape));
    }
  }

  /** A shape as messages show it: one from a hostile file may have millions of dimensions. */
  private static String brief(ImmutableLongArray shape) {
    int shown = Math.min(shape.length(), 16);
    String text = shape.subArray(0, shown).toString();
    return shown == shape.length() ? text : text + " and " + (shape.length() - shown) + " more";
  }

  private static long bytes(ImmutableLongArray shape, long elementBytes) {
    if (shape.contains(0)) {
      return 0;
    }
    long bytes = elementBytes;
    for (int i = 0; i < shape.length(); i++) {
      bytes = Math.multiplyExact(bytes, shape.get(i));
    }
    return bytes;
  }

  private ImmutableLongArray shape(String place, ImmutableIntArray dimensions) {
    ImmutableLongArray.Builder shape = ImmutableLongArray.builder(dimensions.length());
    for (int i = 0; i < dimensions.length(); i++) {
      if (dimensions.get(i) < 0) {
        throw error(
            Kinds.INPUT_VALUE,
            place,
            "dimension %s of its shape is negative: %s",
            i,
            dimensions.get(i));
      }
      shape.add(dimensions.get(i));
    }
    return shape.build();
  }

  private long constantBytes() {
    long sum = 0;
    for (int i = 0; i < bufferBytes.length; i++) {
      sum += bufferUsed[i] ? bufferBytes[i] : 0;
    }
    return sum;
  }

  private static boolean carriesOfflinePlan(FlatTable model) {
    FlatVector metadata = model.tables(TfliteSchema.MODEL_METADATA, "Metadata");
    for (int i = 0; i < metadata.count(); i++) {
      if (metadata.table(i).string(TfliteSchema.METADATA_NAME).equals(OFFLINE_PLAN)) {
        return true;
      }
    }
    return false;
  }

  private static String signatureKey(FlatTable model) {
    FlatVector signatures = model.tables(TfliteSchema.MODEL_SIGNATURE_DEFS, "SignatureDef");
    for (int i = 0; i < signatures.count(); i++) {
      FlatTable signature = signatures.table(i);
      if (signature.uint32(TfliteSchema.SIGNATURE_SUBGRAPH, 0) == 0) {
        return signature.string(TfliteSchema.SIGNATURE_KEY);
      }
    }
    return "";
  }

  private DiagnosticException error(
      DiagnosticKind kind, String place, String message, Object... arguments) {
    return Diagnostic.of(kind, new Location(source, place), lenientFormat(message, arguments))
        .asException();
  }

  /** Turns a subgraph's tensor indices into numbers through the file. */
  private final class Numbering {
    private final int first;
    private final int count;

    Numbering(int first, int count) {
      this.first = first;
      this.count = count;
    }

    ImmutableIntArray required(String place, String role, ImmutableIntArray indices) {
      return number(place, role, indices, 0);
    }

    ImmutableIntArray optional(String place, String role, ImmutableIntArray indices) {
      return number(place, role, indices, -1);
    }

    private ImmutableIntArray number(
        String place, String role, ImmutableIntArray indices, int least) {
      ImmutableIntArray.Builder numbers = ImmutableIntArray.builder(indices.length());
      for (int i = 0; i < indices.length(); i++) {
        int index = indices.get(i);
        if (index < least || index >= count) {
          throw error(
              Kinds.INPUT_REFERENCE,
              place,
              "%s %s is tensor %s, which does not exist; the subgraph has %s",
              role,
              i,
              index,
              count);
        }
        numbers.add(index < 0 ? index : first + index);
      }
      return numbers.build();
    }
  }
}
