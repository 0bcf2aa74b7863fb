package dev.stowage.passes.memory;

import dev.stowage.base.OptionType;

/**
 * A pattern for names: {@code *} stands for any run of characters, also none, and everything else
 * for itself.
 */
record Glob(String pattern) {
  /** An option that is a pattern. */
  static final OptionType<Glob> TYPE = OptionType.of("PATTERN", Glob::new, Glob::pattern);

  /** True if only one name matches, the pattern itself. */
  boolean isExact() {
    return pattern.indexOf('*') < 0;
  }

  /** True if the whole name matches, in time of the product of both lengths at most. */
  boolean matches(String name) {
    int at = 0;
    int in = 0;
    int star = -1;
    int resumeAt = 0;
    while (at < name.length()) {
      if (in < pattern.length() && pattern.charAt(in) == '*') {
        star = in++;
        resumeAt = at;
      } else if (in < pattern.length() && pattern.charAt(in) == name.charAt(at)) {
        in++;
        at++;
      } else if (star >= 0) {
        // The last star takes one character more; what stood before it need not be tried again.
        in = star + 1;
        at = ++resumeAt;
      } else {
        return false;
      }
    }
    while (in < pattern.length() && pattern.charAt(in) == '*') {
      in++;
    }
    return in == pattern.length();
  }

  @Override
  public String toString() {
    return pattern;
  }
}
