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

  /** True if it is one that comes with Stowage. */
  public boolean isOurs() {
    return ours;
  }

  private static String origin(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    return source == null ? type.getModule().toString() : source.getLocation().getPath();
  }
}
