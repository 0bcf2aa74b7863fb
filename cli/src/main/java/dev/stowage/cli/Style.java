package dev.stowage.cli;

/**
 * How parts of a text look; without colour each is as it was.
 *
 * @param colored true to write escape sequences
 */
record Style(boolean colored) {
  /** A heading. */
  String bold(String text) {
    return paint("1", text);
  }

  /** Something that went wrong. */
  String error(String text) {
    return paint("31", text);
  }

  /** Something to look at. */
  String warning(String text) {
    return paint("33", text);
  }

  /** Something that is as good as it should be. */
  String ok(String text) {
    return paint("32", text);
  }

  private String paint(String code, String text) {
    return colored && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
