package dev.stowage.formats.tflite;

import com.google.common.primitives.ImmutableIntArray;
import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Writes small models for tests, right or wrong, with the FlatBuffers library. Buffer 0 is empty
 * and buffer 1 has 16 bytes; each constant of numbers has a buffer of its own.
 */
final class TfliteFile {
  static final int FLOAT32 = 0;
  static final int INT32 = 2;
  static final int INT64 = 4;
  static final int ADD = 0;
  static final int CUSTOM = 32;
  static final int IF = 118;
  static final int WHILE = 119;
  static final int CALL_ONCE = 129;
  static final int VAR_HANDLE = 142;

  private final List<Sub> subgraphs = new ArrayList<>();
  private final List<String> metadata = new ArrayList<>();
  private final List<byte[]> contents = new ArrayList<>();
  private String signatureKey = "";

  private record Ten(
      String name,
      int type,
      int buffer,
      boolean variable,
      ImmutableIntArray shape,
      ImmutableIntArray signature,
      double scale) {}

  /** An operator; {@code options} are written one by one, from the first field on. */
  private record Op(
      int code,
      ImmutableIntArray inputs,
      ImmutableIntArray outputs,
      ImmutableIntArray subgraphs,
      int optionsType,
      List<Object> options) {}

  /** A subgraph in the making. */
  final class Sub {
    private final String name;
    private final List<Ten> tensors = new ArrayList<>();
    private final List<Op> operators = new ArrayList<>();
    private int[] inputs = {};
    private int[] outputs = {};

    private Sub(String name) {
      this.name = name;
    }

    Sub tensor(String tensorName, int type, int... shape) {
      return add(tensorName, type, 0, false, shape, new int[0]);
    }

    Sub constant(String tensorName, int... shape) {
      return add(tensorName, FLOAT32, 1, false, shape, new int[0]);
    }

    /** A constant vector of numbers of 4 or 8 bytes, or a scalar if there is no shape. */
    Sub numbers(int type, int[] shape, long... values) {
      ByteBuffer content =
          ByteBuffer.allocate(values.length * (type == INT64 ? Long.BYTES : Integer.BYTES))
              .order(ByteOrder.LITTLE_ENDIAN);
      for (long value : values) {
        if (type == INT64) {
          content.putLong(value);
        } else {
          content.putInt((int) value);
        }
      }
      contents.add(content.array());
      return add("", type, 1 + contents.size(), false, shape, new int[0]);
    }

    /** A tensor whose numbers have a scale. */
    Sub scaled(int type, double scale, int... shape) {
      tensors.add(
          new Ten(
              "", type, 0, false, ImmutableIntArray.copyOf(shape), ImmutableIntArray.of(), scale));
      return this;
    }

    Sub variable(String tensorName, int... shape) {
      return add(tensorName, FLOAT32, 0, true, shape, new int[0]);
    }

    Sub add(
        String tensorName, int type, int buffer, boolean variable, int[] shape, int[] signature) {
      tensors.add(
          new Ten(
              tensorName,
              type,
              buffer,
              variable,
              ImmutableIntArray.copyOf(shape),
              ImmutableIntArray.copyOf(signature),
              /* scale= */ 0));
      return this;
    }

    Sub inputs(int... tensorIndices) {
      inputs = tensorIndices;
      return this;
    }

    Sub outputs(int... tensorIndices) {
      outputs = tensorIndices;
      return this;
    }

    Sub op(int code, int[] reads, int[] writes, int... runs) {
      operators.add(
          new Op(
              code,
              ImmutableIntArray.copyOf(reads),
              ImmutableIntArray.copyOf(writes),
              ImmutableIntArray.copyOf(runs),
              code == IF ? 92 : code == WHILE ? 93 : 103,
              List.of()));
      return this;
    }

    /** An operator with options: Integer, Byte and Boolean values from the first field on. */
    Sub op(int code, int optionsType, List<Object> options, int[] reads, int[] writes) {
      operators.add(
          new Op(
              code,
              ImmutableIntArray.copyOf(reads),
              ImmutableIntArray.copyOf(writes),
              ImmutableIntArray.of(),
              optionsType,
              options));
      return this;
    }
  }

  static int[] at(int... indices) {
    return indices;
  }

  Sub subgraph(String name) {
    Sub sub = new Sub(name);
    subgraphs.add(sub);
    return sub;
  }

  TfliteFile metadata(String name) {
    metadata.add(name);
    return this;
  }

  TfliteFile signature(String key) {
    signatureKey = key;
    return this;
  }

