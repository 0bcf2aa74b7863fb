package dev.stowage.planning.strategies;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Message;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.planning.Constraint;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningContext;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.planning.PlanningStrategy;
import dev.stowage.planning.StrategySpec;
import org.jspecify.annotations.Nullable;

/**
 * Several strategies on the same problem; the smallest sum of arenas wins, the first of equals.
 *
 * <p>As ExecuTorch's suites (1.5.1), all members must list equally many arenas, and a member that
 * fails fails the suite, unless it ran out of time after others had a plan. Unlike them, each
 * member sees the problem as it was, and a plan that is larger than an arena never wins.
 */
public final class SuiteStrategy implements PlanningStrategy {
  private static final OptionSpec<ImmutableList<Call>> OF =
      OptionSpec.required(
          "of", "the strategies to try, in order", OptionType.list(OptionType.CALL));

  private static final StrategySpec SPEC =
      StrategySpec.named("suite")
          .summary("several strategies, of whose plans the smallest is taken")
          .options(OF)
          .check((given, planner) -> given.get(OF).forEach(planner::check))
          .honours(Constraint.values())
          .build();

  @Override
  public StrategySpec spec() {
    return SPEC;
  }

  @Override
  public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
    @Nullable MemoryPlan best = null;
    @Nullable MemoryPlan overCapacity = null;
    int arenas = -1;
    for (Call member : context.get(OF)) {
      PlanningOutcome outcome = context.run(member, problem);
      if (!(outcome instanceof PlanningOutcome.Planned planned)) {
        if (best != null && isOutOfTime(outcome)) {
          break;
        }
        return outcome;
      }
      MemoryPlan plan = planned.plan();
      int listed = plan.arenaSizes().length;
      if (arenas >= 0 && listed != arenas) {
        return PlanningOutcome.gaveUp(
            Diagnostic.of(
                    Kinds.SUITE_ARENA_COUNTS,
                    Message.format(
                        "%s lists %d arenas, but the members before it list %d",
                        member, listed, arenas))
                .help("the members of a suite must agree on the number of arenas"),
            problem);
      }
      arenas = listed;
      if (!Planner.fits(problem, plan)) {
        overCapacity = plan;
      } else if (best == null || plan.totalBytes() < best.totalBytes()) {
        best = plan;
      }
    }
    if (best != null) {
      return PlanningOutcome.planned(best);
    }
    // The front door says which arena is too small.
    return PlanningOutcome.planned(requireNonNull(overCapacity));
  }

  private static boolean isOutOfTime(PlanningOutcome outcome) {
    return outcome instanceof PlanningOutcome.GaveUp gaveUp
        && gaveUp.why().kind().equals(Kinds.DEADLINE);
  }
}
