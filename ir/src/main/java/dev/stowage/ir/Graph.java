package dev.stowage.ir;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;

/**
 * A sequence of nodes: the body of a method, or what a node of it runs. The order is the schedule.
 *
 * @param name unique within its method
 * @param nodes in order; the last one is the output node
 */
public record Graph(String name, ImmutableList<Node> nodes) {
  /** Ids of the tensors that the input nodes yield, in order. */
  public ImmutableIntArray inputs() {
    ImmutableIntArray.Builder inputs = ImmutableIntArray.builder();
    for (Node node : nodes) {
      if (node.op().equals(Ops.INPUT)) {
        inputs.addAll(node.results());
      }
    }
    return inputs.build();
  }

  /** Ids of the tensors that the output node hands to the caller, in order, holes left out. */
  public ImmutableIntArray outputs() {
    ImmutableIntArray.Builder outputs = ImmutableIntArray.builder();
    for (Node node : nodes) {
      if (node.op().equals(Ops.OUTPUT)) {
        for (Operand operand : node.operands()) {
          if (!operand.isHole()) {
            outputs.add(operand.tensor());
          }
        }
      }
    }
    return outputs.build();
  }
}
