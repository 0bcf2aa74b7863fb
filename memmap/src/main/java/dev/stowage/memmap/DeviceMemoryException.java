package dev.stowage.memmap;

/** A device could not do with its memory what it was asked for; nothing has changed then. */
public final class DeviceMemoryException extends Exception {
  /**
   * An error of a device.
   *
   * @param message what could not be done and why, with numbers and units, without a full stop
   */
  public DeviceMemoryException(String message) {
    super(message);
  }

  /** An error of a device that came from another. */
  public DeviceMemoryException(String message, Throwable cause) {
    super(message, cause);
  }
}
