package dev.stowage.base;

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
   * @throws DiagnosticException of kind {@code plugin-clash} if two providers have one name
   */
  public PluginRegistry(
      String what, DiagnosticKind unknown, Iterable<T> providers, Function<T, String> nameOf) {
    this(what, unknown, providers, nameOf, Object::getClass);
  }

  /**
   * Registers what stands for providers by name.
   *
   * @param what the word for one of them in messages, such as {@code strategy}
   * @param unknown kind of the error for a name that nobody has
   * @param typeOf the provider's class
   * @throws DiagnosticException of kind {@code plugin-clash} if two providers have one name
   */
  public PluginRegistry(
      String what,
      DiagnosticKind unknown,
      Iterable<T> providers,
      Function<T, String> nameOf,
      Function<T, Class<?>> typeOf) {
    this.what = what;
    this.unknown = unknown;
    for (T provider : providers) {
      String name = nameOf.apply(provider);
      T other = byName.putIfAbsent(name, provider);
      if (other != null) {
        throw Diagnostic.of(
                Kinds.PLUGIN_CLASH,
                Message.format(
                    "two of kind %s are called '%s': %s and %s",
                    what, name, describe(typeOf.apply(other)), describe(typeOf.apply(provider))))
            .help("leave out one of the two, or ask its authors for another name")
            .asException();
      }
    }
  }

  private static String describe(Class<?> type) {
    return type.getName() + " from " + PluginFailedException.origin(type);
  }

  /**
   * The one of this name.
   *
   * @throws DiagnosticException of the registry's kind, with the nearest name
   */
  public T get(String name) {
    return get(Call.of(name));
  }

  /**
   * The one that a call names.
   *
   * @throws DiagnosticException of the registry's kind, with the nearest name, pointing at the call
   */
  public T get(Call call) {
    T provider = byName.get(call.name());
    if (provider == null) {
      throw call.diagnose(unknown, "there is no " + what + " called '" + call.name() + "'")
          .help(Suggestions.help(call.name(), byName.keySet()))
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
