package dev.stowage.testkit;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A {@code .stow} file of a textual test: its lines, and the directives in its comments.
 *
 * @param name of the file, for messages
 * @param lines each with its line end, so that they make up the file byte for byte
 * @param runs in order, each with the expectations that follow it
 */
record StowFile(String name, ImmutableList<String> lines, ImmutableList<Run> runs) {
  private static final Pattern DIRECTIVE =
      Pattern.compile("(\\s*#\\s*)(RUN|CHECK(?:-[A-Z]+)*):(.*)", Pattern.DOTALL);

  /** A line with its end, or the last one without. */
  private static final Pattern LINE = Pattern.compile("[^\\n]*\\n|[^\\n]+");

  /** What an expectation says. */
  enum Kind {
    CHECK,
    CHECK_SAME,
    CHECK_NOT,
    CHECK_ERROR,
    CHECK_WARNING;

    /** As in files. */
    String word() {
      return name().replace('_', '-');
    }
  }

  /**
   * One expectation.
   *
   * @param line index of its line
   * @param indent what stands before the word in that line, such as {@code " # "}
   * @param text what is expected, blanks at its ends left out
   */
  record Expectation(Kind kind, int line, String indent, String text) {}

  /**
   * A pipeline to run on the program of the file.
   *
   * @param line index of its line
   * @param indent what stands before the word in that line
   * @param text the pipeline
   * @param expectations in order
   */
  record Run(int line, String indent, String text, ImmutableList<Expectation> expectations) {
    /** The expectations of one kind. */
    ImmutableList<Expectation> ofKind(Kind kind) {
      return expectations.stream()
          .filter(expectation -> expectation.kind() == kind)
          .collect(ImmutableList.toImmutableList());
    }
  }

  /**
   * Reads a file.
   *
   * @throws AssertionError if a directive is unknown or out of place, or there are none
   */
  static StowFile parse(String name, String content) {
    List<String> lines = new ArrayList<>();
    Matcher line = LINE.matcher(content);
    while (line.find()) {
      lines.add(line.group());
    }
    ImmutableList.Builder<Run> runs = ImmutableList.builder();
    Run open = null;
    ImmutableList.Builder<Expectation> expectations = ImmutableList.builder();
    for (int i = 0; i < lines.size(); i++) {
      Matcher directive = DIRECTIVE.matcher(lines.get(i));
      if (!directive.matches()) {
        continue;
      }
      String place = name + ":" + (i + 1);
      String text = directive.group(3).strip();
      if (text.isEmpty()) {
        throw new AssertionError(place + ": " + directive.group(2) + " says nothing");
      }
      if (directive.group(2).equals("RUN")) {
        if (open != null) {
          runs.add(closed(name, open, expectations.build()));
        }
        open = new Run(i, directive.group(1), text, ImmutableList.of());
        expectations = ImmutableList.builder();
      } else if (open == null) {
        throw new AssertionError(place + ": an expectation stands before the first RUN");
      } else {
        Kind kind = kind(place, directive.group(2));
        expectations.add(new Expectation(kind, i, directive.group(1), text));
      }
    }
    if (open == null) {
      throw new AssertionError(name + ": no line '# RUN: PIPELINE' says what to run");
    }
    runs.add(closed(name, open, expectations.build()));
    return new StowFile(name, ImmutableList.copyOf(lines), runs.build());
  }

  private static Kind kind(String place, String word) {
    for (Kind kind : Kind.values()) {
      if (kind.word().equals(word)) {
        return kind;
      }
    }
    throw new AssertionError(
        place
            + ": there is no "
            + word
            + ", only RUN, CHECK and CHECK-SAME, -NOT, -ERROR, -WARNING");
  }

  /** A run with its expectations, of which there may be none where they are to be written. */
  private static Run closed(String name, Run run, ImmutableList<Expectation> expectations) {
    int checks = 0;
    for (Expectation expectation : expectations) {
      if (expectation.kind() == Kind.CHECK_SAME && checks == 0) {
        throw new AssertionError(
            name + ":" + (expectation.line() + 1) + ": CHECK-SAME stands before the first CHECK");
      }
      checks += expectation.kind() == Kind.CHECK ? 1 : 0;
    }
    return new Run(run.line(), run.indent(), run.text(), expectations);
  }

  /** {@code FILE:LINE} of an index of a line. */
  String place(int line) {
    return name + ":" + (line + 1);
  }

  /** The file as it is. */
  String content() {
    return String.join("", lines);
  }
}
