package dev.stowage.planning;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Longs by buffer; costs nothing while every value is the default. */
final class LongColumn {
  private final long defaultValue;
  private long @Nullable [] values;

  LongColumn(long defaultValue) {
    this.defaultValue = defaultValue;
  }

  void set(int index, long value) {
    long[] old = values;
    if (old == null) {
      if (value == defaultValue) {
        return;
      }
      old = new long[0];
    }
    if (index >= old.length) {
      long[] grown = Arrays.copyOf(old, Math.max(index + 1, old.length + (old.length >> 1)));
      Arrays.fill(grown, old.length, grown.length, defaultValue);
      old = grown;
    }
    old[index] = value;
    values = old;
  }

  long get(int index) {
    return values == null || index >= values.length ? defaultValue : values[index];
  }

  long @Nullable [] toArray(int count) {
    if (values == null) {
      return null;
    }
    long[] all = Arrays.copyOf(values, count);
    if (values.length < count) {
      Arrays.fill(all, values.length, count, defaultValue);
    }
    return all;
  }
}
