package dev.stowage.formats.tflite;

import com.google.common.primitives.ImmutableIntArray;
import com.google.flatbuffers.FlatBufferBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Writes small models for tests, right or wrong, with the FlatBuffers library. Buffer 0 is empty
 * and buffer 1 has 16 bytes.
 */
final class TfliteFile {
  static final int FLOAT32 = 0;
  static final int ADD = 0;
  static final int CUSTOM = 32;
  static final int IF = 118;
  static final int WHILE = 119;
  static final int CALL_ONCE = 129;
  static final int VAR_HANDLE = 142;

  private final List<Sub> subgraphs = new ArrayList<>();
  private final List<String> metadata = new ArrayList<>();
  private String signatureKey = "";

  private record Ten(
      String name,
      int type,
      int buffer,
      boolean variable,
      ImmutableIntArray shape,
      ImmutableIntArray signature) {}

  private record Op(
      int code, ImmutableIntArray inputs, ImmutableIntArray outputs, ImmutableIntArray subgraphs) {}

  /** A subgraph in the making. */
  static final class Sub {
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
              ImmutableIntArray.copyOf(signature)));
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
              ImmutableIntArray.copyOf(runs)));
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
    int[] buffers = tables(2, i -> buffer(b, 16 * i));
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

  private static int buffer(FlatBufferBuilder b, int bytes) {
    int data = b.createByteVector(new byte[bytes]);
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
    b.startTable(8);
    b.addOffset(0, shape, 0);
    b.addByte(1, (byte) tensor.type, 0);
    b.addInt(2, tensor.buffer, 0);
    b.addOffset(3, name, 0);
    b.addBoolean(5, tensor.variable, false);
    b.addOffset(7, signature, 0);
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
    }
    b.startTable(5);
    b.addInt(0, codes.indexOf(op.code), 0);
    b.addOffset(1, inputs, 0);
    b.addOffset(2, outputs, 0);
    b.addByte(3, (byte) optionsType(op), 0);
    b.addOffset(4, options, 0);
    return b.endTable();
  }

  private static int optionsType(Op op) {
    if (op.subgraphs.isEmpty()) {
      return 0;
    }
    return op.code == IF ? 92 : op.code == WHILE ? 93 : 103;
  }

  private static int ints(FlatBufferBuilder b, ImmutableIntArray values) {
    b.startVector(4, values.length(), 4);
    for (int i = values.length() - 1; i >= 0; i--) {
      b.addInt(values.get(i));
    }
    return b.endVector();
  }
}
