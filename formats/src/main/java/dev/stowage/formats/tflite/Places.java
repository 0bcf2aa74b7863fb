package dev.stowage.formats.tflite;

import com.google.common.base.Ascii;
import com.google.common.base.CharMatcher;

/** How messages name a place in a model. */
final class Places {
  private static final int NAME_LENGTH = 80;

  private Places() {}

  /** {@code tensor 3 (conv1)}; a name from a file may be long or hold anything. */
  static String named(String what, int index, String name) {
    return name.isEmpty()
        ? what + " " + index
        : what
            + " "
            + index
            + " ("
            + Ascii.truncate(
                CharMatcher.javaIsoControl().replaceFrom(name, '?'), NAME_LENGTH, "...")
            + ")";
  }
}
