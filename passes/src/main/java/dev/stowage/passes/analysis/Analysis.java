package dev.stowage.passes.analysis;

import com.google.common.collect.ImmutableSet;
import dev.stowage.ir.AnnotationKey;
import dev.stowage.ir.Method;
import java.util.function.BiFunction;

/**
 * A fact about methods that {@link Analyses} computes on demand: what it is called, what it reads
 * beside the body, and how it is computed. One constant for each; they are equal only to
 * themselves.
 *
 * @param <T> type of the fact: immutable, with an {@code equals} that compares values, by which a
 *     false claim to preserve it is found
 */
public final class Analysis<T> {
  private final String name;
  private final ImmutableSet<AnnotationKey<?>> reads;
  private final BiFunction<Method, Analyses, T> compute;

  private Analysis(
      String name, ImmutableSet<AnnotationKey<?>> reads, BiFunction<Method, Analyses, T> compute) {
    this.name = name;
    this.reads = reads;
    this.compute = compute;
  }

  /**
   * A fact about the body of a method.
   *
   * @param name kebab-case, as in timings and documentation
   * @param compute may ask for other analyses of the same method
   */
  public static <T> Analysis<T> of(String name, BiFunction<Method, Analyses, T> compute) {
    return new Analysis<>(name, ImmutableSet.of(), compute);
  }

  /**
   * The same fact, which also depends on annotations. What the analyses that it asks for read need
   * not be repeated.
   */
  public Analysis<T> reading(AnnotationKey<?>... keys) {
    return new Analysis<>(name, ImmutableSet.copyOf(keys), compute);
  }

  /** Kebab-case, as in timings and documentation. */
  public String name() {
    return name;
  }

  /** The annotations that it depends on; every fact also depends on the body. */
  public ImmutableSet<AnnotationKey<?>> reads() {
    return reads;
  }

  T compute(Method method, Analyses analyses) {
    return compute.apply(method, analyses);
  }

  @Override
  public String toString() {
    return name;
  }
}
