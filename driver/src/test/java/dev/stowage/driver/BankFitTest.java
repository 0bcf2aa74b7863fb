package dev.stowage.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.planning.Arena;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BankFitTest {
  /**
   * At step 2 a, b, c are live, of 112, 160 and 64 bytes. In 256 bytes b and c are the most that
   * fit, so that slow needs a besides d and p: 112 + 304 + 64.
   */
  private static final String SMALL =
      """
      {"name": "small", "alignment": 16, "banks": [{"name": "fast", "size": 256, "mem_id": 2},
        {"name": "slow", "size": 1030, "mem_id": 1}],
       "buffers": [{"bytes": 100, "lifetime": [0, 2]}, {"bytes": 160, "lifetime": [1, 3]},
        {"bytes": 64, "lifetime": [2, 4]}, {"bytes": 300, "lifetime": [0, 4]},
        {"bytes": 64, "lifetime": [0, 4], "mem_id": 1}]}
      """;

  private final Planner planner = Planner.withInstalledStrategies();

  private static Stowage open(String problem) {
    return Stowage.open("-", new ByteArrayInputStream(problem.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void fits_twoBanks_eachIsAsSmallAsTheOtherAllows() {
    try (Stowage session = open(SMALL)) {
      Fit fit = session.fits().next();
      assertThat(fit.complete()).isTrue();
      assertThat(fit.banks())
          .containsExactly(
              new Fit.Bank("fast", 2, 256, 0, 0), new Fit.Bank("slow", 1, 1030, 480, 480));
    }
  }

  @Test
  void fits_reservedBytes_areInTheSmallestBank() {
    String reserved = SMALL.replace("\"banks\"", "\"reserved\": [0, 0, 40], \"banks\"");
    try (Stowage session = open(reserved)) {
      // 40 bytes are reserved, so no bank smaller than 48, the next multiple of 16, can be.
      assertThat(session.fits().next().banks().get(0))
          .isEqualTo(new Fit.Bank("fast", 2, 256, 48, 48));
    }
  }

  @Test
  void fits_thatHasNoPlan_isItsError() {
    try (Stowage session = open(SMALL.replace("1030", "380"))) {
      Fit fit = session.fits().next();
      assertThat(fit.banks()).isEmpty();
      assertThat(fit.answer().error())
          .get()
          .extracting(it -> it.kind())
          .isEqualTo(Kinds.UNPLACEABLE);
    }
  }

  @Test
  void fits_unalignedReservedBytes_countOnlyPlansThatVerify() {
    String unaligned =
        "{\"name\": \"r\", \"alignment\": 4, \"reserved\": [0, 0, 5], \"banks\": [{\"name\": \"b\","
            + " \"mem_id\": 2, \"size\": 64}], \"buffers\": [{\"bytes\": 8, \"lifetime\": [4, 5]},"
            + " {\"bytes\": 8, \"lifetime\": [4, 5]}]}";
    try (Stowage session = open(unaligned)) {
      // From 8 on; the proofs do not round, and so they count from 5 on.
      assertThat(session.fits().next().banks()).containsExactly(new Fit.Bank("b", 2, 64, 24, 24));
    }
    try (Stowage session = open(unaligned).strategy("banked-greedy")) {
      Fit fit = session.fits().next();
      assertThat(fit.banks()).isEmpty();
      assertThat(fit.answer().error())
          .get()
          .extracting(it -> it.kind())
          .isEqualTo(Kinds.VERIFICATION);
    }
  }

  @Test
  void fits_withoutBanks_isWrongUsage() {
    try (Stowage session = open("{\"buffers\": [{\"bytes\": 1, \"lifetime\": [0, 1]}]}")) {
      DiagnosticException error =
          catchThrowableOfType(DiagnosticException.class, () -> session.fits().next());
      assertThat(error.diagnostic().kind()).isEqualTo(Kinds.USAGE);
      assertThat(error.diagnostic().help()).contains("--target");
    }
  }

  @Test
  void fits_deadlineThatHasCome_keepsWhatIsKnown() {
    PlanningProblem problem = random(new Random(1), 100_000);
    PlanningOutcome.Planned planned =
        (PlanningOutcome.Planned) planner.plan(problem, Call.of("banked-greedy"));
    Fit fit =
        new BankFit(planner, Optional.empty(), Deadline.after(Duration.ZERO), line -> {})
            .of(answer(problem, planned.plan()));
    assertThat(fit.complete()).isFalse();
    assertThat(fit.banks().get(0).foundBytes()).isEqualTo(100_000);
    assertThat(fit.banks().get(0).provenBytes())
        .isEqualTo(LowerBounds.of(problem).byMemId()[1])
        .isPositive();
  }

  @Test
  void fits_smallProblems_areTheLeastThatExist() {
    Random random = new Random(7);
    int larger = 0;
    for (int i = 0; i < 40; i++) {
      PlanningProblem problem = random(random, 4096);
      MemoryPlan best =
          ((PlanningOutcome.Planned) planner.plan(problem, Call.of("exhaustive"))).plan();
      Fit.Bank bank = fit(problem, Optional.empty(), best);
      assertThat(bank.foundBytes()).as("problem %s", i).isEqualTo(best.totalBytes());
      assertThat(bank.isOptimal()).as("problem %s", i).isTrue();
      Fit.Bank alone = fit(problem, Optional.of(Call.of("banked-greedy")), best);
      assertThat(alone.foundBytes()).as("problem %s", i).isGreaterThanOrEqualTo(bank.foundBytes());
      assertThat(alone.provenBytes()).as("problem %s", i).isLessThanOrEqualTo(bank.foundBytes());
      larger += alone.foundBytes() > bank.foundBytes() ? 1 : 0;
    }
    assertThat(larger).isPositive();
  }

  private Fit.Bank fit(PlanningProblem problem, Optional<Call> asked, MemoryPlan plan) {
    return new BankFit(planner, asked, Deadline.NONE, line -> {})
        .of(answer(problem, plan))
        .banks()
        .get(0);
  }

  private static Answer answer(PlanningProblem problem, MemoryPlan plan) {
    return new Answer.ProblemPlanned(
        "x", Call.of("x"), problem, plan, LowerBounds.of(problem), ImmutableList.of(), 0);
  }

  private static PlanningProblem random(Random random, long capacity) {
    PlanningProblem.Builder builder = PlanningProblem.builder("six").alignment(16);
    builder.addArena(Arena.of(1).withCapacity(capacity));
    for (int i = 0; i < 6; i++) {
      int start = random.nextInt(8);
      builder.addBuffer(16L + random.nextInt(241), start, start + random.nextInt(3));
    }
    return builder.build();
  }
}
