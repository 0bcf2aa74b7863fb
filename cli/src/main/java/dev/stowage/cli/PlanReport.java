package dev.stowage.cli;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Message;
import dev.stowage.driver.Answer;
import dev.stowage.driver.AnswerWriter;
import dev.stowage.driver.Stowage;
import dev.stowage.ir.Program;
import dev.stowage.passes.PassInstrumentation;
import dev.stowage.passes.PassStep;
import dev.stowage.verifier.RatedFinding;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows and writes answers as they come. One is held back, since an only answer is treated
 * differently from one of several. Not thread-safe.
 */
final class PlanReport {
  /** With more answers than this each has but a line. */
  private static final int SHOWN_IN_FULL = 20;

  private final Run run;
  private final boolean json;
  private final boolean quiet;
  private final @Nullable PlanFile file;
  private final AnswerWriter writer;
  private final PlanText text;
  private final ExplainOptions explain;
  private final boolean verbose;
  private final Progress progress;
  private final Tally tally = new Tally();
  private final long beginNanos = System.nanoTime();

  /** Texts of the first answers in both forms, until it is known which it will be. */
  private final List<String> full = new ArrayList<>();

  private final List<String> compact = new ArrayList<>();

  private boolean many;
  private @Nullable Answer held;
  private String heldFrom = "";

  PlanReport(Run run, PlanCommand command, boolean json, @Nullable PlanFile file)
      throws IOException {
    this.run = run;
    this.json = json;
    this.file = file;
    quiet = command.quiet();
    verbose = command.verbose();
    explain = command.explain();
    writer = new AnswerWriter(run.out());
    text = new PlanText(run.style(), command.verbose());
    progress = new Progress(run.terminal(), run.messages(), quiet);
    if (command.severalFiles()) {
      expectMany();
    }
  }

  /** Adds the answers of a file; an error of the whole file ends it, and if it is alone the run. */
  void add(String name, Supplier<Stowage> opener) throws IOException {
    try (Stowage session = opener.get()) {
      for (Iterator<Answer> answers = session.answers(); answers.hasNext(); ) {
        add(name, answers.next());
      }
    } catch (DiagnosticException e) {
      Diagnostic error = Messages.in(e.diagnostic(), name);
      // What went wrong outside of the inputs ends everything.
      if ((!many && held == null) || ExitCodes.of(error) == ExitCodes.USAGE) {
        throw error.asException();
      }
      if (error.kind().equals(Kinds.OUTPUT_UNWRITABLE)) {
        throw error.asException();
      }
      expectMany();
      progress.clear();
      run.messages().error(error);
      tally.failed(error);
    }
  }

  /** An observer that shows which pass is running. */
  PassInstrumentation observer() {
    return new PassInstrumentation() {
      @Override
      public void passStarted(PassStep step, Program before) {
        progress.update(before.name() + ": " + step.title());
      }
    };
  }

  private void add(String name, Answer answer) throws IOException {
    if (!quiet && !answer.warnings().isEmpty()) {
      progress.clear();
      answer.warnings().forEach(it -> run.messages().warning(Messages.in(it, name)));
    }
    if (held != null) {
      expectMany();
    }
    if (many) {
      addOneOfMany(name, answer);
    } else {
      held = answer;
      heldFrom = name;
    }
  }

  private void expectMany() throws IOException {
    if (many) {
      return;
    }
    explain.requireSingle();
    if (file != null) {
      file.requireRoomForMany();
    }
    many = true;
    if (held != null) {
      addOneOfMany(heldFrom, held);
      held = null;
    }
  }

  /** Shows what was held back, and ends the file; gives the exit code. */
  int finish() throws IOException {
    progress.clear();
    if (held != null) {
      addOnly(heldFrom, held);
      return tally.exitCode();
    }
    if (file != null) {
      file.commit();
    }
    long wrong = tally.failures() + tally.rejections();
    if (json) {
      if (wrong > 0) {
        run.messages()
            .note(
                Message.format(
                    "%s of %s have no verified plan",
                    Text.number(wrong), Text.count(tally.total(), "answer")));
      }
    } else if (!quiet) {
      full.forEach(run.out()::print);
      run.out().print(text.summary(tally, System.nanoTime() - beginNanos));
      sayWritten();
    }
    // One of several files or lines never decides by its own kind.
    return wrong == 0 ? ExitCodes.DONE : ExitCodes.FAILED;
  }

