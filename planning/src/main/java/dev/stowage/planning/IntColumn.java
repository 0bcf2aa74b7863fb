package dev.stowage.planning;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Ints by buffer; costs nothing while every value is the default. */
final class IntColumn {
  private final int defaultValue;
  private int @Nullable [] values;

  IntColumn(int defaultValue) {
    this.defaultValue = defaultValue;
  }

  void set(int index, int value) {
    int[] old = values;
    if (old == null) {
      if (value == defaultValue) {
        return;
      }
      old = new int[0];
    }
    if (index >= old.length) {
      int[] grown = Arrays.copyOf(old, Math.max(index + 1, old.length + (old.length >> 1)));
      Arrays.fill(grown, old.length, grown.length, defaultValue);
      old = grown;
    }
    old[index] = value;
    values = old;
  }

  int get(int index) {
    return values == null || index >= values.length ? defaultValue : values[index];
  }

  boolean isDefault() {
    return values == null;
  }

  int @Nullable [] toArray(int count) {
    if (values == null) {
      return null;
    }
    int[] all = Arrays.copyOf(values, count);
    if (values.length < count) {
      Arrays.fill(all, values.length, count, defaultValue);
    }
    return all;
  }
}
