package dev.stowage.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.Call;
import dev.stowage.base.Kinds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.ProblemVerifier;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The strategy of the README does what the README says. */
class FirstFitStrategyTest {
  private final Planner planner = new Planner(List.of(new FirstFitStrategy()));

  @Test
  void plan_gapBelowAPlacedBuffer_isUsed() {
    PlanningProblem.Builder problem = PlanningProblem.builder("gap").alignment(16);
    problem.addBuffer(32, 0, 1);
    problem.addBuffer(64, 0, 3);
    problem.addBuffer(32, 2, 3);

    MemoryPlan plan = plan(problem.build());

    assertThat(plan.offsetBytes(1)).isEqualTo(32);
    assertThat(plan.offsetBytes(2)).isEqualTo(0);
    assertThat(plan.arenaSizes()).containsExactly(0, 96);
  }

  @Test
  void plan_randomProblems_areFoundValid() {
    for (long seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      PlanningProblem.Builder builder = PlanningProblem.builder("random").alignment(16);
      for (int i = 0; i < 40; i++) {
        int start = random.nextInt(30);
        builder.addBuffer(random.nextInt(500), start, start + random.nextInt(8));
      }
      PlanningProblem problem = builder.build();
      assertThat(ProblemVerifier.verify(problem, ClaimedPlan.of(problem, plan(problem))))
          .as("seed %s", seed)
          .isEmpty();
    }
  }

  @Test
  void plan_constraintThatItDoesNotDeclare_isRefusedBeforeIt() {
    PlanningProblem.Builder problem = PlanningProblem.builder("views");
    int base = problem.addBuffer(64, 0, 1);
    problem.storage(problem.addBuffer(16, 0, 1), base, 16);

    PlanningOutcome outcome = planner.plan(problem.build(), Call.of("acme-first-fit"));

    assertThat(((PlanningOutcome.GaveUp) outcome).why().kind())
        .isEqualTo(Kinds.STRATEGY_REFUSES_STORAGE);
  }

  private MemoryPlan plan(PlanningProblem problem) {
    return ((PlanningOutcome.Planned) planner.plan(problem, Call.of("acme-first-fit"))).plan();
  }
}