  byte[] bytes() {
    FlatBufferBuilder b = new FlatBufferBuilder();
    List<Integer> codes =
        subgraphs.stream().flatMap(sub -> sub.operators.stream()).map(Op::code).distinct().toList();
    int[] codeTables = tables(codes.size(), i -> code(b, codes.get(i)));
    int[] subTables = tables(subgraphs.size(), i -> subgraph(b, subgraphs.get(i), codes));
    int[] buffers =
        tables(2 + contents.size(), i -> buffer(b, i < 2 ? new byte[16 * i] : contents.get(i - 2)));
    int[] metadataTables = tables(metadata.size(), i -> named(b, metadata.get(i), 2, 0));
    int[] signatures = tables(signatureKey.isEmpty() ? 0 : 1, i -> named(b, signatureKey, 5, 2));
    int codeVector = b.createVectorOfTables(codeTables);
    int subVector = b.createVectorOfTables(subTables);
    int bufferVector = b.createVectorOfTables(buffers);
    int metadataVector = b.createVectorOfTables(metadataTables);
    int signatureVector = b.createVectorOfTables(signatures);
    b.startTable(8);
    b.addInt(0, 3, 0);
    b.addOffset(1, codeVector, 0);
    b.addOffset(2, subVector, 0);
    b.addOffset(4, bufferVector, 0);
    b.addOffset(6, metadataVector, 0);
    b.addOffset(7, signatureVector, 0);
    b.finish(b.endTable(), "TFL3");
    return b.sizedByteArray();
  }

  private static int[] tables(int count, IntUnaryOperator write) {
    int[] tables = new int[count];
    for (int i = 0; i < count; i++) {
      tables[i] = write.applyAsInt(i);
    }
    return tables;
  }

  private static int named(FlatBufferBuilder b, String name, int fields, int field) {
    int text = b.createString(name);
    b.startTable(fields);
    b.addOffset(field, text, 0);
    return b.endTable();
  }

  private static int code(FlatBufferBuilder b, int number) {
    int custom = b.createString(number == CUSTOM ? "mine" : "");
    b.startTable(4);
    b.addByte(0, (byte) Math.min(number, 127), 0);
    b.addOffset(1, custom, 0);
    b.addInt(3, number, 0);
    return b.endTable();
  }

  private static int buffer(FlatBufferBuilder b, byte[] content) {
    int data = b.createByteVector(content);
    b.startTable(3);
    b.addOffset(0, data, 0);
    return b.endTable();
  }

  private static int subgraph(FlatBufferBuilder b, Sub sub, List<Integer> codes) {
    int name = b.createString(sub.name);
    int tensors =
        b.createVectorOfTables(tables(sub.tensors.size(), i -> tensor(b, sub.tensors.get(i))));
    int operators =
        b.createVectorOfTables(
            tables(sub.operators.size(), i -> operator(b, sub.operators.get(i), codes)));
    int inputs = ints(b, ImmutableIntArray.copyOf(sub.inputs));
    int outputs = ints(b, ImmutableIntArray.copyOf(sub.outputs));
    b.startTable(5);
    b.addOffset(0, tensors, 0);
    b.addOffset(1, inputs, 0);
    b.addOffset(2, outputs, 0);
    b.addOffset(3, operators, 0);
    b.addOffset(4, name, 0);
    return b.endTable();
  }

  private static int tensor(FlatBufferBuilder b, Ten tensor) {
    int name = b.createString(tensor.name);
    int shape = ints(b, tensor.shape);
    int signature = ints(b, tensor.signature);
    int quantization = tensor.scale == 0 ? 0 : quantization(b, (float) tensor.scale);
    b.startTable(8);
    b.addOffset(0, shape, 0);
    b.addByte(1, (byte) tensor.type, 0);
    b.addInt(2, tensor.buffer, 0);
    b.addOffset(3, name, 0);
    b.addOffset(4, quantization, 0);
    b.addBoolean(5, tensor.variable, false);
    b.addOffset(7, signature, 0);
    return b.endTable();
  }

  private static int quantization(FlatBufferBuilder b, float scale) {
    b.startVector(Float.BYTES, 1, Float.BYTES);
    b.addFloat(scale);
    int scales = b.endVector();
    b.startTable(4);
    b.addOffset(2, scales, 0);
    return b.endTable();
  }

  private static int operator(FlatBufferBuilder b, Op op, List<Integer> codes) {
    int inputs = ints(b, op.inputs);
    int outputs = ints(b, op.outputs);
    int options = 0;
    if (!op.subgraphs.isEmpty()) {
      b.startTable(2);
      for (int i = 0; i < op.subgraphs.length(); i++) {
        b.addInt(i, op.subgraphs.get(i), 0);
      }
      options = b.endTable();
    } else if (!op.options.isEmpty()) {
      options = options(b, op.options);
    }
    b.startTable(5);
    b.addInt(0, codes.indexOf(op.code), 0);
    b.addOffset(1, inputs, 0);
    b.addOffset(2, outputs, 0);
    b.addByte(3, (byte) (options == 0 ? 0 : op.optionsType), 0);
    b.addOffset(4, options, 0);
    return b.endTable();
  }

  private static int options(FlatBufferBuilder b, List<Object> values) {
    b.startTable(values.size());
    for (int i = 0; i < values.size(); i++) {
      Object value = values.get(i);
      if (value instanceof Integer number) {
        b.addInt(i, number, 0);
      } else if (value instanceof Boolean flag) {
        b.addBoolean(i, flag, false);
      } else {
        b.addByte(i, (byte) value, 0);
      }
    }
    return b.endTable();
  }

  private static int ints(FlatBufferBuilder b, ImmutableIntArray values) {
    b.startVector(4, values.length(), 4);
    for (int i = values.length() - 1; i >= 0; i--) {
      b.addInt(values.get(i));
    }
    return b.endVector();
  }
}