  private void addOnly(String name, Answer given) throws IOException {
    Answer answer = json ? orFailed(given) : given;
    Diagnostic error = answer.error().map(it -> Messages.in(it, name)).orElse(null);
    boolean verified = answer.isVerified();
    // Whatever is asked for in vain is said before anything is written.
    ExplainOptions.Explanations explanations = explain.of(answer);
    if (error == null && verified && file != null) {
      file.write(answer);
      file.commit();
    }
    if (json) {
      if (error == null || isAnswer(answer, error)) {
        writer.write(answer);
      }
    } else if (!quiet && (error == null || isPartlyPlanned(answer))) {
      run.out().print(text.full(answer));
    }
    if (json) {
      ExplanationJson.write(answer.name(), explanations, run.out());
    } else {
      run.out().print(ExplanationText.of(explanations, run.style(), verbose));
    }
    if (error != null) {
      tally.failed(error);
      run.messages().error(error);
    } else if (!verified) {
      tally.rejected();
      Diagnostic rejected = rejection(name, answer);
      run.messages()
          .error(file == null ? rejected : rejected.note("'" + file.name() + "' is not written"));
    } else {
      tally.done();
      if (!json && !quiet) {
        sayWritten();
      }
    }
  }

  /** Of a program's several methods some may have a plan; the error alone tells of a single one. */
  private static boolean isPartlyPlanned(Answer answer) {
    return answer instanceof Answer.ProgramPlanned planned && planned.methods().size() > 1;
  }

  /** Errors of the input are no answers, unless the file asked for this very plan. */
  private static boolean isAnswer(Answer answer, Diagnostic error) {
    return ExitCodes.isAnswer(error)
        || answer instanceof Answer.ProgramPlanned
        || (answer instanceof Answer.ProgramFailed && error.kind().equals(Kinds.INPUT_UNSUPPORTED));
  }

  private static Diagnostic rejection(String name, Answer answer) {
    long errors = answer.findings().stream().filter(RatedFinding::isError).count();
    Diagnostic error =
        Diagnostic.of(
                Kinds.VERIFICATION,
                "the verifier found " + Text.count(errors, "error") + " in the plan")
            .in(name);
    return error;
  }

  /** An answer of which JSON can be made: a program without a plan is an error there. */
  private static Answer orFailed(Answer answer) {
    return answer instanceof Answer.ProgramChanged changed
        ? new Answer.ProgramFailed(changed.name(), changed.number(), changed.noPlan())
        : answer;
  }

  private void addOneOfMany(String name, Answer given) throws IOException {
    Answer answer = json || file != null ? orFailed(given) : given;
    if (answer.error().isPresent()) {
      Diagnostic error = Messages.in(answer.error().get(), name);
      tally.failed(error);
      if (quiet && !json) {
        run.messages().error(error);
      }
    } else if (answer.isVerified()) {
      tally.done();
    } else {
      tally.rejected();
      if (quiet && !json) {
        run.messages().error(rejection(name, answer));
      }
    }
    if (json) {
      writer.write(answer);
    } else if (!quiet) {
      show(answer);
    }
    if (file != null) {
      file.writeOneOfMany(answer);
    }
    progress.update(tally.total());
  }

  private void show(Answer answer) {
    if (compact.size() < SHOWN_IN_FULL) {
      full.add(text.full(answer));
      compact.add(text.compact(answer) + "\n");
      return;
    }
    if (!full.isEmpty()) {
      full.clear();
      run.out().print(text.compactTitles() + "\n");
      compact.forEach(run.out()::print);
    }
    run.out().print(text.compact(answer) + "\n");
  }

  private void sayWritten() {
    if (file != null) {
      run.out().print("  written to " + file.name() + "\n");
    }
  }
}
