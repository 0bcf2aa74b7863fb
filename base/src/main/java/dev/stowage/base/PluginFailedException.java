package dev.stowage.base;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ServiceConfigurationError;

/** A strategy, pass or other plug-in threw an exception: a defect of it, not of the input. */
public final class PluginFailedException extends RuntimeException {
  /** How many causes of a failure to load a message tells of; beyond that it is a circle. */
  private static final int MAX_CAUSES = 5;

  private final boolean ours;

  /**
   * Names the plug-in and the file that it came from.
   *
   * @param what the word for it, such as {@code strategy}
   * @param name what it is registered as
   * @param type its class
   */
  public PluginFailedException(String what, String name, Class<?> type, Throwable cause) {
    this(
        Message.format(
            "%s '%s' from %s failed: %s", what, name, origin(type), Message.describe(cause)),
        isOurs(type),
        cause);
  }

  private PluginFailedException(String message, boolean ours, Throwable cause) {
    super(message, cause);
    this.ours = ours;
  }

  /** Something of a plug-in to run, which may fail with an exception of its own. */
  public interface Action<T, X extends Exception> {
    /** Runs it. */
    T run() throws X;
  }

  /**
   * Runs something of a plug-in. Whatever it throws is its failure, also that memory is exhausted,
   * but for the exception that it declares, and for a {@link DiagnosticException}, by which it says
   * what is wrong with the input; a note then tells who says so, unless it comes with Stowage.
   *
   * @param what the word for it, such as {@code strategy}
   * @param name what it is registered as
   * @param type its class
   * @throws PluginFailedException if it fails
   */
  @CanIgnoreReturnValue
  public static <T, X extends Exception> T guard(
      String what, String name, Class<?> type, Action<T, X> action) throws X {
    try {
      return action.run();
    } catch (PluginFailedException e) {
      throw e;
    } catch (DiagnosticException e) {
      throw isOurs(type)
          ? e
          : e.diagnostic().note("reported by " + title(what, name, type)).asException();
    } catch (RuntimeException | Error e) {
      throw new PluginFailedException(what, name, type, e);
    }
  }

  /**
   * What a message calls something: {@code pass 'plan'}, and {@code pass 'acme-pin' from acme.jar}
   * where it does not come with Stowage.
   *
   * @param what the word for it, such as {@code strategy}
   * @param name what it is registered as
   * @param type its class
   */
  public static String title(String what, String name, Class<?> type) {
    String title = what + " '" + name + "'";
    return isOurs(type) ? title : title + " from " + origin(type);
  }

  /** The failure of a class of which no instance can be made. */
  static PluginFailedException cannotLoad(Class<?> type, Throwable cause) {
    return new PluginFailedException(
        "the plug-in " + origin(type) + " cannot be loaded: " + describe(cause),
        isOurs(type),
        cause);
  }

  /**
   * The failure of classes that cannot even be found.
   *
   * @param jar as the user named it; empty for what is installed
   */
  static PluginFailedException cannotLoad(String jar, Throwable cause) {
    return new PluginFailedException(
        (jar.isEmpty() ? "an installed plug-in" : "the plug-in " + jar)
            + " cannot be loaded: "
            + describe(cause),
        /* ours= */ false,
        cause);
  }

  /** What went wrong, and what that came from. */
  private static String describe(Throwable error) {
    // ServiceLoader's own name says nothing; that of any other error is half of what it says.
    StringBuilder text =
        new StringBuilder(
            error instanceof ServiceConfigurationError
                ? Message.reason(error)
                : Message.describe(error));
    Throwable cause = error.getCause();
    for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
      text.append(": ").append(Message.describe(cause));
      cause = cause.getCause();
    }
    return text.toString();
  }

  /** True if it is one that comes with Stowage. */
  public boolean isOurs() {
    return ours;
  }

  /** A plug-in's class may have a name like ours, but not our loader. */
  @SuppressWarnings("ReferenceEquality") // loaders are compared by identity
  private static boolean isOurs(Class<?> type) {
    return type.getName().startsWith("dev.stowage.")
        && type.getClassLoader() == PluginFailedException.class.getClassLoader();
  }

  /** The file that a class came from, or its module where there is none. */
  public static String origin(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return type.getModule().toString();
    }
    URL location = source.getLocation();
    try {
      URI uri = location.toURI();
      return "file".equals(uri.getScheme()) ? Path.of(uri).toString() : location.toString();
    } catch (URISyntaxException | IllegalArgumentException e) {
      return location.toString();
    }
  }
}
