package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.Diagnostic;
import dev.stowage.formats.plan.PlanError;
import dev.stowage.formats.plan.PlanWriter;
import dev.stowage.formats.plan.ProgramPlan;
import dev.stowage.formats.plan.ProgramPlan.MethodEntry;
import dev.stowage.formats.plan.ProgramPlan.TensorEntry;
import dev.stowage.formats.plan.ProgramPlanWriter;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningProblem;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/** Writes answers as JSON, one a line, in the forms that {@code docs/json.md} describes. */
public final class AnswerWriter implements Closeable {
  private final PlanWriter problems;
  private final ProgramPlanWriter programs;

  /** Writes to a stream, which is flushed after each answer and never closed. */
  public AnswerWriter(OutputStream out) throws IOException {
    problems = new PlanWriter(out);
    programs = new ProgramPlanWriter(out);
  }

  /**
   * Writes an answer as it is, an unverified plan with its findings.
   *
   * @throws IOException if the output fails
   */
  public void write(Answer answer) throws IOException {
    if (answer instanceof Answer.ProblemPlanned planned) {
      problems.write(
          planned.name(),
          planned.strategy().toString(),
          planned.problem(),
          planned.plan(),
          planned.bounds(),
          planned.findings());
    } else if (answer instanceof Answer.ProblemFailed failed) {
      problems.writeError(
          failed.name(),
          failed
              .problem()
              .map(problem -> PlanError.of(failed.why(), problem))
              .orElseGet(() -> PlanError.of(failed.why())));
    } else if (answer instanceof Answer.ProgramPlanned planned) {
      programs.write(programPlan(planned));
    } else if (answer instanceof Answer.ProgramChanged changed) {
      programs.write(
          ProgramPlan.failed(changed.name(), changed.number(), PlanError.of(changed.noPlan())));
    } else if (answer instanceof Answer.ProgramFailed failed) {
      programs.write(
          ProgramPlan.failed(failed.name(), failed.number(), PlanError.of(failed.why())));
    }
  }

  /**
   * Writes an answer for others to use: an error of kind {@code verification} in the place of a
   * plan in which the verifier found one.
   *
   * @throws IOException if the output fails
   */
  public void writeVerified(Answer answer) throws IOException {
    Optional<Diagnostic> failure = answer.failure();
    if (answer.error().isPresent() || failure.isEmpty()) {
      write(answer);
      return;
    }
    Diagnostic error = failure.get();
    if (answer instanceof Answer.ProgramPlanned planned) {
      write(new Answer.ProgramFailed(planned.name(), planned.number(), error));
    } else {
      write(new Answer.ProblemFailed(answer.name(), Optional.empty(), error));
    }
  }

  private static ProgramPlan programPlan(Answer.ProgramPlanned planned) {
    ImmutableList.Builder<MethodEntry> methods = ImmutableList.builder();
    ImmutableList.Builder<TensorEntry> tensors = ImmutableList.builder();
    for (PlannedMethod method : planned.methods()) {
      methods.add(methodEntry(method));
      if (method.result() instanceof PlannedMethod.Planned result) {
        addTensors(method, result.plan(), tensors);
      }
    }
    PlannedMethod first = planned.methods().get(0);
    return new ProgramPlan(
        planned.name(),
        planned.number(),
        first.profile(),
        first.strategy().toString(),
        first.lowered().problem().alignment(),
        methods.build(),
        tensors.build(),
        Optional.empty());
  }

  private static MethodEntry methodEntry(PlannedMethod method) {
    if (method.result() instanceof PlannedMethod.Failed failed) {
      return MethodEntry.failed(
          method.method(), PlanError.of(failed.why(), method.lowered().problem()));
    }
    PlannedMethod.Planned result = (PlannedMethod.Planned) method.result();
    return new MethodEntry(
        method.method(),
        ImmutableLongArray.copyOf(result.plan().arenaSizes()),
        ImmutableList.of(),
        ImmutableMap.of(),
        method.lowered().numbers(),
        result.verification().storageReusePairs(),
        result.inputOutputCheck(),
        result.bounds().totalBytes(),
        method.isVerified() && result.bounds().provesOptimal(result.plan()),
        result.verification().findings(),
        Optional.empty());
  }

  private static void addTensors(
      PlannedMethod method, MemoryPlan plan, ImmutableList.Builder<TensorEntry> tensors) {
    PlanningProblem problem = method.lowered().problem();
    for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
      String label = problem.bufferName(buffer);
      tensors.add(
          new TensorEntry(
              method.lowered().numbers().get(buffer),
              label == null ? "" : label,
              problem.allocatedBytes(buffer, plan.arena(buffer)),
              problem.start(buffer) + method.firstStep(),
              problem.end(buffer) + method.firstStep(),
              problem.arena(plan.arena(buffer)).memId(),
              plan.object(buffer),
              plan.offsetBytes(buffer),
              problem.isChosenPart(buffer)
                  ? method.lowered().numbers().get(problem.base(buffer))
                  : -1));
    }
  }

  /** Ends writing; the stream stays open. */
  @Override
  public void close() throws IOException {
    problems.close();
    programs.close();
  }
}
