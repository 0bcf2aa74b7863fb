package dev.stowage.passes.instrument;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.algorithm.myers.MyersDiffWithLinearSpace;
import com.github.difflib.patch.Patch;
import dev.stowage.base.Message;
import java.util.List;

/** What is different between two texts. */
final class TextDiff {
  private static final int CONTEXT_LINES = 2;

  /** The search takes time by lines times differences: seconds at this many lines. */
  private static final int MOST_LINES = 20_000;

  private TextDiff() {}

  /** The changes in the unified form of {@code diff -u}, without its two head lines. */
  static String unified(List<String> old, List<String> now) {
    int same = 0;
    while (same < Math.min(old.size(), now.size()) && old.get(same).equals(now.get(same))) {
      same++;
    }
    int tail = 0;
    while (tail < Math.min(old.size(), now.size()) - same
        && old.get(old.size() - 1 - tail).equals(now.get(now.size() - 1 - tail))) {
      tail++;
    }
    if (Math.max(old.size(), now.size()) - same - tail > MOST_LINES) {
      return Message.format(
          "# more than %,d lines are not the same; --print-ir-after shows all of them\n",
          MOST_LINES);
    }
    Patch<String> patch = DiffUtils.diff(old, now, new MyersDiffWithLinearSpace<>(String::equals));
    List<String> lines = UnifiedDiffUtils.generateUnifiedDiff("", "", old, patch, CONTEXT_LINES);
    // The first two name the files.
    return deletionsFirst(lines.subList(Math.min(2, lines.size()), lines.size()));
  }

  /** The same changes; the algorithm puts what is new before what it stands for. */
  private static String deletionsFirst(List<String> lines) {
    StringBuilder text = new StringBuilder();
    StringBuilder added = new StringBuilder();
    for (String line : lines) {
      if (line.startsWith("+")) {
        added.append(line).append('\n');
        continue;
      }
      if (!line.startsWith("-")) {
        text.append(added);
        added.setLength(0);
      }
      text.append(line).append('\n');
    }
    return text.append(added).toString();
  }
}
