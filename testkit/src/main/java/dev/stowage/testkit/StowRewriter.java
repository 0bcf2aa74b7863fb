package dev.stowage.testkit;

import com.google.common.collect.ImmutableList;
import dev.stowage.testkit.StowFile.Expectation;
import dev.stowage.testkit.StowFile.Kind;
import dev.stowage.testkit.StowFile.Run;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes the expectations of a file anew from what its pipelines made: a {@code CHECK} for each
 * line of methods, a {@code CHECK-ERROR} for each error. They stand where the first expectation of
 * their run stood, or behind the {@code RUN}. A {@code CHECK-NOT} is kept, behind the line that the
 * {@code CHECK} before it matched. {@code CHECK-WARNING}s are written where there were some. All
 * other lines stay as they are.
 */
final class StowRewriter {
  /** What a message says behind its place. */
  private static final Pattern MESSAGE = Pattern.compile("(error|warning)\\[[^\\n]*");

  private final StowFile file;
  private final UnaryOperator<String> expand;
  private final UnaryOperator<String> fold;

  private StowRewriter(StowFile file, UnaryOperator<String> expand, UnaryOperator<String> fold) {
    this.file = file;
    this.expand = expand;
    this.fold = fold;
  }

  /**
   * The content of the file with new expectations.
   *
   * @param outputs one for each run
   * @param expand puts in what stands for something else in expectations
   * @param fold puts what stands for something else in the place of it
   */
  static String rewrite(
      StowFile file,
      ImmutableList<StowOutput> outputs,
      UnaryOperator<String> expand,
      UnaryOperator<String> fold) {
    return new StowRewriter(file, expand, fold).rewrite(outputs);
  }

  private String rewrite(ImmutableList<StowOutput> outputs) {
    Set<Integer> removed = new HashSet<>();
    Map<Integer, List<String>> behind = new HashMap<>();
    for (int i = 0; i < outputs.size(); i++) {
      Run run = file.runs().get(i);
      run.expectations().forEach(expectation -> removed.add(expectation.line()));
      int anchor = run.expectations().isEmpty() ? run.line() : run.expectations().get(0).line();
      behind.put(anchor, expectations(run, outputs.get(i)));
    }
    StringBuilder content = new StringBuilder();
    for (int line = 0; line < file.lines().size(); line++) {
      if (!removed.contains(line)) {
        content.append(file.lines().get(line));
      }
      for (String written : behind.getOrDefault(line, List.of())) {
        if (content.length() > 0 && content.charAt(content.length() - 1) != '\n') {
          content.append(lineEnd());
        }
        content.append(written).append(lineEnd());
      }
    }
    return content.toString();
  }

  private String lineEnd() {
    return file.lines().get(0).endsWith("\r\n") ? "\r\n" : "\n";
  }

  private List<String> expectations(Run run, StowOutput output) {
    String indent =
        run.expectations().isEmpty() ? run.indent() : run.expectations().get(0).indent();
    List<String> written = new ArrayList<>();
    for (String error : output.errors()) {
      written.add(line(indent, Kind.CHECK_ERROR, message(error)));
    }
    if (!run.ofKind(Kind.CHECK_WARNING).isEmpty()) {
      for (String warning : output.warnings()) {
        written.add(line(indent, Kind.CHECK_WARNING, message(warning)));
      }
    }
    addChecks(run, indent, output, written);
    return written;
  }

  private void addChecks(Run run, String indent, StowOutput output, List<String> written) {
    ImmutableList<String> lines = output.text().lines().collect(ImmutableList.toImmutableList());
    Map<Integer, List<Expectation>> absent = absentBehind(run, lines);
    absent.getOrDefault(-1, List.of()).forEach(it -> written.add(asItIs(it)));
    for (int i = 0; i < lines.size(); i++) {
      if (isTelling(lines.get(i))) {
        written.add(line(indent, Kind.CHECK, lines.get(i).stripTrailing()));
      }
      absent.getOrDefault(i, List.of()).forEach(it -> written.add(asItIs(it)));
    }
  }

  private String asItIs(Expectation expectation) {
    return file.lines().get(expectation.line()).stripTrailing();
  }

  /** The CHECK-NOTs by the line that the CHECK before them matches, -1 where there is none. */
  private Map<Integer, List<Expectation>> absentBehind(Run run, ImmutableList<String> lines) {
    Map<Integer, List<Expectation>> absent = new HashMap<>();
    int last = -1;
    for (Expectation expectation : run.expectations()) {
      if (expectation.kind() == Kind.CHECK_NOT) {
        absent.computeIfAbsent(last, line -> new ArrayList<>()).add(expectation);
      } else if (expectation.kind() == Kind.CHECK) {
        String wanted = StowMatcher.plain(expand.apply(expectation.text()));
        for (int line = last + 1; line < lines.size(); line++) {
          if (StowMatcher.plain(lines.get(line)).contains(wanted)) {
            last = line;
            break;
          }
        }
      }
    }
    return absent;
  }

  private static boolean isTelling(String line) {
    String plain = line.strip();
    return !plain.isEmpty() && !plain.equals("}") && !plain.startsWith("program ");
  }

  private static String message(String rendered) {
    Matcher message = MESSAGE.matcher(rendered);
    return message.find() ? message.group() : rendered.lines().findFirst().orElse("");
  }

  private String line(String indent, Kind kind, String text) {
    return indent + kind.word() + ": " + fold.apply(text);
  }
}
