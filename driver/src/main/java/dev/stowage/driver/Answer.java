package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import com.google.common.io.ByteSource;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.ir.Program;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.RatedFinding;
import java.util.Optional;

/** What became of one thing that was to be planned. */
public sealed interface Answer {
  /** What the problem or document is called. */
  String name();

  /** Why there is no plan; where several methods have none, the first reason. */
  Optional<Diagnostic> error();

  /** What the verifier found; nothing where there is no plan. */
  default ImmutableList<RatedFinding> findings() {
    return ImmutableList.of();
  }

  /** What may be a mistake, though it was done. */
  default ImmutableList<Diagnostic> warnings() {
    return ImmutableList.of();
  }

  /** True if there is a plan and the verifier found no error in it. */
  default boolean isVerified() {
    return error().isEmpty() && findings().stream().noneMatch(RatedFinding::isError);
  }

  /** Why there is no verified plan: its error, or what the verifier found. */
  default Optional<Diagnostic> failure() {
    if (error().isPresent() || isVerified()) {
      return error();
    }
    ImmutableList<RatedFinding> errors =
        findings().stream().filter(RatedFinding::isError).collect(ImmutableList.toImmutableList());
    return Optional.of(
        Diagnostic.of(
            Kinds.VERIFICATION,
            Location.of(name()),
            Message.format(
                "the verifier found %d error%s in the plan, the first: %s",
                errors.size(), errors.size() == 1 ? "" : "s", errors.get(0).finding().message())));
  }

  /**
   * The plan of a problem.
   *
   * @param strategy what planned it
   * @param elapsedNanos time that the strategy took
   */
  record ProblemPlanned(
      String name,
      Call strategy,
      PlanningProblem problem,
      MemoryPlan plan,
      LowerBounds bounds,
      ImmutableList<RatedFinding> findings,
      long elapsedNanos)
      implements Answer {
    @Override
    public Optional<Diagnostic> error() {
      return Optional.empty();
    }
  }

  /**
   * A problem without a plan.
   *
   * @param problem of which the reason speaks; empty if it could not be read
   */
  record ProblemFailed(String name, Optional<PlanningProblem> problem, Diagnostic why)
      implements Answer {
    @Override
    public Optional<Diagnostic> error() {
      return Optional.of(why);
    }
  }

  /**
   * The plans of a program's methods.
   *
   * @param number of the plan, where a document asks for several; else 0
   * @param format of the file that the program was read from
   * @param original that file; empty where it has several documents
   * @param program with placements
   * @param methods what became of each method
   * @param constants where the constants can go, if there is a target
   * @param notes what the plan does not take into account, a sentence each
   * @param warnings of the passes
   */
  record ProgramPlanned(
      String name,
      int number,
      String format,
      ByteSource original,
      Program program,
      ImmutableList<PlannedMethod> methods,
      Optional<ConstantBudget> constants,
      ImmutableList<String> notes,
      ImmutableList<Diagnostic> warnings)
      implements Answer {
    @Override
    public Optional<Diagnostic> error() {
      return methods.stream()
          .map(PlannedMethod::result)
          .filter(PlannedMethod.Failed.class::isInstance)
          .map(result -> ((PlannedMethod.Failed) result).why())
          .findFirst();
    }

    @Override
    public ImmutableList<RatedFinding> findings() {
      ImmutableList.Builder<RatedFinding> findings = ImmutableList.builder();
      for (PlannedMethod method : methods) {
        if (method.result() instanceof PlannedMethod.Planned planned) {
          findings.addAll(planned.verification().findings());
        }
      }
      return findings.build();
    }
  }

  /**
   * A program on which a pipeline ran that makes no plan.
   *
   * @param program with what the passes made of it
   * @param warnings of the passes
   */
  record ProgramChanged(
      String name, int number, Program program, ImmutableList<Diagnostic> warnings)
      implements Answer {
    /** The error that stands where there should be a plan. */
    public Diagnostic noPlan() {
      return Diagnostic.of(Kinds.USAGE, Location.of(name), "the pipeline has no pass that plans")
          .help("end it with plan, or write the program itself to a .stow file");
    }

    @Override
    public Optional<Diagnostic> error() {
      return Optional.empty();
    }
  }

  /** A program of which no method could be planned at all. */
  record ProgramFailed(String name, int number, Diagnostic why) implements Answer {
    @Override
    public Optional<Diagnostic> error() {
      return Optional.of(why);
    }
  }
}
