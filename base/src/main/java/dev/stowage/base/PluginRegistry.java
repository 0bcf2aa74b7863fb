package dev.stowage.base;

import static com.google.common.base.Preconditions.checkState;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * What is registered under which name. It takes what ServiceLoader found in the module that owns
 * the interface, and knows only names, clashes and nearest matches.
 *
 * @param <T> the interface
 */
public final class PluginRegistry<T> {
  /** What a {@link Call} can name. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]+");

  private final DiagnosticKind unknown;
  private final String what;
  private final Map<String, T> byName = new TreeMap<>();

  /**
   * Registers providers by name.
   *
   * @param what the word for one of them in messages, such as {@code strategy}
   * @param unknown kind of the error for a name that nobody has
   * @throws DiagnosticException of kind {@code plugin-clash} if two providers have one name
   * @throws PluginFailedException if one cannot say its name
   */
  public PluginRegistry(
      String what, DiagnosticKind unknown, Iterable<T> providers, Function<T, String> nameOf) {
    this(what, unknown, providers, nameOf, Object::getClass);
  }

  /**
   * Registers things that providers offer, by name.
   *
   * @param typeOf the class of the provider
   * @throws DiagnosticException of kind {@code plugin-clash} if two have one name
   * @throws PluginFailedException if one cannot say its name
   */
  public PluginRegistry(
      String what,
      DiagnosticKind unknown,
      Iterable<T> offered,
      Function<T, String> nameOf,
      Function<T, Class<?>> typeOf) {
    this.what = what;
    this.unknown = unknown;
    for (T each : offered) {
      Class<?> type = typeOf.apply(each);
      // Without a name all that can be told of it is its class.
      String name =
          PluginFailedException.guard(what, type.getName(), type, () -> name(each, nameOf));
      T other = byName.putIfAbsent(name, each);
      if (other != null) {
        throw clash(what, name, typeOf.apply(other), type).asException();
      }
    }
  }

  private static <T> String name(T each, Function<T, String> nameOf) {
    String name = requireNonNull(nameOf.apply(each), "it has no name");
    checkState(
        NAME.matcher(name).matches(),
        "its name '%s' is empty or has other characters than letters, digits, '-', '_' and '.'",
        name);
    return name;
  }

  /**
   * The error about two providers of one name.
   *
   * @param what the word for what they provide, such as {@code strategy}
   */
  public static Diagnostic clash(String what, String name, Class<?> one, Class<?> other) {
    return Diagnostic.of(
            Kinds.PLUGIN_CLASH,
            Message.format(
                "two of kind %s are called '%s': %s and %s",
                what, name, describe(one), describe(other)))
        .help("leave out one of the two, or ask its authors for another name");
  }

  /**
   * The error about a provider whose name means something else where it would be used.
   *
   * @param what the word for what it provides, such as {@code strategy}
   * @param meaning what the name stands for, such as {@code a pipeline}
   */
  public static Diagnostic reserved(String what, String name, String meaning, Class<?> type) {
    return Diagnostic.of(
            Kinds.PLUGIN_CLASH,
            Message.format(
                "%s '%s', %s, has a name that stands for %s", what, name, describe(type), meaning))
        .help("leave it out, or ask its authors for another name");
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
    return get(call, ImmutableSet.of());
  }

  /**
   * The one that a call names.
   *
   * @param alsoPossible what else the caller takes in its place, for the suggestion
   * @throws DiagnosticException of the registry's kind, with the nearest name, pointing at the call
   */
  public T get(Call call, Set<String> alsoPossible) {
    T provider = byName.get(call.name());
    if (provider == null) {
      Set<String> possible = Sets.union(byName.keySet(), alsoPossible);
      throw call.diagnose(unknown, "there is no " + what + " called '" + call.name() + "'")
          .help(
              possible.isEmpty()
                  ? "there is none at all; a plug-in may bring some"
                  : Suggestions.help(call.name(), possible))
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
