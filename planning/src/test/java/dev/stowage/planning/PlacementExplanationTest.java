package dev.stowage.planning;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.memmap.ReservedRange;
import dev.stowage.planning.PlacementExplanation.Blocker;
import dev.stowage.planning.PlacementExplanation.Candidate;
import dev.stowage.planning.PlacementExplanation.Verdict;
import org.junit.jupiter.api.Test;

class PlacementExplanationTest {
  private static final int FAST = 0;
  private static final int SLOW = 1;
  private static final int POOL = 2;
  private static final int A = 0;
  private static final int B = 1;
  private static final int C = 2;
  private static final int D = 3;
  private static final int LATE = 4;

  /** Sizes rounded to 16: a 112, b 160, c 64, d 304, late 96. */
  private static PlanningProblem problem() {
    PlanningProblem.Builder builder = PlanningProblem.builder("five").alignment(16);
    builder.addArena(Arena.of(2).withName("fast").withCapacity(256));
    builder.addArena(
        Arena.of(1)
            .withName("slow")
            .withCapacity(1024)
            .withReservedRanges(ImmutableList.of(new ReservedRange(0, 32, "boot"))));
    builder.addArena(Arena.of(3).withName("pool").closed());
    builder.addBuffer(100, 0, 2);
    builder.addBuffer(160, 1, 3);
    builder.addBuffer(64, 2, 4);
    builder.addBuffer(300, 0, 4);
    builder.addBuffer(96, 6, 7);
    return builder.build();
  }

  private static Candidate ask(int buffer, int arena) {
    PlanningProblem problem = problem();
    MemoryPlan plan =
        MemoryPlan.builder(problem)
            .place(A, SLOW, 384)
            .place(B, FAST, 0)
            .place(C, FAST, 160)
            .place(D, SLOW, 32)
            .place(LATE, SLOW, 32)
            .build();
    return PlacementExplanation.of(problem, plan, buffer).candidates().get(arena);
  }

  @Test
  void noGap_namesTheLargestFreeRangeAndThoseInTheWayLargestFirst() {
    assertThat(ask(A, FAST))
        .isEqualTo(
            new Candidate(
                FAST,
                Verdict.NO_GAP,
                112,
                32,
                224,
                ImmutableList.of(new Blocker(B, 0, 160), new Blocker(C, 160, 224))));
  }

  @Test
  void chosen_namesTheLowestOffsetWithRoomAndWhatLiesBelow() {
    assertThat(ask(A, SLOW))
        .isEqualTo(
            new Candidate(
                SLOW, Verdict.CHOSEN, 112, 112, 336, ImmutableList.of(new Blocker(D, 32, 336))));
    // What is dead by then is not in the way, what is reserved is.
    assertThat(ask(LATE, SLOW))
        .isEqualTo(new Candidate(SLOW, Verdict.CHOSEN, 96, 96, 32, ImmutableList.of()));
  }

  @Test
  void tooSmall_isSaidOfAnArenaThatCouldNotHoldItAlone() {
    assertThat(ask(D, FAST))
        .isEqualTo(new Candidate(FAST, Verdict.TOO_SMALL, 304, 256, 0, ImmutableList.of()));
  }

  @Test
  void hasRoom_namesTheLowestOffset() {
    // Between d and a are 48 bytes.
    assertThat(ask(B, SLOW))
        .isEqualTo(new Candidate(SLOW, Verdict.HAS_ROOM, 160, 160, 496, ImmutableList.of()));
    assertThat(ask(LATE, FAST).offsetBytes()).isZero();
  }

  @Test
  void closed_isSaidOfAnArenaForPinsOnly() {
    assertThat(ask(A, POOL).verdict()).isEqualTo(Verdict.CLOSED);
  }

  @Test
  void tooSmall_forWhatIsReadPastTheEnd_countsThat() {
    PlanningProblem.Builder builder = PlanningProblem.builder("over-read").alignment(16);
    builder.addArena(Arena.of(1).withCapacity(100));
    builder.addArena(Arena.of(2).withCapacity(106));
    builder.addBuffer(96, 0, 0);
    PlanningProblem problem = builder.overRead(0, 10).build();
    PlacementExplanation it =
        PlacementExplanation.of(problem, MemoryPlan.builder(problem).place(0, 1, 0).build(), 0);
    assertThat(it.candidates().get(0))
        .isEqualTo(new Candidate(0, Verdict.TOO_SMALL, 106, 100, 0, ImmutableList.of()));
    assertThat(it.candidates().get(1).verdict()).isEqualTo(Verdict.CHOSEN);
  }

