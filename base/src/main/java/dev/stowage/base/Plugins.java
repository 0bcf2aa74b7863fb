package dev.stowage.base;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/**
 * Where passes, strategies and other extensions come from: the class path and module path, and jars
 * that the user names. Each such jar has a class loader of its own, below Stowage's, so that two
 * may bring other versions of one library; what it needs beside it, the {@code Class-Path} of its
 * manifest names.
 *
 * <p>A jar says in its manifest for which version of the interfaces it was built, {@code
 * Stowage-Api: 1}, which is checked before any of its classes is loaded.
 */
public final class Plugins implements AutoCloseable {
  /** The major version of the interfaces that plug-ins implement. */
  public static final int API = 1;

  /** The attribute of a jar's manifest that names the version that it was built for. */
  public static final String API_ATTRIBUTE = "Stowage-Api";

  /** What is on the class path and module path, and nothing else. */
  public static final Plugins NONE = new Plugins(ImmutableList.of());

  private static final String SERVICES = "META-INF/services/";
  private static final String OURS = "dev.stowage.";

  private final ImmutableList<Jar> jars;

  private Plugins(ImmutableList<Jar> jars) {
    this.jars = jars;
  }

  private record Jar(String name, URLClassLoader loader) {}

  /**
   * Opens jars. A jar that is named twice is opened once.
   *
   * @param files as the user named them
   * @param services names of the interfaces that a plug-in may provide
   * @throws DiagnosticException of kind {@code input-unreadable} or {@code plugin-*}, for the first
   *     jar that is not fit for use; none stays open then
   */
  public static Plugins open(Iterable<String> files, ImmutableSet<String> services) {
    Map<Path, String> nameByPath = new LinkedHashMap<>();
    for (String file : files) {
      nameByPath.putIfAbsent(find(file), file);
    }
    // All are checked before a class of any is loaded.
    nameByPath.forEach((path, name) -> check(path, name, services));
    return new Plugins(
        nameByPath.entrySet().stream()
            .map(each -> new Jar(each.getValue(), loader(each.getKey())))
            .collect(ImmutableList.toImmutableList()));
  }

  private static URLClassLoader loader(Path path) {
    try {
      return new URLClassLoader(new URL[] {path.toUri().toURL()}, Plugins.class.getClassLoader());
    } catch (MalformedURLException e) {
      throw new UncheckedIOException(e); // every path of a file has a URL
    }
  }

  /** The jars, as the user named them. */
  public ImmutableList<String> files() {
    return jars.stream().map(Jar::name).collect(ImmutableList.toImmutableList());
  }

  /**
   * Everything that is provided of one interface: what is installed, then jar after jar.
   *
   * @param load calls {@link ServiceLoader#load(Class, ClassLoader)} for the interface, in the
   *     module that {@code uses} it
   * @throws PluginFailedException if a provider cannot be made
   */
  public <T> ImmutableList<T> providers(Function<ClassLoader, ServiceLoader<T>> load) {
    ImmutableList.Builder<T> providers = ImmutableList.builder();
    add(load.apply(Plugins.class.getClassLoader()), null, providers);
    for (Jar jar : jars) {
      add(load.apply(jar.loader), jar, providers);
    }
    return providers.build();
  }

  /**
   * Adds the providers that a loader finds.
   *
   * @param jar where to look; null for everything that is installed
   */
  @SuppressWarnings("ReferenceEquality") // loaders are compared by identity
  private static <T> void add(
      ServiceLoader<T> loader, @Nullable Jar jar, ImmutableList.Builder<T> providers) {
    Iterator<ServiceLoader.Provider<T>> found = loader.stream().iterator();
    for (var next = next(found, jar); next.isPresent(); next = next(found, jar)) {
      ServiceLoader.Provider<T> provider = next.get();
      // A jar's loader also finds what is installed.
      if (jar == null || provider.type().getClassLoader() == jar.loader) {
        providers.add(make(provider));
      }
    }
  }

