package dev.stowage.base;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What is registered under which name. It takes what ServiceLoader found in the module that owns
 * the interface, and knows only names, clashes and nearest matches.
 *
 * @param <T> the interface
 */
public final class PluginRegistry<T> {
  private final DiagnosticKind unknown;
  private final String what;
  private final Map<String, T> byName = new TreeMap<>();

  /**
   * Registers providers by name.
   *
   * @param what the word for one of them in messages, such as {@code strategy}
   * @param unknown kind of the error for a name that nobody has
   * @throws IllegalArgumentException if two providers have one name
   */
  public PluginRegistry(
      String what, DiagnosticKind unknown, Iterable<T> providers, Function<T, String> nameOf) {
    this.what = what;
    this.unknown = unknown;
    for (T provider : providers) {
      String name = nameOf.apply(provider);
      T other = byName.putIfAbsent(name, provider);
      checkArgument(
          other == null, "two of kind %s are called %s: %s and %s", what, name, other, provider);
    }
  }

  /**
   * The one of this name.
   *
   * @throws DiagnosticException of the registry's kind, with the nearest name
   */
  public T get(String name) {
    T provider = byName.get(name);
    if (provider == null) {
      throw Diagnostic.of(unknown, "there is no " + what + " called '" + name + "'")
          .help(Suggestions.help(name, byName.keySet()))
          .asException();
    }
    return provider;
  }

  /** All names, sorted. */
  public ImmutableSet<String> names() {
    return ImmutableSet.copyOf(byName.keySet());
  }

  /** All that are registered, sorted by name. */
  public ImmutableList<T> all() {
    return ImmutableList.copyOf(byName.values());
  }
}
