package dev.stowage.ir;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ListMultimap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects changes to a method; {@link #build} gives the changed copy, or the same method if
 * nothing changed. Ids of tensors and nodes are kept, only positions move. Not thread-safe.
 */
public final class GraphEditor {
  private final Method method;
  private final Map<AnnotationKey<?>, Method.Column> columns;
  private final Map<AnnotationKey<?>, @Nullable Object[]> changed = new HashMap<>();
  private final List<Tensor> addedTensors = new ArrayList<>();
  private final ListMultimap<Integer, Node> insertedBefore = ArrayListMultimap.create();
  private final Map<Integer, Node> replaced = new HashMap<>();
  private final Set<Integer> removed = new HashSet<>();
  private int nextNode;

  GraphEditor(Method method) {
    this.method = method;
    columns = method.columns();
    for (Node node : method.nodes()) {
      nextNode = Math.max(nextNode, node.id() + 1);
    }
  }

  /** Sets the value of a key for a tensor, or for its storage; null removes it. */
  public <T> GraphEditor annotate(int tensor, AnnotationKey<T> key, @Nullable T value) {
    checkArgument(key.scope() != AnnotationKey.Scope.METHOD, "%s is a key of the method", key);
    return set(key, key.scope() == AnnotationKey.Scope.STORAGE ? root(tensor) : tensor, value);
  }

  /** Sets the value of a key of the method; null removes it. */
  public <T> GraphEditor annotate(AnnotationKey<T> key, @Nullable T value) {
    checkArgument(key.scope() == AnnotationKey.Scope.METHOD, "%s is a key of tensors", key);
    return set(key, 0, value);
  }

  /** Removes a key from all tensors, or from the method. */
  public GraphEditor clear(AnnotationKey<?> key) {
    columns.remove(key);
    changed.remove(key);
    return this;
  }

  /** Adds a tensor and returns its id. */
  public int addTensor(String label, TensorType type, @Nullable Alias alias) {
    int id = method.tensors().size() + addedTensors.size();
    addedTensors.add(new Tensor(id, label, type, /* constant= */ false, /* state= */ null, alias));
    return id;
  }

  /** An id that no node has. */
  public int newNodeId() {
    return nextNode++;
  }

  /** Puts a node directly before another, after those put there earlier. */
  public GraphEditor insertBefore(int node, Node inserted) {
    insertedBefore.put(node, inserted);
    return this;
  }

  /** Puts a changed node in the place of the one with its id. */
  public GraphEditor replace(Node node) {
    replaced.put(node.id(), node);
    return this;
  }

  /**
   * Takes a node out. What names it (jumps, and storages that are to stay alive until it has run)
   * is for the caller to change as well: a name that is left is a fault of the structure.
   */
  public GraphEditor remove(int node) {
    removed.add(node);
    return this;
  }

  /**
   * The changed method, in time linear in its size; the same one if nothing changed.
   *
   * @throws IllegalArgumentException if a node to change does not exist
   */
  @SuppressWarnings("ReferenceEquality") // newBody() returns the old body itself if unchanged
  public Method build() {
    ImmutableMap.Builder<AnnotationKey<?>, Method.Column> built = ImmutableMap.builder();
    columns.forEach(
        (key, column) -> {
          @Nullable Object[] values = changed.get(key);
          Method.Column next = values == null ? column : new Method.Column(values);
          if (values == null || !next.isEmpty()) {
            built.put(key, values != null && next.equals(column) ? column : next);
          }
        });
    ImmutableMap<AnnotationKey<?>, Method.Column> newColumns = built.buildOrThrow();
    Body body = newBody();
    boolean same =
        body == method.body() && newColumns.equals(ImmutableMap.copyOf(method.columns()));
    return same ? method : new Method(method.name(), body, newColumns);
  }

  private int root(int tensor) {
    int at = tensor;
    while (at >= method.tensors().size()) {
      Alias alias = addedTensors.get(at - method.tensors().size()).alias();
      if (alias == null) {
        return at;
      }
      at = alias.base();
    }
    return method.body().root(at);
  }

  private <T> GraphEditor set(AnnotationKey<T> key, int index, @Nullable T value) {
    @Nullable Object[] values = changed.get(key);
    if (values == null) {
      Method.Column column = columns.computeIfAbsent(key, k -> new Method.Column(new Object[0]));
      values = column.copy(key.scope() == AnnotationKey.Scope.METHOD ? 1 : tensorCount());
      changed.put(key, values);
    }
    if (index >= values.length) {
      values = Arrays.copyOf(values, Math.max(tensorCount(), values.length + values.length / 2));
      changed.put(key, values);
    }
    values[index] = value;
    return this;
  }

  private int tensorCount() {
    return method.tensors().size() + addedTensors.size();
  }

  private Body newBody() {
    if (addedTensors.isEmpty()
        && insertedBefore.isEmpty()
        && replaced.isEmpty()
        && removed.isEmpty()) {
      return method.body();
    }
    Set<Integer> missing = new HashSet<>(insertedBefore.keySet());
    missing.addAll(replaced.keySet());
    missing.addAll(removed);
    ImmutableList.Builder<Graph> graphs = ImmutableList.builder();
    for (Graph graph : method.body().graphs()) {
      ImmutableList.Builder<Node> nodes = ImmutableList.builder();
      for (Node node : graph.nodes()) {
        missing.remove(node.id());
        nodes.addAll(insertedBefore.get(node.id()));
        if (!removed.contains(node.id())) {
          nodes.add(replaced.getOrDefault(node.id(), node));
        }
      }
      graphs.add(new Graph(graph.name(), nodes.build()));
    }
    checkArgument(missing.isEmpty(), "method %s has no nodes %s", method.name(), missing);
    Body body =
        new Body(
            ImmutableList.<Tensor>builder().addAll(method.tensors()).addAll(addedTensors).build(),
            graphs.build());
    return body.equals(method.body()) ? method.body() : body;
  }
}
