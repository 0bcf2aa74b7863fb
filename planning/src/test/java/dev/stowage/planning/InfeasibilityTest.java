package dev.stowage.planning;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Diagnostic.Shortfall;
import dev.stowage.base.Kinds;
import dev.stowage.memmap.ReservedRange;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** SmallProblemsPropertyTest compares proofs with all plans there are; here is what they say. */
class InfeasibilityTest {
  private static Optional<Diagnostic> proof(PlanningProblem.Builder problem) {
    return Infeasibility.prove(problem.build(), Kinds.UNPLACEABLE);
  }

  private static PlanningProblem.Builder problem(Arena... arenas) {
    PlanningProblem.Builder builder = PlanningProblem.builder("p").alignment(1);
    for (Arena arena : arenas) {
      builder.addArena(arena);
    }
    return builder;
  }

  @Test
  void prove_reservedRangeInsideThePadding_isNotCountedTwice() {
    Arena arena =
        Arena.of(1)
            .withCapacity(20)
            .withReserved(0, 8)
            .withReservedRanges(List.of(new ReservedRange(12, 6, "boot")));
    PlanningProblem.Builder fits = problem(arena);
    fits.addBuffer(12, 0, 0);
    assertThat(proof(fits)).isEmpty();
    PlanningProblem.Builder tooLarge = problem(arena);
    tooLarge.addBuffer(13, 0, 0);
    // From 18 on there is room again, for 13 bytes and the padding.
    assertThat(proof(tooLarge).orElseThrow().help()).contains("with 39 bytes");
  }

  @Test
  void prove_overRead_mayLieInThePaddingButNotOutside() {
    PlanningProblem.Builder inside = problem(Arena.of(1).withCapacity(16).withReserved(0, 8));
    inside.addBuffer(8, 0, 0);
    inside.overRead(0, 8);
    assertThat(proof(inside)).isEmpty();
    PlanningProblem.Builder outside = problem(Arena.of(1).withCapacity(16).withReserved(0, 8));
    outside.addBuffer(8, 0, 0);
    outside.overRead(0, 9);
    assertThat(proof(outside).orElseThrow().shortfall())
        .contains(new Shortfall(17, 16, 0, ImmutableList.of(0)));
  }

  @Test
  void prove_severalProofs_givesTheOneThatMissesMost() {
    PlanningProblem.Builder peak = problem(Arena.of(1).withCapacity(100));
    peak.addBuffer(110, 0, 1);
    peak.addBuffer(120, 4, 4);
    peak.addBuffer(90, 2, 2);
    peak.addBuffer(95, 2, 2);
    Diagnostic most = proof(peak).orElseThrow();
    assertThat(most.shortfall()).contains(new Shortfall(185, 100, 2, ImmutableList.of(3, 2)));
    assertThat(most.help()).contains("with 185 bytes", "a plan may need more");

    PlanningProblem.Builder single = problem(Arena.of(1).withCapacity(100));
    single.addBuffer(110, 0, 1);
    single.addBuffer(120, 4, 5);
    single.addBuffer(30, 3, 4);
    single.addBuffer(40, 5, 5);
    Diagnostic together = proof(single).orElseThrow();
    assertThat(together.shortfall()).contains(new Shortfall(160, 100, 5, ImmutableList.of(1, 3)));
  }

  @Test
  void prove_tooLarge_namesTheLargestAndWhatIsLiveBesideIt() {
    PlanningProblem.Builder builder =
        problem(Arena.of(1).withCapacity(100).withReserved(4, 0), Arena.of(2).closed());
    builder.addBuffer(110, 0, 1);
    builder.addBuffer(130, 3, 5);
    builder.addBuffer(7, 2, 3);
    builder.addBuffer(9, 3, 3);
    builder.pin(2, 1);
    builder.pin(3, 1);
    Diagnostic proof = proof(builder).orElseThrow();
    assertThat(proof.buffer()).isEqualTo(1);
    assertThat(proof.shortfall()).contains(new Shortfall(130, 96, 3, ImmutableList.of(1, 3, 2)));
    assertThat(proof.render())
        .contains("4 reserved at its start", "with 134 bytes arena 1 is large enough");
  }

