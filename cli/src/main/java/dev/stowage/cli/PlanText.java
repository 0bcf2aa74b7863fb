package dev.stowage.cli;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Message;
import dev.stowage.driver.Answer;
import dev.stowage.driver.ConstantBudget;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.RatedFinding;
import java.util.Optional;

/** Answers as text for people. */
final class PlanText {
  private final Style style;
  private final Findings findings;

  PlanText(Style style, boolean verbose) {
    this.style = style;
    findings = new Findings(style, verbose);
  }

  /** One plan of one problem, wherever it comes from. */
  private record Plan(
      String title,
      String profile,
      int firstStep,
      Call strategy,
      PlanningProblem problem,
      MemoryPlan plan,
      LowerBounds bounds,
      Optional<ConstantBudget> constants,
      ImmutableList<RatedFinding> findings,
      long elapsedNanos) {}

  /** An answer with all that it has; of an error only the message. */
  String full(Answer answer) {
    StringBuilder text = new StringBuilder();
    if (answer instanceof Answer.ProblemPlanned planned) {
      append(text, plan(planned));
    } else if (answer instanceof Answer.ProgramPlanned planned) {
      for (PlannedMethod method : planned.methods()) {
        if (method.result() instanceof PlannedMethod.Planned result) {
          append(text, plan(planned, method, result));
        } else if (method.result() instanceof PlannedMethod.Failed failed) {
          append(text, title(planned, method), failed.why());
        }
      }
      for (String note : planned.notes()) {
        appendLines(text, Text.wrap(2, 4, "note: " + note));
      }
    } else if (answer instanceof Answer.ProgramChanged) {
      text.append(answer.name()).append(": the pipeline has run; it makes no plan\n");
    } else {
      append(text, answer.name(), answer.error().orElseThrow());
    }
    return text.toString();
  }

  /** An answer in one line. */
  String compact(Answer answer) {
    if (answer.error().isPresent()) {
      Diagnostic error = answer.error().get();
      String word = "error[" + error.kind() + "]";
      String name = Text.left(answer.name(), 26);
      int room = Math.max(8, Text.WIDTH - name.length() - word.length() - 3);
      return name + " " + style.error(word) + ": " + Text.shorten(error.message(), room);
    }
    if (answer instanceof Answer.ProgramChanged) {
      return Text.left(answer.name(), 26) + " no plan";
    }
    long bytes = 0;
    long bound = 0;
    if (answer instanceof Answer.ProblemPlanned planned) {
      bytes = planned.plan().totalBytes();
      bound = planned.bounds().totalBytes();
    } else if (answer instanceof Answer.ProgramPlanned planned) {
      for (PlannedMethod method : planned.methods()) {
        if (method.result() instanceof PlannedMethod.Planned result) {
          bytes += result.plan().totalBytes();
          bound += result.bounds().totalBytes();
        }
      }
    }
    String verdict = answer.isVerified() ? "verified" : "not verified";
    String numbers =
        Message.format(
            " %17s %17s %7s  ",
            Text.number(bytes), Text.number(bound), ArenaTable.ratio(bytes, bound));
    String name = Text.left(name(answer), Math.max(8, 68 - numbers.length()));
    return name + numbers + (answer.isVerified() ? style.ok(verdict) : style.error(verdict));
  }

  /** The titles of the columns of {@link #compact}. */
  String compactTitles() {
    return style.bold(
        Message.format("%-23s %17s %17s %7s", "name", "bytes", "lower bound", "ratio"));
  }

  /** The last line of many answers. */
  String summary(Tally tally, long elapsedNanos) {
    String planned = Text.number(tally.total() - tally.failures()) + " planned";
    String failed = Text.number(tally.failures()) + " failed";
    long verified = tally.total() - tally.failures() - tally.rejections();
    return Message.format(
        "%s, %s, %s verified, %s\n",
        planned,
        tally.failures() > 0 ? style.error(failed) : failed,
        Text.number(verified),
        Text.millis(elapsedNanos));
  }

  private static Plan plan(Answer.ProblemPlanned it) {
    return new Plan(
        it.name(),
        "",
        0,
        it.strategy(),
        it.problem(),
        it.plan(),
        it.bounds(),
        Optional.empty(),
        it.findings(),
        it.elapsedNanos());
  }

  private static Plan plan(
      Answer.ProgramPlanned answer, PlannedMethod method, PlannedMethod.Planned result) {
    return new Plan(
        title(answer, method),
        method.profile(),
        method.firstStep(),
        method.strategy(),
        method.lowered().problem(),
        result.plan(),
        result.bounds(),
        answer.constants(),
        result.verification().findings(),
        method.elapsedNanos());
  }

  private static String title(Answer.ProgramPlanned answer, PlannedMethod method) {
    return answer.methods().size() == 1 ? name(answer) : name(answer) + " / " + method.method();
  }

  /** With its number where a document asks for several plans. */
  private static String name(Answer answer) {
    return answer instanceof Answer.ProgramPlanned planned && planned.number() > 0
        ? answer.name() + " #" + planned.number()
        : answer.name();
  }

  private void append(StringBuilder text, Plan it) {
    appendHeadline(text, it);
    PlanningProblem problem = it.problem();
    long total = it.plan().totalBytes();
    long bound = it.bounds().totalBytes();
    ArenaTable.append(text, style, problem, it.plan(), it.bounds(), it.constants());
    if (problem.bufferCount() == 0) {
      text.append("  nothing to place\n");
    } else {
      text.append(
          Message.format(
              "  peak: %,d bytes live at step %d\n",
              bound, it.bounds().peakStep() + it.firstStep()));
      long above = total - it.bounds().provenBytes();
      boolean verified = it.findings().stream().noneMatch(RatedFinding::isError);
      if (verified && it.bounds().provesOptimal(it.plan())) {
        text.append("  ")
            .append(style.ok("reaches the lower bound"))
            .append(": no plan needs less\n");
      } else if (above > 0) {
        text.append(Message.format("  %,d bytes above the lower bound\n", above));
      }
    }
    text.append("  ")
        .append(Findings.verdict(style, it.plan().bufferCount(), it.findings()))
        .append('\n');
    findings.appendTo(text, it.findings(), /* subjects= */ false);
  }

  private void appendHeadline(StringBuilder text, Plan it) {
    String how =
        (it.profile().isEmpty() ? "" : it.profile() + ", ")
            + Text.clean(it.strategy().toString())
            + ", alignment "
            + it.problem().alignment()
            + ", "
            + Text.millis(it.elapsedNanos());
    String name = Text.shorten(it.title(), Math.max(24, Text.WIDTH - 2 - how.length()));
    if (name.length() + 2 + how.length() <= Text.WIDTH) {
      text.append(style.bold(name)).append(": ").append(how).append('\n');
    } else {
      text.append(style.bold(Text.shorten(it.title(), Text.WIDTH - 1))).append(":\n");
      appendLines(text, Text.wrap(2, 4, how));
    }
  }

  private void append(StringBuilder text, String name, Diagnostic error) {
    String where = name.equals(error.location().toString()) ? "" : name + ": ";
    String word = "error[" + error.kind() + "]";
    boolean first = true;
    for (String paragraph : (where + error.render()).split("\n", -1)) {
      String stripped = paragraph.strip();
      String lines = String.join("\n", Text.wrap(first ? 0 : 2, 4, stripped));
      text.append(first ? lines.replace(word, style.error(word)) : lines).append('\n');
      first = false;
    }
  }

  private static void appendLines(StringBuilder text, ImmutableList<String> lines) {
    lines.forEach(line -> text.append(line).append('\n'));
  }
}