  /** Finds the next class; this loads it, which fails where it or what it needs is not there. */
  private static <T> Optional<ServiceLoader.Provider<T>> next(
      Iterator<ServiceLoader.Provider<T>> found, @Nullable Jar jar) {
    try {
      return found.hasNext() ? Optional.of(found.next()) : Optional.empty();
    } catch (ServiceConfigurationError | LinkageError | SecurityException e) {
      throw PluginFailedException.cannotLoad(jar == null ? "" : jar.name, e);
    }
  }

  /** Makes an instance, for which code of the plug-in runs for the first time. */
  private static <T> T make(ServiceLoader.Provider<T> provider) {
    try {
      return provider.get();
    } catch (ServiceConfigurationError | LinkageError e) {
      throw PluginFailedException.cannotLoad(provider.type(), e);
    }
  }

  /** The file itself, whichever way to it the user named. */
  private static Path find(String file) {
    try {
      Path path = Path.of(file);
      if (Files.isDirectory(path)) {
        throw unreadable(file, "is a directory, not a jar");
      }
      if (!Files.isReadable(path)) {
        throw unreadable(
            file, Files.exists(path) ? "may not be read: permission denied" : "does not exist");
      }
      return path.toRealPath();
    } catch (InvalidPathException e) {
      throw unreadable(file, "is no valid file name: " + e.getReason());
    } catch (IOException e) {
      throw unreadable(file, "cannot be read: " + Message.reason(e));
    }
  }

  private static DiagnosticException unreadable(String file, String why) {
    return Diagnostic.of(Kinds.INPUT_UNREADABLE, Location.of(file), "'" + file + "' " + why)
        .help("give the jar of a plug-in")
        .asException();
  }

  private static void check(Path path, String file, ImmutableSet<String> services) {
    try (JarFile jar = new JarFile(path.toFile())) {
      checkVersion(file, jar.getManifest());
      ImmutableSet<String> provided =
          jar.stream()
              .filter(entry -> !entry.isDirectory())
              .map(entry -> entry.getName())
              .filter(name -> name.startsWith(SERVICES + OURS))
              .map(name -> name.substring(SERVICES.length()))
              .collect(ImmutableSet.toImmutableSet());
      checkServices(file, provided, services);
    } catch (IOException | SecurityException e) {
      throw Diagnostic.of(
              Kinds.PLUGIN_NOT_A_JAR,
              Location.of(file),
              "this is no jar file: " + Message.reason(e))
          .help("give the jar of a plug-in")
          .asException();
    }
  }

  private static void checkVersion(String file, @Nullable Manifest manifest) {
    String version = manifest == null ? null : manifest.getMainAttributes().getValue(API_ATTRIBUTE);
    String help = "its authors must build it for this version, and say so in its manifest";
    if (version == null) {
      throw Diagnostic.of(
              Kinds.PLUGIN_API,
              Location.of(file),
              "the manifest has no line '" + API_ATTRIBUTE + ": " + API + "'")
          .help(help)
          .asException();
    }
    if (!version.strip().equals(String.valueOf(API))) {
      throw Diagnostic.of(
              Kinds.PLUGIN_API,
              Location.of(file),
              "the plug-in is for version "
                  + version.strip()
                  + " of the plug-in interfaces, and this is version "
                  + API)
          .help(help)
          .asException();
    }
  }

  private static void checkServices(
      String file, ImmutableSet<String> provided, ImmutableSet<String> services) {
    if (provided.isEmpty()) {
      throw Diagnostic.of(
              Kinds.PLUGIN_SERVICES,
              Location.of(file),
              "the plug-in provides nothing: it has no file " + SERVICES + OURS + "*")
          .help("such a file lists the classes; there are " + String.join(", ", services))
          .asException();
    }
    for (String service : provided) {
      if (!services.contains(service)) {
        throw Diagnostic.of(
                Kinds.PLUGIN_SERVICES,
                Location.of(file),
                "the plug-in provides '" + service + "', which nobody uses")
            .help(Suggestions.help(service, services))
            .asException();
      }
    }
  }

  @Override
  public void close() {
    for (Jar jar : jars) {
      try {
        jar.loader.close();
      } catch (IOException e) {
        // It was only read, and nobody waits for it.
      }
    }
  }
}
