package dev.stowage.planning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.PluginFailedException;
import dev.stowage.memmap.ReservedRange;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlannerTest {
  private final Planner planner = Planner.withInstalledStrategies();

  @Test
  void plan_unknownStrategy_suggestsTheNearest() {
    Diagnostic fault =
        catchThrowableOfType(
                DiagnosticException.class, () -> planner.check(Call.of("banked-gredy")))
            .diagnostic();
    assertThat(fault.kind()).isEqualTo(Kinds.UNKNOWN_STRATEGY);
    assertThat(fault.help()).startsWith("did you mean banked-greedy? ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"greedy", "first-fit", "banked-greedy"})
  void plan_chosenPart_liesWhereItWasPutWhateverTheAlignment(String strategy) {
    PlanningProblem.Builder builder = PlanningProblem.builder("p").alignment(16);
    int base = builder.addBuffer(48, 0, 3);
    int part = builder.addBuffer(13, 0, 3);
    builder.storage(part, base, 35);
    PlanningOutcome declared = planner.plan(builder.build(), Call.of(strategy));
    PlanningOutcome chosen = planner.plan(builder.chosenPart(part).build(), Call.of(strategy));

    assertThat(declared).isNotInstanceOf(PlanningOutcome.Planned.class);
    assertThat(chosen).isInstanceOf(PlanningOutcome.Planned.class);
    MemoryPlan plan = ((PlanningOutcome.Planned) chosen).plan();
    assertThat(plan.offsetBytes(part)).isEqualTo(plan.offsetBytes(base) + 35);
    assertThat(plan.arenaSizes()).containsExactly(0, 48);
  }

  @ParameterizedTest
  @EnumSource
  void plan_constraintThatIsNotHonoured_isRefusedByItsKind(Constraint constraint) {
    Planner with = new Planner(ImmutableList.of(strategy("none", problem -> placeAtZero(problem))));
    PlanningOutcome outcome = with.plan(problemWith(constraint), Call.of("none"));
    assertThat(outcome).isInstanceOf(PlanningOutcome.GaveUp.class);
    PlanningOutcome.GaveUp gaveUp = (PlanningOutcome.GaveUp) outcome;
    assertThat(gaveUp.why().kind()).isEqualTo(constraint.refusal());
    assertThat(gaveUp.why().message()).contains("none", constraint.summary());
  }

  @Test
  void refusal_constraints_haveAKindEach() {
    Set<String> kinds =
        EnumSet.allOf(Constraint.class).stream()
            .map(constraint -> constraint.refusal().name())
            .collect(Collectors.toSet());
    assertThat(kinds).hasSize(Constraint.values().length);
  }

  @Test
  void plan_strategyThatThrows_isNamedWithItsOrigin() {
    Planner with =
        new Planner(
            ImmutableList.of(
                strategy(
                    "broken",
                    problem -> {
                      throw new IllegalStateException("boom");
                    })));
    assertThatThrownBy(() -> with.plan(problem(64), Call.of("broken")))
        .isInstanceOf(PluginFailedException.class)
        .hasMessageContaining("strategy 'broken' from ")
        .hasMessageContaining("test-classes")
        .hasMessageContaining("boom")
        .hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void plan_largerThanAnArenaThatWouldDo_isGivenUpWithTheNumbers() {
    PlanningProblem.Builder builder = PlanningProblem.builder("p");
    builder.addArena(Arena.of(1).withCapacity(1_000));
    builder.addBuffer(900, 0, 0);
    builder.addBuffer(600, 1, 1);
    PlanningOutcome outcome = planner.plan(builder.build(), Call.of("naive"));
    assertThat(outcome).isInstanceOf(PlanningOutcome.GaveUp.class);
    PlanningOutcome.GaveUp gaveUp = (PlanningOutcome.GaveUp) outcome;
    assertThat(gaveUp.why().kind()).isEqualTo(Kinds.UNPLACEABLE);
    assertThat(gaveUp.why().message())
        .contains("1,520 bytes", "arena 1 (mem_id 1)", "1,000: 520 too many");
    assertThat(gaveUp.bestBoundBytes()).isEqualTo(912);
  }

  @Test
  void plan_largerThanAnyPlanOfTheArena_isProvedInfeasible() {
    PlanningProblem.Builder builder = PlanningProblem.builder("p");
    builder.addArena(Arena.of(1).withCapacity(1_000));
    builder.addBuffer(1_500, 0, 0);
    PlanningOutcome outcome = planner.plan(builder.build(), Call.of("greedy"));
    assertThat(outcome).isInstanceOf(PlanningOutcome.Infeasible.class);
    Diagnostic proof = ((PlanningOutcome.Infeasible) outcome).proof();
    assertThat(proof.kind()).isEqualTo(Kinds.UNPLACEABLE);
    assertThat(proof.render())
        .contains("1,504 bytes are required", "has at most 1,000", "with 1,504 bytes arena 1 is");
  }

  @Test
  @SuppressWarnings("NullAway") // what a strategy may not do is the point
  void plan_strategyThatReturnsNull_isADefectOfTheStrategy() {
    Planner with = new Planner(ImmutableList.of(strategy("nothing", problem -> null)));
    assertThatThrownBy(() -> with.plan(problem(64), Call.of("nothing")))
        .isInstanceOf(PluginFailedException.class)
        .hasMessageContaining("strategy 'nothing' from ")
        .hasMessageContaining("null in place of an outcome");
  }

  @Test
  void plan_refusal_namesTheStrategiesThatCan() {
    PlanningProblem.Builder builder = PlanningProblem.builder("p").alignment(1);
    builder.storage(builder.addBuffer(5, 0, 3), builder.addBuffer(5, 0, 3), 0);
    PlanningOutcome outcome = planner.plan(builder.build(), Call.of("naive"));
    assertThat(((PlanningOutcome.GaveUp) outcome).why().help())
        .isEqualTo("strategies that can: banked-greedy, exhaustive, first-fit, greedy");
  }

  @Test
  void naive_alignmentsAndFixedOffsets_areKept() {
    PlanningProblem.Builder builder = PlanningProblem.builder("p").alignment(4);
    int plain = builder.addBuffer(5, 0, 3);
    int aligned = builder.addBuffer(5, 0, 3);
    int fixed = builder.addBuffer(10, 0, 3);
    builder.bufferAlignment(aligned, 6).pin(fixed, builder.addArena(Arena.of(1)));
    builder.fixedOffset(fixed, 20);
    MemoryPlan plan =
        ((PlanningOutcome.Planned) planner.plan(builder.build(), Call.of("naive"))).plan();
    assertThat(plan.offsetBytes(fixed)).isEqualTo(20);
    assertThat(plan.offsetBytes(plain)).isZero();
    assertThat(plan.offsetBytes(aligned)).as("a multiple of 4 and of 6").isEqualTo(12);
  }

  @Test
  void greedy_bufferThatFitsIntoAGap_sharesTheBytes() {
    PlanningProblem.Builder builder = PlanningProblem.builder("p").alignment(1);
    int gapped = builder.addBuffer(10, 0, 9);
    int inside = builder.addBuffer(10, 3, 5);
    int across = builder.addBuffer(10, 3, 6);
    builder.addGap(gapped, 3, 5);
    PlanningProblem problem = builder.build();
    assertThat(problem.overlapInTime(gapped, inside)).isFalse();
    assertThat(problem.overlapInTime(across, gapped)).isTrue();
    MemoryPlan plan = ((PlanningOutcome.Planned) planner.plan(problem, Call.of("greedy"))).plan();
    assertThat(plan.totalBytes()).isEqualTo(20);
  }

  @Test
  void plan_suite_takesTheSmallestThatFits() {
    PlanningProblem.Builder builder = PlanningProblem.builder("p");
    builder.addBuffer(64, 0, 0);
    builder.addBuffer(64, 1, 1);
    PlanningOutcome outcome =
        planner.plan(builder.build(), Call.parse("test", "suite{of=[naive,greedy]}"));
    assertThat(((PlanningOutcome.Planned) outcome).plan().totalBytes()).isEqualTo(64);
  }

  private static PlanningProblem problem(long bytes) {
    PlanningProblem.Builder builder = PlanningProblem.builder("p");
    builder.addBuffer(bytes, 0, 0);
    return builder.build();
  }

  private static PlanningProblem problemWith(Constraint constraint) {
    PlanningProblem.Builder builder = PlanningProblem.builder("p");
    builder.addBuffer(16, 0, 0);
    builder.addBuffer(16, 0, 0);
    Arena arena = Arena.of(1);
    switch (constraint) {
      case STORAGE -> builder.storage(0, 1, 0);
      case PINNED_ARENA -> builder.pin(0, 0);
      case FIXED_OFFSET -> builder.fixedOffset(0, 0);
      case ARENA_SETS -> builder.arenaSet(0, builder.addArenaSet(0));
      case BUFFER_ALIGNMENT -> builder.bufferAlignment(0, 32);
      case OVER_READ -> builder.overRead(0, 8);
      case SEPARATIONS -> builder.separate(0, 1);
      case ARENA_ALIGNMENT -> arena = arena.withAlignment(32, 0);
      case BASE_ADDRESS -> arena = arena.withAlignment(0, 64);
      case MAX_ALLOCATION -> arena = arena.withMaxAllocation(8);
      case RESERVED_RANGES ->
          arena = arena.withReservedRanges(ImmutableList.of(new ReservedRange(64, 8, "boot")));
      case OBJECTIVE -> builder.objective(PlanningProblem.Objective.FIT);
    }
    builder.addArena(arena);
    return builder.build();
  }

  private static PlanningOutcome placeAtZero(PlanningProblem problem) {
    MemoryPlan.Builder plan = MemoryPlan.builder(problem);
    for (int i = 0; i < problem.bufferCount(); i++) {
      plan.place(i, 0, 0);
    }
    return PlanningOutcome.planned(plan.build());
  }

  private static PlanningStrategy strategy(
      String name, Function<PlanningProblem, PlanningOutcome> plan) {
    return new PlanningStrategy() {
      @Override
      public StrategySpec spec() {
        return StrategySpec.named(name).summary("for tests").build();
      }

      @Override
      public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
        return plan.apply(problem);
      }
    };
  }
}
