package dev.stowage.passes.analysis;

import com.google.common.collect.ImmutableList;
import dev.stowage.ir.Body;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which node yields a tensor and which nodes use it, of all graphs of the method, graph after
 * graph. Only the tensor itself counts, not other handles to its bytes.
 */
public final class Uses {
  /** The fact as {@link Analyses} knows it. */
  public static final Analysis<Uses> ANALYSIS =
      Analysis.of("uses", (method, analyses) -> Uses.of(method.body()));

  private final @Nullable Node[] definitionByTensor;
  private final ImmutableList<Node>[] usersByTensor;

  private Uses(@Nullable Node[] definitionByTensor, ImmutableList<Node>[] usersByTensor) {
    this.definitionByTensor = definitionByTensor;
    this.usersByTensor = usersByTensor;
  }

  private static Uses of(Body body) {
    int tensors = body.tensors().size();
    @Nullable Node[] definitions = new @Nullable Node[tensors];
    List<List<Node>> users = new ArrayList<>(tensors);
    for (int tensor = 0; tensor < tensors; tensor++) {
      users.add(new ArrayList<>(2));
    }
    for (Graph graph : body.graphs()) {
      for (Node node : graph.nodes()) {
        node.results().forEach(result -> definitions[result] = node);
        for (Operand operand : node.operands()) {
          if (!operand.isHole()) {
            List<Node> known = users.get(operand.tensor());
            if (known.isEmpty() || known.get(known.size() - 1).id() != node.id()) {
              known.add(node);
            }
          }
        }
      }
    }
    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type has no other way
    ImmutableList<Node>[] frozen = new ImmutableList[tensors];
    Arrays.setAll(frozen, tensor -> ImmutableList.copyOf(users.get(tensor)));
    return new Uses(definitions, frozen);
  }

  /** The node that yields a tensor, or null for one that is there from the beginning. */
  public @Nullable Node definition(int tensor) {
    return definitionByTensor[tensor];
  }

  /** The nodes that have a tensor as an operand, each once, in order. */
  public ImmutableList<Node> users(int tensor) {
    return usersByTensor[tensor];
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Uses uses
        && Arrays.equals(definitionByTensor, uses.definitionByTensor)
        && Arrays.equals(usersByTensor, uses.usersByTensor);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(usersByTensor);
  }
}
