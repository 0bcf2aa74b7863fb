package dev.stowage.base;

import static com.google.common.base.Preconditions.checkArgument;

import java.util.Comparator;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where bytes live: a type of device and which one of them.
 *
 * @param type upper case, such as {@code CPU} or {@code CUDA}
 * @param index from 0 on
 */
public record Device(String type, int index) implements Comparable<Device> {
  /** The host's memory. */
  public static final Device CPU = new Device("CPU", 0);

  private static final Pattern TEXT =
      Pattern.compile("\\s*([A-Za-z][A-Za-z0-9_]*)(?::([0-9]{1,9}))?\\s*");
  private static final Comparator<Device> ORDER =
      Comparator.comparing((Device device) -> !device.equals(CPU))
          .thenComparing(Device::type)
          .thenComparingInt(Device::index);

  /** Brings the type to upper case. */
  public Device {
    checkArgument(!type.isEmpty(), "a device has no type");
    checkArgument(index >= 0, "device index is negative: %s", index);
    type = type.toUpperCase(Locale.ROOT);
  }

  /**
   * Reads {@code type[:index]}, in any case, index 0 if left out.
   *
   * @throws IllegalArgumentException if the text is not of that form
   */
  public static Device parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    checkArgument(matcher.matches(), "not a device (type or type:index): %s", text);
    String index = matcher.group(2);
    return new Device(matcher.group(1), index == null ? 0 : Integer.parseInt(index));
  }

  /** True for the host's memory. */
  public boolean isCpu() {
    return equals(CPU);
  }

  /** CPU:0 first, then by type and index. */
  @Override
  public int compareTo(Device other) {
    return ORDER.compare(this, other);
  }

  /** {@code cpu}, or {@code cuda:0}. */
  @Override
  public String toString() {
    return isCpu() ? "cpu" : type.toLowerCase(Locale.ROOT) + ":" + index;
  }
}
