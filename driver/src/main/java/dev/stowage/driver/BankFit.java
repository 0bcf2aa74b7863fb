package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.math.LongMath;
import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Message;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Infeasibility;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.FindingKind;
import dev.stowage.verifier.ProblemVerifier;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Looks for the smallest size of each bank, the others as they are.
 *
 * <p>For one bank, sizes are multiples of its alignment. A bisection over the proofs that no plan
 * exists gives the smallest size that may do, and one over plans, from there to a size that is
 * known to do, the smallest that does. Strategies may find a plan in a bank and none in a larger
 * one; then what is found is the smallest size that was tried with success. A size counts from the
 * start of the bank; a reserved range beyond it is none of the plan's business.
 */
final class BankFit {
  private final Planner planner;
  private final Optional<Call> asked;
  private final Deadline deadline;
  private final Consumer<String> progress;
  private boolean complete = true;

  /**
   * A search.
   *
   * @param asked the strategy to plan by; empty for the default one and its fallbacks
   * @param progress is told, in a sentence, of each bank
   */
  BankFit(Planner planner, Optional<Call> asked, Deadline deadline, Consumer<String> progress) {
    this.planner = planner;
    this.asked = asked;
    this.deadline = deadline;
    this.progress = progress;
  }

  /**
   * How small the banks of an answer may be. A plan with errors is none, so that the answer of the
   * fit is an error then.
   */
  Fit of(Answer answer) {
    if (answer.error().isEmpty() && !answer.isVerified()) {
      return new Fit(rejected(answer), ImmutableList.of(), complete);
    }
    Map<String, Fit.Bank> banks = new LinkedHashMap<>();
    if (answer instanceof Answer.ProblemPlanned it) {
      add(it.problem(), it.plan(), ImmutableSet.of(), banks);
    } else if (answer instanceof Answer.ProgramPlanned it && it.error().isEmpty()) {
      for (PlannedMethod method : it.methods()) {
        add(
            method.lowered().problem(),
            ((PlannedMethod.Planned) method.result()).plan(),
            Profiles.named(method.profile()).tolerated(),
            banks);
      }
    }
    return new Fit(answer, ImmutableList.copyOf(banks.values()), complete);
  }

  private static Answer rejected(Answer answer) {
    Diagnostic why = answer.failure().orElseThrow();
    return answer instanceof Answer.ProblemPlanned it
        ? new Answer.ProblemFailed(it.name(), Optional.of(it.problem()), why)
        : new Answer.ProgramFailed(answer.name(), 0, why);
  }

  private void add(
      PlanningProblem problem,
      MemoryPlan plan,
      ImmutableSet<FindingKind> tolerated,
      Map<String, Fit.Bank> banks) {
    for (int arena = 0; arena < problem.arenaCount(); arena++) {
      if (problem.arena(arena).capacityBytes() != Arena.UNLIMITED) {
        Fit.Bank bank = new Search(problem, arena, tolerated).from(plan);
        banks.merge(bank.name(), bank, Fit.Bank::and);
      }
    }
  }

  /** The search for one bank of one problem; sizes are counted in units of its alignment. */
  private final class Search {
    private final PlanningProblem problem;
    private final int arena;
    private final ImmutableSet<FindingKind> tolerated;
    private final long capacity;
    private final long unit;

    Search(PlanningProblem problem, int arena, ImmutableSet<FindingKind> tolerated) {
      this.problem = problem;
      this.arena = arena;
      this.tolerated = tolerated;
      capacity = problem.arena(arena).capacityBytes();
      unit = problem.arenaAlignment(arena);
    }

    Fit.Bank from(MemoryPlan plan) {
      Arena it = problem.arena(arena);
      long found = units(capacity);
      long proven = provenUnits(found);
      long low = proven;
      long hint = used(plan);
      int tried = 0;
      for (long next = low; low < found; tried++) {
        PlanningOutcome outcome = plan(next);
        if (outcome instanceof PlanningOutcome.GaveUp && deadline.expired()) {
          complete = false;
          break;
        }
        if (outcome instanceof PlanningOutcome.Planned planned && isRight(planned.plan(), next)) {
          found = next;
          hint = used(planned.plan());
        } else {
          low = next + 1;
          proven = outcome instanceof PlanningOutcome.Infeasible ? low : proven;
        }
        // A plan that leaves some of the bank free most likely fits without that.
        next = low <= hint && hint < found ? hint : low + (found - low) / 2;
      }
      Fit.Bank bank = new Fit.Bank(it.name(), it.memId(), capacity, bytes(found), bytes(proven));
      progress.accept(
          Message.format(
              "%s: smallest found %,d bytes, proven minimum %,d, plans tried %,d",
              it.name(), bank.foundBytes(), bank.provenBytes(), tried));
      return bank;
    }

    /** The smallest size that is not proved too small. What is reserved at its start is in it. */
    private long provenUnits(long enough) {
      long low = Math.min(enough, units(problem.arena(arena).reservedBytes()));
      long high = enough;
      while (low < high) {
        long middle = low + (high - low) / 2;
        if (Infeasibility.prove(resized(middle), Kinds.UNPLACEABLE).isPresent()) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    private long used(MemoryPlan plan) {
      return units(plan.arenaSizeBytes(problem.arena(arena).memId()));
    }

    private long units(long bytes) {
      return LongMath.divide(bytes, unit, RoundingMode.CEILING);
    }

    /** The bank's own size need be no multiple of its alignment. */
    private long bytes(long units) {
      return units > capacity / unit ? capacity : units * unit;
    }

    private PlanningProblem resized(long units) {
      return problem.withCapacity(arena, bytes(units));
    }

    private boolean isRight(MemoryPlan plan, long units) {
      PlanningProblem it = resized(units);
      return ProblemVerifier.verify(it, ClaimedPlan.of(it, plan)).stream()
          .allMatch(finding -> tolerated.contains(finding.kind()));
    }

    private PlanningOutcome plan(long units) {
      PlanningProblem it = resized(units);
      try {
        return asked.isPresent()
            ? planner.plan(it, asked.get(), deadline)
            : planner.planWithFallbacks(it, /* hasMap= */ true, deadline).outcome();
      } catch (DiagnosticException e) {
        // Such as a strategy that did not answer in time.
        return PlanningOutcome.gaveUp(e.diagnostic(), it);
      }
    }
  }
}
