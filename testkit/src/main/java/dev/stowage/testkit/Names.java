package dev.stowage.testkit;

import java.util.Locale;

/** Words for constants, as in text. */
final class Names {
  private Names() {}

  /** {@code pinned-arena} for {@code PINNED_ARENA}. */
  static String kebab(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
