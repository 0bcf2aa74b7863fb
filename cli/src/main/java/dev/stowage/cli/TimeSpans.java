package dev.stowage.cli;

import com.google.common.collect.ImmutableMap;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads lengths of time, such as {@code 500ms}, {@code 2.5s}, {@code 3min}; without a unit seconds.
 */
final class TimeSpans {
  private static final Pattern TEXT =
      Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,9})?)\\s*([A-Za-z]*)");
  private static final ImmutableMap<String, Long> NANOS =
      ImmutableMap.of(
          "ms",
          1_000_000L,
          "s",
          1_000_000_000L,
          "",
          1_000_000_000L,
          "min",
          60_000_000_000L,
          "h",
          3_600_000_000_000L);

  private TimeSpans() {}

  /**
   * The length of time that the value of an option states.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code option-value} if it states none
   */
  static Duration parse(String option, String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    Long unit = matcher.matches() ? NANOS.get(matcher.group(2)) : null;
    if (unit == null) {
      throw Command.badValue(
          option,
          text,
          "is no length of time",
          "give a number with a unit of ms, s, min or h, such as 2.5s");
    }
    BigDecimal nanos = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit));
    return Duration.ofNanos(nanos.longValue());
  }
}
