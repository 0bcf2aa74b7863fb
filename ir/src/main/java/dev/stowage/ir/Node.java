package dev.stowage.ir;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableIntArray;

/**
 * One step of a graph.
 *
 * @param id stable within its method, also when other nodes come or go
 * @param op operator, one of {@link Ops} or any other name
 * @param operands what it uses, in the order of the call
 * @param results ids of the tensors that it yields; no other node yields them
 * @param graphs indices of the graphs that it runs, in the operator's order
 * @param target id of the node that it may jump to, or -1
 * @param attributes further facts by name, such as the back end of a delegate
 */
public record Node(
    int id,
    String op,
    ImmutableList<Operand> operands,
    ImmutableIntArray results,
    ImmutableIntArray graphs,
    int target,
    ImmutableMap<String, String> attributes) {

  /** Attribute that names the back end of a delegate call. */
  public static final String BACKEND = "backend";

  /** True if the operator runs graphs. */
  public boolean callsGraphs() {
    return !graphs.isEmpty();
  }
}
