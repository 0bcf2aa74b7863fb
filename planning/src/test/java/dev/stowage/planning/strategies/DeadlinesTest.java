package dev.stowage.planning.strategies;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.base.Kinds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningContext;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.planning.PlanningStrategy;
import dev.stowage.planning.StrategySpec;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Strategies give up once the deadline has come, and a suite answers with what it has. */
class DeadlinesTest {
  private static final Deadline PAST = Deadline.after(Duration.ZERO);

  private static PlanningProblem problem() {
    PlanningProblem.Builder builder = PlanningProblem.builder("p");
    builder.addBuffer(48, 0, 1);
    builder.addBuffer(16, 1, 2);
    return builder.build();
  }

  private static PlanningOutcome plan(Planner planner, String call, Deadline deadline) {
    return planner.plan(problem(), Call.parse("t", call), deadline);
  }

  @ParameterizedTest
  @ValueSource(strings = {"greedy", "banked-greedy", "naive", "suite{of=[greedy,naive]}"})
  void plan_deadlineThatHasCome_givesUpWithTheBound(String call) {
    PlanningOutcome outcome = plan(Planner.withInstalledStrategies(), call, PAST);
    PlanningOutcome.GaveUp gaveUp = (PlanningOutcome.GaveUp) outcome;
    assertThat(gaveUp.why().kind()).isEqualTo(Kinds.DEADLINE);
    assertThat(gaveUp.bestBoundBytes()).isEqualTo(64);
    assertThat(plan(Planner.withInstalledStrategies(), call, Deadline.NONE))
        .isInstanceOf(PlanningOutcome.Planned.class);
  }

  /** Never looks at the clock. */
  private static final class PatientStrategy implements PlanningStrategy {
    @Override
    public StrategySpec spec() {
      return StrategySpec.named("patient").summary("for tests").build();
    }

    @Override
    public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
      return PlanningOutcome.planned(
          MemoryPlan.builder(problem).place(0, 0, 0).place(1, 0, 64).build());
    }
  }

  @Test
  void suite_memberThatRunsOutOfTimeAfterAPlan_givesThatPlan() {
    Planner planner =
        new Planner(
            ImmutableList.of(new PatientStrategy(), new GreedyStrategy(), new SuiteStrategy()));
    PlanningOutcome outcome = plan(planner, "suite{of=[patient,greedy]}", PAST);
    assertThat(((PlanningOutcome.Planned) outcome).plan().totalBytes()).isEqualTo(80);
    outcome = plan(planner, "suite{of=[greedy,patient]}", PAST);
    assertThat(((PlanningOutcome.GaveUp) outcome).why().kind()).isEqualTo(Kinds.DEADLINE);
  }
}
