package dev.stowage.testkit;

import com.google.common.base.CharMatcher;
import com.google.common.collect.ImmutableList;
import dev.stowage.testkit.StowFile.Expectation;
import dev.stowage.testkit.StowFile.Kind;
import dev.stowage.testkit.StowFile.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Compares what a pipeline made of a program with what a file expects, as LLVM's FileCheck does:
 *
 * <ul>
 *   <li>{@code CHECK} stands in a line after that of the last match, the first where it does;
 *   <li>{@code CHECK-SAME} stands further on in the line of the last match;
 *   <li>{@code CHECK-NOT} stands nowhere between the matches before and after it;
 *   <li>{@code CHECK-ERROR} and {@code CHECK-WARNING} are part of an error and of a warning, and
 *       each error is expected.
 * </ul>
 *
 * <p>All runs of blanks are equal.
 */
final class StowMatcher {
  private final StowFile file;
  private final Run run;
  private final ImmutableList<String> lines;
  private final StowOutput output;
  private final UnaryOperator<String> expand;

  /** Expectations of something that is not there, since the last match. */
  private final List<Expectation> pending = new ArrayList<>();

  /** Where the last match was; before the first line at the beginning. */
  private int lastLine = -1;

  private int lastEnd;

  private StowMatcher(StowFile file, Run run, StowOutput output, UnaryOperator<String> expand) {
    this.file = file;
    this.run = run;
    this.output = output;
    this.expand = expand;
    lines = output.text().lines().map(StowMatcher::plain).collect(ImmutableList.toImmutableList());
  }

  /**
   * Compares.
   *
   * @param expand puts in what stands for something else in expectations
   * @throws AssertionError for the first expectation that is not met, with the output
   */
  static void match(StowFile file, Run run, StowOutput output, UnaryOperator<String> expand) {
    if (run.expectations().isEmpty()) {
      throw new AssertionError(
          file.place(run.line())
              + ": nothing is expected of this RUN: write CHECK lines, or have them written with -D"
              + Golden.UPDATE
              + "=true");
    }
    new StowMatcher(file, run, output, expand).match();
  }

  /** A text in which all runs of blanks are one, and there are none at the ends. */
  static String plain(String text) {
    return CharMatcher.whitespace().trimAndCollapseFrom(text, ' ');
  }

  private void match() {
    matchErrors();
    for (Expectation expectation : run.expectations()) {
      switch (expectation.kind()) {
        case CHECK -> check(expectation);
        case CHECK_SAME -> checkSame(expectation);
        case CHECK_NOT -> pending.add(expectation);
        case CHECK_ERROR, CHECK_WARNING -> {}
      }
    }
    checkAbsent(lines.size(), 0);
  }

  private void matchErrors() {
    ImmutableList<String> errors =
        output.errors().stream().map(StowMatcher::plain).collect(ImmutableList.toImmutableList());
    ImmutableList<String> warnings =
        output.warnings().stream().map(StowMatcher::plain).collect(ImmutableList.toImmutableList());
    for (Expectation wanted : run.ofKind(Kind.CHECK_ERROR)) {
      if (errors.stream().noneMatch(error -> error.contains(text(wanted)))) {
        throw failure(wanted, errors.isEmpty() ? "there was no error" : "no error says so");
      }
    }
    for (Expectation wanted : run.ofKind(Kind.CHECK_WARNING)) {
      if (warnings.stream().noneMatch(warning -> warning.contains(text(wanted)))) {
        throw failure(wanted, warnings.isEmpty() ? "there was no warning" : "no warning says so");
      }
    }
    for (int i = 0; i < errors.size(); i++) {
      String error = errors.get(i);
      if (run.ofKind(Kind.CHECK_ERROR).stream().noneMatch(it -> error.contains(text(it)))) {
        throw new AssertionError(
            file.place(run.line())
                + ": RUN: "
                + run.text()
                + "\n  an error that no CHECK-ERROR expects:\n"
                + output.errors().get(i).indent(4)
                + shown());
      }
    }
  }

  private void check(Expectation expectation) {
    String wanted = text(expectation);
    for (int line = lastLine + 1; line < lines.size(); line++) {
      int column = lines.get(line).indexOf(wanted);
      if (column >= 0) {
        found(line, column, wanted);
        return;
      }
    }
    throw failure(
        expectation,
        lastLine + 1 >= lines.size()
            ? "not found: the last match was in the last line"
            : "not found from line " + (lastLine + 2) + " on");
  }

  private void checkSame(Expectation expectation) {
    String wanted = text(expectation);
    int column = lines.get(lastLine).indexOf(wanted, lastEnd);
    if (column < 0) {
      throw failure(
          expectation,
          "not found in the rest of line "
              + (lastLine + 1)
              + ": '"
              + lines.get(lastLine).substring(lastEnd)
              + "'");
    }
    found(lastLine, column, wanted);
  }

  private void found(int line, int column, String wanted) {
    checkAbsent(line, column);
    lastLine = line;
    lastEnd = column + wanted.length();
  }

  /** Nothing of what must not be there is between the last match and the next. */
  private void checkAbsent(int line, int column) {
    for (Expectation unwanted : pending) {
      for (int i = Math.max(0, lastLine); i <= Math.min(line, lines.size() - 1); i++) {
        String searched = lines.get(i);
        int from = i == lastLine ? lastEnd : 0;
        int to = i == line ? column : searched.length();
        if (from <= to && searched.substring(from, to).contains(text(unwanted))) {
          throw failure(unwanted, "found in line " + (i + 1) + ": '" + searched + "'");
        }
      }
    }
    pending.clear();
  }

  private String text(Expectation expectation) {
    return plain(expand.apply(expectation.text()));
  }

  private AssertionError failure(Expectation expectation, String why) {
    return new AssertionError(
        file.place(expectation.line())
            + ": "
            + expectation.kind().word()
            + ": "
            + expectation.text()
            + "\n  "
            + why
            + "\n  of RUN: "
            + run.text()
            + " (line "
            + (run.line() + 1)
            + ")\n"
            + shown());
  }

  /** The whole output, with the numbers of its lines. */
  private String shown() {
    StringBuilder shown = new StringBuilder("  the output:\n");
    int number = 1;
    for (String line : output.text().lines().toList()) {
      shown.append(number == lastLine + 1 ? "  > " : "    ").append(number).append(": ");
      shown.append(line).append('\n');
      number++;
    }
    output.errors().forEach(error -> shown.append(error.indent(4)));
    output.warnings().forEach(warning -> shown.append(warning.indent(4)));
    return shown.toString();
  }
}