  @Test
  void prove_largestAllocation_isNoMatterOfTheSize() {
    PlanningProblem.Builder builder = problem(Arena.of(1).withCapacity(100).withMaxAllocation(30));
    builder.addBuffer(40, 0, 0);
    assertThat(proof(builder).orElseThrow().help())
        .contains("however large", "largest allocation is 30");
  }

  @Test
  void prove_reservedForSomebody_isNamed() {
    PlanningProblem.Builder builder =
        problem(
            Arena.of(1)
                .withCapacity(160)
                .withReservedRanges(List.of(new ReservedRange(0, 64, "boot"))));
    builder.addBuffer(90, 0, 0);
    builder.addBuffer(90, 0, 0);
    assertThat(proof(builder).orElseThrow().render())
        .contains("which has 96 available", "has 160 bytes, of which are: 64 reserved for boot")
        .contains("with 244 bytes");
  }

  @Test
  void prove_alignmentThatNothingMeets_doesNotAskForMoreBytes() {
    PlanningProblem.Builder builder = problem(Arena.of(1).withCapacity(64).withAlignment(4, 1));
    builder.addBuffer(4, 0, 0);
    builder.bufferAlignment(0, 2);
    Diagnostic proof = proof(builder).orElseThrow();
    assertThat(proof.kind()).isEqualTo(Kinds.CONSTRAINTS_CONFLICT);
    assertThat(proof.help()).contains("no size of a bank");
  }

  @Test
  void prove_moreThan63Arenas_isDoneForSingleOnesAndForAll() {
    Arena[] banks = new Arena[70];
    for (int i = 0; i < banks.length; i++) {
      banks[i] = Arena.of(1 + i).withCapacity(16);
    }
    PlanningProblem.Builder enough = problem(banks);
    PlanningProblem.Builder all = problem(banks);
    for (int i = 0; i < 70; i++) {
      enough.addBuffer(16, 0, 0);
      all.addBuffer(16, 0, 0);
    }
    assertThat(proof(enough)).isEmpty();
    all.addBuffer(1, 0, 0);
    assertThat(proof(all).orElseThrow().shortfall())
        .get()
        .extracting(Shortfall::requiredBytes, Shortfall::availableBytes)
        .containsExactly(1_121L, 1_120L);
    PlanningProblem.Builder one = problem(banks);
    one.addBuffer(9, 0, 0);
    one.addBuffer(9, 0, 0);
    one.pin(0, 69).pin(1, 69);
    assertThat(proof(one).orElseThrow().message()).contains("arena 70 (mem_id 70)");
  }

  @Test
  void alignedOffset_largeAlignments_areMetAtOnce() {
    PlanningProblem.Builder builder =
        problem(Arena.of(1).withCapacity(9_000_000_000_000_000_000L).withAlignment(16, 1));
    builder.addBuffer(16, 0, 5);
    builder.bufferAlignment(0, 1_073_741_789);
    long at = new Blocks(builder.build()).alignedOffset(0, 0, 0);
    assertThat((at + 1) % 1_073_741_789).isZero();
    assertThat(at % 16).isZero();
    assertThat(at).isBetween(0L, 16L * 1_073_741_789);
  }

  @Test
  void planWithFallbacks_unalignedReservedBytes_endsWithAnAlignedPlan() {
    PlanningProblem.Builder builder = PlanningProblem.builder("p").alignment(4);
    builder.addArena(Arena.of(2).withCapacity(64).withReserved(5, 0));
    builder.addBuffer(8, 4, 5);
    builder.addBuffer(8, 4, 5);
    PlanningProblem problem = builder.build();
    Planner planner = Planner.withInstalledStrategies();
    Planner.Attempt attempt = planner.planWithFallbacks(problem, true, Deadline.NONE);
    assertThat(attempt.call()).isEqualTo(Call.of("first-fit"));
    MemoryPlan plan = ((PlanningOutcome.Planned) attempt.outcome()).plan();
    assertThat(List.of(plan.offsetBytes(0), plan.offsetBytes(1)))
        .containsExactlyInAnyOrder(8L, 16L);
    // A strategy that is named keeps ExecuTorch's bytes.
    MemoryPlan named =
        ((PlanningOutcome.Planned) planner.plan(problem, Call.of("banked-greedy"))).plan();
    assertThat(List.of(named.offsetBytes(0), named.offsetBytes(1)))
        .containsExactlyInAnyOrder(5L, 13L);
  }

