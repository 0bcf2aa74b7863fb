package dev.stowage.passes.analysis;

import dev.stowage.ir.Body;
import dev.stowage.ir.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Facts about methods, computed on demand. All are facts about the body alone and are cached by its
 * identity, so annotating a method keeps them and changing its structure drops them.
 */
public final class Analyses {
  private final Map<Identity, Map<Class<?>, Object>> cache = new HashMap<>();

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

  /** Where each node stands. */
  public Schedule schedule(Method method) {
    return get(method, Schedule.class, Schedule::of);
  }

  /** Which tensors are handles to the same bytes. */
  public Aliases aliases(Method method) {
    return get(method, Aliases.class, Aliases::of);
  }

  /** When the bytes of each tensor are in use. */
  public Lifetimes lifetimes(Method method) {
    return get(method, Lifetimes.class, body -> Lifetimes.of(body, schedule(method)));
  }

  /** How many bytes are live when. */
  public Liveness liveness(Method method) {
    return get(
        method, Liveness.class, body -> Liveness.of(body, lifetimes(method), schedule(method)));
  }

  private <T> T get(Method method, Class<T> type, Function<Body, T> compute) {
    Map<Class<?>, Object> facts =
        cache.computeIfAbsent(new Identity(method.body()), body -> new HashMap<>());
    Object known = facts.get(type);
    if (known == null) {
      known = compute.apply(method.body());
      facts.put(type, known);
    }
    return type.cast(known);
  }
}
