package dev.stowage.ir;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.FluentIterable;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One entry point of a program: a body and what is known about its tensors, in columns by tensor
 * id. Immutable; {@link #edit} starts a changed copy that shares what is not touched.
 */
public final class Method {
  private final String name;
  private final Body body;

  /** Columns by key: an entry a tensor, or a single entry for keys of the method. */
  private final ImmutableMap<AnnotationKey<?>, Column> columns;

  Method(String name, Body body, ImmutableMap<AnnotationKey<?>, Column> columns) {
    this.name = name;
    this.body = body;
    this.columns = columns;
  }

  /** A copy-on-write column. */
  static final class Column {
    private final @Nullable Object[] values;

    Column(@Nullable Object[] values) {
      this.values = values;
    }

    @Nullable Object get(int index) {
      return index < values.length ? values[index] : null;
    }

    @Nullable Object[] copy(int length) {
      return Arrays.copyOf(values, length);
    }

    boolean isEmpty() {
      return Arrays.stream(values).allMatch(value -> value == null);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      if (!(other instanceof Column column)) {
        return false;
      }
      int length = Math.max(values.length, column.values.length);
      return Arrays.equals(copy(length), column.copy(length));
    }

    @Override
    public int hashCode() {
      int hash = 0;
      for (Object value : values) {
        hash = value == null ? hash : 31 * hash + value.hashCode();
      }
      return hash;
    }
  }

  /** Starts a method from nothing. */
  public static MethodBuilder builder(String name) {
    return new MethodBuilder(name);
  }

  /** Unique within its program. */
  public String name() {
    return name;
  }

  /** Its structure. */
  public Body body() {
    return body;
  }

  /** The tensor table. */
  public ImmutableList<Tensor> tensors() {
    return body.tensors();
  }

  /** The tensor of an id. */
  public Tensor tensor(int id) {
    return body.tensors().get(id);
  }

  /** The graph where the method begins. */
  public Graph entry() {
    return body.graphs().get(0);
  }

  /** The nodes of all graphs, graph after graph. */
  public Iterable<Node> nodes() {
    return FluentIterable.from(body.graphs()).transformAndConcat(Graph::nodes);
  }

  /** The value of a key for a tensor or, with a STORAGE key, for the storage it is a handle to. */
  public <T> Optional<T> get(AnnotationKey<T> key, int tensor) {
    checkArgument(key.scope() != AnnotationKey.Scope.METHOD, "%s is a key of the method", key);
    return value(key, key.scope() == AnnotationKey.Scope.STORAGE ? body.root(tensor) : tensor);
  }

  /** The value of a key of the method. */
  public <T> Optional<T> get(AnnotationKey<T> key) {
    checkArgument(key.scope() == AnnotationKey.Scope.METHOD, "%s is a key of tensors", key);
    return value(key, 0);
  }

  /** The keys that have a value somewhere, in the order in which they were first used. */
  public ImmutableSet<AnnotationKey<?>> keys() {
    return columns.keySet();
  }

  /**
   * What stands for all values of a key: the same object as long as none of them changes, null if
   * there is none. For caches; it says nothing about the values.
   */
  public @Nullable Object column(AnnotationKey<?> key) {
    return columns.get(key);
  }

  /** Starts a changed copy. */
  public GraphEditor edit() {
    return new GraphEditor(this);
  }

  @SuppressWarnings("unchecked") // the editor only puts values of the key's type into its column
  private <T> Optional<T> value(AnnotationKey<T> key, int index) {
    Column column = columns.get(key);
    return column == null ? Optional.empty() : Optional.ofNullable((T) column.get(index));
  }

  Map<AnnotationKey<?>, Column> columns() {
    return new LinkedHashMap<>(columns);
  }

  /** True for the same name, structure and annotations. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Method method
        && name.equals(method.name)
        && body.equals(method.body)
        && columns.equals(method.columns);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * name.hashCode() + body.hashCode()) + columns.hashCode();
  }
}
