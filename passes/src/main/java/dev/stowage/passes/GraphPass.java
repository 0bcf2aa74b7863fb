package dev.stowage.passes;

import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;

/**
 * A pass that looks at one graph of a method only. It may change the nodes of that graph and
 * annotate the tensors that they yield, and leaves all other graphs as they are.
 */
public non-sealed interface GraphPass extends Pass {
  /**
   * Returns the method with the graph changed, or the same one if there was nothing to do.
   *
   * @param graph of {@code method}
   */
  Method run(Method method, Graph graph, PassContext context);
}
