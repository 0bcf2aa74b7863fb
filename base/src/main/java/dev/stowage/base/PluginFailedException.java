package dev.stowage.base;

import java.security.CodeSource;

/** A strategy, pass or other plug-in threw an exception: a defect of it, not of the input. */
public final class PluginFailedException extends RuntimeException {
  private final boolean ours;

  /**
   * Names the plug-in and the file that it came from.
   *
   * @param what the word for it, such as {@code strategy}
   * @param name what it is registered as
   * @param type its class
   */
  public PluginFailedException(String what, String name, Class<?> type, Throwable cause) {
    super(Message.format("%s '%s' from %s failed: %s", what, name, origin(type), cause), cause);
    ours = type.getName().startsWith("dev.stowage.");
  }

  /**
   * Tells of a plug-in whose classes cannot be loaded.
   *
   * @param jar as the user named it; empty for what is installed
   */
  public PluginFailedException(String jar, Throwable cause) {
    super(
        (jar.isEmpty() ? "an installed plug-in" : "the plug-in " + jar)
            + " cannot be loaded: "
            + describe(cause),
        cause);
    ours = false;
  }

  /** The messages of an error and of what it came from, each once. */
  private static String describe(Throwable error) {
    StringBuilder text = new StringBuilder(String.valueOf(error.getMessage()));
    for (Throwable cause = error.getCause(); cause != null; cause = cause.getCause()) {
      text.append(": ").append(cause);
    }
    return text.toString();
  }

  /** True if it is one that comes with Stowage. */
  public boolean isOurs() {
    return ours;
  }

  /** The file that a class came from, or its module where there is none. */
  public static String origin(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    return source == null ? type.getModule().toString() : source.getLocation().getPath();
  }
}
