package dev.stowage.passes.analysis;

import static com.google.common.base.Preconditions.checkState;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.ir.AnnotationKey;
import dev.stowage.ir.Body;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Facts about methods, computed on demand and cached by the identity of what they read: the body of
 * the method, and the annotation columns that the analysis declares. So annotating a method keeps
 * what does not read the annotation, and changing its structure drops everything but what {@link
 * #carry} takes over.
 *
 * <p>Safe for use by several threads.
 */
public final class Analyses {
  private final Map<Identity, Facts> factsByBody = new ConcurrentHashMap<>();
  private final Queue<Computation> computations = new ConcurrentLinkedQueue<>();

  /** A body by identity: comparing its structure would cost more than the analyses. */
  private record Identity(Body body) {
    @Override
    @SuppressWarnings("ReferenceEquality") // by identity on purpose
    public boolean equals(Object other) {
      return other instanceof Identity identity && body == identity.body;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(body);
    }
  }

  /**
   * How long the computation of a fact took.
   *
   * @param analysis its name
   * @param method the method's name
   * @param nanos without what it asked of other analyses
   */
  public record Computation(String analysis, String method, long nanos) {}

  /** Where each node stands. */
  public Schedule schedule(Method method) {
    return get(Schedule.ANALYSIS, method);
  }

  /** Which tensors are handles to the same bytes. */
  public Aliases aliases(Method method) {
    return get(Aliases.ANALYSIS, method);
  }

  /** Which nodes yield and use each tensor. */
  public Uses uses(Method method) {
    return get(Uses.ANALYSIS, method);
  }

  /** When the bytes of each tensor are in use. */
  public Lifetimes lifetimes(Method method) {
    return get(Lifetimes.ANALYSIS, method);
  }

  /** How many bytes are live when. */
  public Liveness liveness(Method method) {
    return get(Liveness.ANALYSIS, method);
  }

  /** A fact about a method. */
  public <T> T get(Analysis<T> analysis, Method method) {
    return facts(method).get(analysis, method, this);
  }

  /**
   * Takes facts over from a method to the one that a pass made of it, where they are known. What
   * depends only on things that did not change is known of the new method anyway.
   */
  public void carry(Method from, Method to, ImmutableSet<Analysis<?>> preserved) {
    Facts old = factsByBody.get(new Identity(from.body()));
    if (old != null && !preserved.isEmpty()) {
      facts(to).take(old, from, to, preserved);
    }
  }

  /** Forgets all methods but those of a program. */
  public void retain(Program program) {
    Set<Identity> current = new HashSet<>();
    program.methods().forEach(method -> current.add(new Identity(method.body())));
    factsByBody.keySet().retainAll(current);
  }

  /**
   * What was computed since this was last asked, method by method.
   *
   * @param program has the order of the methods
   */
  public ImmutableList<Computation> drainComputations(Program program) {
    List<Computation> drained = new ArrayList<>();
    for (var next = computations.poll(); next != null; next = computations.poll()) {
      drained.add(next);
    }
    if (drained.isEmpty()) {
      return ImmutableList.of();
    }
    Map<String, Integer> places = new HashMap<>();
    program.methods().forEach(method -> places.put(method.name(), places.size()));
    // Those of one method are in order, whichever of the methods came first.
    drained.sort(
        Comparator.comparingInt(
            computation -> places.getOrDefault(computation.method(), places.size())));
    return ImmutableList.copyOf(drained);
  }

  private Facts facts(Method method) {
    return factsByBody.computeIfAbsent(new Identity(method.body()), body -> new Facts());
  }

  /** A fact with the columns that it was computed from. */
  private record Known(Object value, Map<AnnotationKey<?>, Object> columns) {
    @SuppressWarnings("ReferenceEquality") // columns are compared by identity on purpose
    boolean holdsFor(Method method) {
      for (Map.Entry<AnnotationKey<?>, Object> column : columns.entrySet()) {
        if (method.column(column.getKey()) != column.getValue()) {
          return false;
        }
      }
      return true;
    }
  }

  /** A computation that is going on. */
  private static final class Running {
    private final Analysis<?> analysis;
    private final Set<AnnotationKey<?>> reads;
    private long nestedNanos;

    Running(Analysis<?> analysis) {
      this.analysis = analysis;
      reads = new LinkedHashSet<>(analysis.reads());
    }
  }

  /** What is known about methods with one body. */
  private static final class Facts {
    private final Map<Analysis<?>, Known> known = new HashMap<>();
    private final Deque<Running> running = new ArrayDeque<>();

    @SuppressWarnings("unchecked") // an analysis is the key of its own values
    synchronized <T> T get(Analysis<T> analysis, Method method, Analyses analyses) {
      Known fact = known.get(analysis);
      if (fact == null || !fact.holdsFor(method)) {
        fact = compute(analysis, method, analyses);
        known.put(analysis, fact);
      }
      if (!running.isEmpty()) {
        running.getFirst().reads.addAll(fact.columns.keySet());
      }
      return (T) fact.value;
    }

    private Known compute(Analysis<?> analysis, Method method, Analyses analyses) {
      checkState(
          running.stream().noneMatch(other -> other.analysis == analysis),
          "analysis %s asks for itself",
          analysis);
      Running now = new Running(analysis);
      long begin = System.nanoTime();
      running.push(now);
      Object value;
      try {
        value = requireNonNull(analysis.compute(method, analyses));
      } finally {
        running.pop();
      }
      long nanos = System.nanoTime() - begin;
      analyses.computations.add(
          new Computation(analysis.name(), method.name(), nanos - now.nestedNanos));
      if (!running.isEmpty()) {
        running.getFirst().nestedNanos += nanos;
      }
      return new Known(value, columns(method, now.reads));
    }

    /** Not synchronized on both: nobody takes facts over in the other direction. */
    synchronized void take(Facts old, Method from, Method to, ImmutableSet<Analysis<?>> preserved) {
      for (Analysis<?> analysis : preserved) {
        Known fact = old.knownOf(analysis);
        if (fact != null && fact.holdsFor(from)) {
          known.put(analysis, new Known(fact.value, columns(to, fact.columns.keySet())));
        }
      }
    }

    private synchronized @Nullable Known knownOf(Analysis<?> analysis) {
      return known.get(analysis);
    }

    /** Absent columns stand for themselves. */
    private static Map<AnnotationKey<?>, Object> columns(
        Method method, Set<AnnotationKey<?>> keys) {
      Map<AnnotationKey<?>, Object> columns = new HashMap<>();
      keys.forEach(key -> columns.put(key, method.column(key)));
      return columns;
    }
  }
}
