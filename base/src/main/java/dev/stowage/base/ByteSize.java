package dev.stowage.base;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes numbers of bytes. */
public final class ByteSize {
  private static final Pattern TEXT =
      Pattern.compile("\\s*([0-9]{1,19}(?:\\.[0-9]{1,9})?)\\s*([A-Za-z]*)\\s*");
  private static final ImmutableMap<String, Long> UNITS =
      ImmutableMap.<String, Long>builder()
          .put("", 1L)
          .put("b", 1L)
          .put("kib", 1L << 10)
          .put("mib", 1L << 20)
          .put("gib", 1L << 30)
          .put("tib", 1L << 40)
          .put("kb", 1_000L)
          .put("mb", 1_000_000L)
          .put("gb", 1_000_000_000L)
          .put("tb", 1_000_000_000_000L)
          .buildOrThrow();

  /** Binary units, the largest first. */
  private static final ImmutableList<String> COMPACT_UNITS =
      ImmutableList.of("TiB", "GiB", "MiB", "KiB");

  private ByteSize() {}

  /**
   * Reads {@code 4096}, {@code 4KiB} or {@code "128 KiB"}; kB, MB, GB and TB are powers of ten.
   *
   * @throws IllegalArgumentException if the text is no size, no whole number of bytes, or above
   *     2^63 - 1
   */
  public static long parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    checkArgument(matcher.matches(), "not a size in bytes: '%s'", text);
    Long unit = UNITS.get(matcher.group(2).toLowerCase(Locale.ROOT));
    checkArgument(
        unit != null,
        "unknown unit '%s' (one of B, KiB, MiB, GiB, TiB, kB, MB, GB, TB)",
        matcher.group(2));
    BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit));
    try {
      return bytes.longValueExact();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "'" + text.strip() + "' is no whole number of bytes below 2^63", e);
    }
  }

  /** {@code 1,234}: the exact number, digits grouped. */
  public static String exact(long bytes) {
    return String.format(Locale.ROOT, "%,d", bytes);
  }

  /** {@code 4KiB}: the exact number, in the largest binary unit that divides it. */
  public static String compact(long bytes) {
    for (String unit : COMPACT_UNITS) {
      long size = Objects.requireNonNull(UNITS.get(unit.toLowerCase(Locale.ROOT)));
      if (bytes != 0 && bytes % size == 0) {
        return bytes / size + unit;
      }
    }
    return String.valueOf(bytes);
  }

  /** {@code 54.0 KiB}: for people, three or four digits; below 1 KiB the exact number with B. */
  public static String rounded(long bytes) {
    if (bytes < 1024) {
      return bytes + " B";
    }
    double value = bytes;
    String[] units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = -1;
    do {
      value /= 1024;
      unit++;
    } while (value >= 1023.95 && unit < units.length - 1);
    return String.format(Locale.ROOT, "%.1f %s", value, units[unit]);
  }
}
