package dev.stowage.formats.tflite;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.ir.TensorType;

/**
 * What a file says, its references checked. Tensors are numbered through the file, subgraph after
 * subgraph; -1 stands for an optional one that is left out.
 *
 * @param entryName what the file calls its entry; may be empty
 * @param tensors of all subgraphs
 * @param constantBytes of all buffers that constant tensors use
 * @param resourceVariables that its VAR_HANDLE operators name
 * @param openShapes tensors with a dimension that their shape signature leaves open
 * @param offlinePlan true if the file carries placements for TFLite Micro
 */
record TfliteModel(
    String entryName,
    ImmutableList<Subgraph> subgraphs,
    ImmutableList<TensorEntry> tensors,
    long constantBytes,
    int resourceVariables,
    int openShapes,
    boolean offlinePlan) {

  /** A subgraph; {@code name} may be empty or repeat. */
  record Subgraph(
      int index,
      String name,
      int firstTensor,
      int tensorCount,
      ImmutableIntArray inputs,
      ImmutableIntArray outputs,
      ImmutableList<Operator> operators) {
    /** {@code subgraph 1 (body)}. */
    String describe() {
      return Places.named("subgraph", index, name);
    }
  }

  /**
   * An operator.
   *
   * @param subgraphs those that it runs, in TFLite Micro's order
   * @param attributes what its options and constant inputs say of the bytes that it moves
   */
  record Operator(
      int code,
      String name,
      ImmutableIntArray inputs,
      ImmutableIntArray outputs,
      ImmutableIntArray subgraphs,
      ImmutableMap<String, String> attributes) {}

  /** A tensor; one that is variable is never constant. */
  record TensorEntry(String name, TensorType type, boolean constant, boolean variable) {}
}