  @Test
  void tooSmall_forASingleAllocation_countsTheLimit() {
    PlanningProblem.Builder builder = PlanningProblem.builder("heap").alignment(16);
    builder.addArena(Arena.of(1).withCapacity(1000).withMaxAllocation(64));
    builder.addArena(Arena.of(2));
    builder.addBuffer(100, 0, 0);
    PlanningProblem problem = builder.build();
    PlacementExplanation it =
        PlacementExplanation.of(problem, MemoryPlan.builder(problem).place(0, 1, 0).build(), 0);
    assertThat(it.candidates().get(0))
        .isEqualTo(new Candidate(0, Verdict.TOO_SMALL, 112, 64, 0, ImmutableList.of()));
  }

  @Test
  void alignment_ofTheBufferItself_countsFromTheBaseAddress() {
    PlanningProblem.Builder builder = PlanningProblem.builder("aligned").alignment(1);
    builder.addArena(Arena.of(1).withCapacity(40).withAlignment(0, 8));
    builder.addArena(Arena.of(2));
    builder.addBuffer(10, 0, 0);
    PlanningProblem problem = builder.bufferAlignment(0, 32).build();
    PlacementExplanation it =
        PlacementExplanation.of(problem, MemoryPlan.builder(problem).place(0, 1, 0).build(), 0);
    assertThat(it.candidates().get(0))
        .isEqualTo(new Candidate(0, Verdict.HAS_ROOM, 10, 10, 24, ImmutableList.of()));
  }

  @Test
  void fixedOffset_takenByAnother_isNoGapWhateverElseIsFree() {
    PlanningProblem.Builder builder = PlanningProblem.builder("fixed").alignment(1);
    builder.addArena(Arena.of(1).withCapacity(100));
    builder.addArena(Arena.of(2).withCapacity(100));
    builder.addBuffer(10, 0, 0);
    builder.addBuffer(10, 0, 0);
    PlanningProblem problem = builder.fixedOffset(0, 20).build();
    MemoryPlan plan = MemoryPlan.builder(problem).place(0, 1, 20).place(1, 0, 15).build();
    PlacementExplanation it = PlacementExplanation.of(problem, plan, 0);
    assertThat(it.fixedOffset()).isEqualTo(20);
    assertThat(it.candidates().get(0))
        .isEqualTo(
            new Candidate(0, Verdict.NO_GAP, 10, 0, -1, ImmutableList.of(new Blocker(1, 15, 25))));
  }

  @Test
  void storageBacked_isExplainedByTheBufferThatItLiesIn() {
    PlanningProblem.Builder builder = PlanningProblem.builder("view").alignment(16);
    builder.addArena(Arena.of(1).withCapacity(64));
    builder.addArena(Arena.of(2).withCapacity(64));
    builder.addBuffer(48, 0, 1);
    builder.addBuffer(16, 1, 5);
    builder.addBuffer(32, 4, 4);
    PlanningProblem problem = builder.storage(1, 0, 32).pin(0, 1).build();
    MemoryPlan plan =
        MemoryPlan.builder(problem).place(0, 1, 0).place(1, 1, 32).place(2, 0, 0).build();
    PlacementExplanation it = PlacementExplanation.of(problem, plan, 1);
    assertThat(it.block()).isZero();
    assertThat(it.offsetInBlock()).isEqualTo(32);
    assertThat(it.offsetBytes()).isEqualTo(32);
    assertThat(it.allowed()).isEqualTo(ImmutableIntArray.of(1));
    assertThat(it.candidates().get(0).verdict()).isEqualTo(Verdict.CLOSED);
    // The base lives as long as the view does, so that buffer 2 would be in its way.
    assertThat(PlacementExplanation.of(problem, plan, 2).candidates().get(1))
        .isEqualTo(
            new Candidate(1, Verdict.NO_GAP, 32, 16, 48, ImmutableList.of(new Blocker(0, 0, 48))));
  }
}
