package dev.stowage.cli;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Message;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.RatedFinding;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Findings of the verifiers as text. */
final class Findings {
  /** How many are shown unless all are asked for. */
  private static final int SHOWN = 20;

  private final Style style;
  private final boolean all;

  /**
   * A way to show them.
   *
   * @param all true to show each with everything that is known of it
   */
  Findings(Style style, boolean all) {
    this.style = style;
    this.all = all;
  }

  /**
   * Writes a paragraph for each, errors first, as many as are to be shown.
   *
   * @param subjects true to tell of each tensor where it lies and when it lives
   */
  void appendTo(StringBuilder text, ImmutableList<RatedFinding> findings, boolean subjects) {
    ImmutableList<RatedFinding> sorted =
        ImmutableList.sortedCopyOf((a, b) -> Boolean.compare(b.isError(), a.isError()), findings);
    int shown = all ? sorted.size() : Math.min(SHOWN, sorted.size());
    for (RatedFinding rated : sorted.subList(0, shown)) {
      append(text, rated, subjects || all);
    }
    if (shown < sorted.size()) {
      text.append("  ... and ")
          .append(Text.number(sorted.size() - shown))
          .append(" more; -v shows all\n");
    }
  }

  private void append(StringBuilder text, RatedFinding rated, boolean subjects) {
    Finding finding = rated.finding();
    String word = rated.severity() + "[" + finding.kind() + "]";
    String plain = String.join("\n", Text.wrap(2, 4, word + ": " + finding.message()));
    text.append(
            plain.replaceFirst(
                Pattern.quote(word),
                Matcher.quoteReplacement(
                    rated.isError() ? style.error(word) : style.warning(word))))
        .append('\n');
    if (subjects) {
      for (Finding.Subject subject : finding.subjects()) {
        append(text, subject);
      }
    }
  }

  private static void append(StringBuilder text, Finding.Subject subject) {
    String place =
        subject.memId() < 0
            ? "  no place"
            : Message.format(
                "  mem_id %d [%,d, %,d)", subject.memId(), subject.fromBytes(), subject.toBytes());
    String where = place + Message.format("  live %d..%d", subject.first(), subject.last());
    String who = (subject.name() + " #" + subject.number()).strip();
    String room = "      ";
    text.append(room)
        .append(Text.shorten(who, Math.max(8, Text.WIDTH - room.length() - where.length())))
        .append(where)
        .append('\n');
  }

  /** Says in one line whether a plan is right. */
  static String verdict(Style style, long placements, ImmutableList<RatedFinding> findings) {
    long errors = findings.stream().filter(RatedFinding::isError).count();
    String warnings =
        errors == findings.size() ? "" : ", " + Text.count(findings.size() - errors, "warning");
    String placed = Text.count(placements, "placement");
    return errors == 0
        ? style.ok("verified") + ": " + placed + ", no errors" + warnings
        : style.error("not verified")
            + ": "
            + placed
            + ", "
            + Text.count(errors, "error")
            + warnings;
  }
}
