package dev.stowage.formats;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Message;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.PluginRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What plug-ins have for formats, kept apart from one another and from Stowage's own formats by
 * name and by ending.
 *
 * @param <T> an importer or an exporter
 */
final class FormatRegistry<T> {
  private final ImmutableList<Registered<T>> registered;

  /** One of them with its declaration, which is asked for once. */
  record Registered<T>(T plugin, FormatSpec spec) {
    Class<?> type() {
      return requireNonNull(plugin).getClass();
    }
  }

  /**
   * Registers plug-ins.
   *
   * @param what the word for one of them, such as {@code importer}
   * @throws PluginFailedException if one cannot say what it is for
   * @throws dev.stowage.base.DiagnosticException of kind {@code plugin-clash} if two have one name
   *     or ending, or one has that of a format of Stowage's own
   */
  FormatRegistry(String what, Iterable<T> plugins, Function<T, FormatSpec> specOf) {
    ImmutableList.Builder<Registered<T>> all = ImmutableList.builder();
    for (T plugin : plugins) {
      Class<?> type = plugin.getClass();
      FormatSpec spec =
          PluginFailedException.guard(
              what,
              type.getName(),
              type,
              () -> requireNonNull(specOf.apply(plugin), "it returned null in place of its spec"));
      all.add(new Registered<>(plugin, spec));
    }
    registered =
        new PluginRegistry<>(
                what,
                Kinds.INPUT_UNKNOWN_FORMAT,
                all.build(),
                each -> each.spec().name(),
                Registered::type)
            .all();
    checkEndings(what);
  }

  private void checkEndings(String what) {
    Map<String, Registered<T>> byEnding = new HashMap<>();
    for (Registered<T> each : registered) {
      for (FileFormat own : FileFormat.values()) {
        if (own.toString().equals(each.spec().name())) {
          throw PluginRegistry.clash(what, own.toString(), FileFormat.class, each.type())
              .asException();
        }
        for (String ending : own.endings()) {
          if (each.spec().endings().contains(ending)) {
            throw clash(ending, "Stowage's own format " + own, describe(what, each));
          }
        }
      }
      for (String ending : each.spec().endings()) {
        Registered<T> other = byEnding.putIfAbsent(ending, each);
        if (other != null) {
          throw clash(ending, describe(what, other), describe(what, each));
        }
      }
    }
  }

  private static String describe(String what, Registered<?> each) {
    return what + " '" + each.spec().name() + "' from " + PluginFailedException.origin(each.type());
  }

  private static RuntimeException clash(String ending, String one, String other) {
    return Diagnostic.of(
            Kinds.PLUGIN_CLASH,
            Message.format("two have the ending '%s': %s and %s", ending, one, other))
        .help("leave out one of the two, or ask its authors for another ending")
        .asException();
  }

  /** The one that has the ending of a file name, without {@code .gz}. */
  Optional<Registered<T>> ofEnding(String uncompressedName) {
    return registered.stream().filter(it -> it.spec().hasEndingOf(uncompressedName)).findFirst();
  }

  /** The one with a declaration. */
  Registered<T> get(FormatSpec spec) {
    return registered.stream()
        .filter(each -> each.spec().equals(spec))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("not of these: " + spec));
  }

  /** All, sorted by name. */
  ImmutableList<Registered<T>> all() {
    return registered;
  }

  /** All declarations, sorted by name. */
  ImmutableList<FormatSpec> specs() {
    return registered.stream().map(Registered::spec).collect(toImmutableList());
  }
}