  @Test
  void plan_namedStrategyWithoutRoom_saysThatThisProvesNothing() {
    PlanningProblem.Builder builder = problem(Arena.of(1).withCapacity(1_510));
    builder.addBuffer(608, 0, 1);
    builder.addBuffer(304, 2, 3);
    builder.addBuffer(304, 1, 2);
    builder.addBuffer(304, 3, 4);
    builder.addBuffer(608, 4, 5);
    PlanningOutcome outcome =
        Planner.withInstalledStrategies().plan(builder.build(), Call.of("naive"));
    assertThat(((PlanningOutcome.GaveUp) outcome).why().render())
        .contains("this proves nothing", "where none is named several are tried");
  }

  @Test
  void plan_firstArenaOfAnotherDevice_isLeftAlone() {
    for (String strategy : List.of("greedy", "naive", "banked-greedy")) {
      PlanningProblem.Builder builder =
          problem(Arena.of(1).withCapacity(64).closed(), Arena.of(2).withCapacity(64));
      builder.addBuffer(16, 0, 1);
      PlanningOutcome outcome =
          Planner.withInstalledStrategies().plan(builder.build(), Call.of(strategy));
      assertThat(((PlanningOutcome.Planned) outcome).plan().arena(0)).as(strategy).isEqualTo(1);
      PlanningProblem.Builder none = problem(Arena.of(1).withCapacity(64).closed());
      none.addBuffer(16, 0, 1);
      assertThat(Planner.withInstalledStrategies().plan(none.build(), Call.of(strategy)))
          .as(strategy)
          .isInstanceOf(PlanningOutcome.Infeasible.class);
    }
  }

  @Test
  void plan_partThatMustNotShare_keepsOnlyThatPartApart() {
    PlanningProblem.Builder builder = PlanningProblem.builder("p").alignment(8);
    builder.addArena(Arena.of(1).withCapacity(16));
    builder.addBuffer(16, 0, 1);
    builder.addBuffer(8, 0, 1);
    builder.storage(1, 0, 8);
    builder.addBuffer(8, 3, 4);
    builder.separate(2, 1);
    for (String strategy : List.of("greedy", "banked-greedy", "first-fit", "exhaustive")) {
      PlanningOutcome outcome =
          Planner.withInstalledStrategies().plan(builder.build(), Call.of(strategy));
      assertThat(((PlanningOutcome.Planned) outcome).plan().offsetBytes(2)).as(strategy).isZero();
    }
  }

  @Test
  void provesOptimal_plansThatListEmptyBanksOrNot_areComparedAlike() {
    PlanningProblem.Builder builder =
        problem(Arena.of(1).withCapacity(64), Arena.of(2).withCapacity(64).withReserved(16, 0));
    builder.addBuffer(8, 0, 0);
    PlanningProblem problem = builder.build();
    LowerBounds bounds = LowerBounds.of(problem);
    for (String strategy : List.of("greedy", "banked-greedy", "exhaustive")) {
      MemoryPlan plan =
          ((PlanningOutcome.Planned)
                  Planner.withInstalledStrategies().plan(problem, Call.of(strategy)))
              .plan();
      assertThat(bounds.provesOptimal(plan)).as(strategy).isTrue();
    }
    // What costs the 16 reserved bytes is no better for leaving an empty bank unlisted.
    MemoryPlan other = MemoryPlan.builder(problem).place(0, 1, 16).build();
    assertThat(other.totalBytes()).isEqualTo(24);
    assertThat(bounds.provesOptimal(other)).isTrue();
    MemoryPlan worse = MemoryPlan.builder(problem).place(0, 1, 20).build();
    assertThat(bounds.provesOptimal(worse)).isFalse();
  }
}
