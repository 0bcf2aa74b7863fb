package dev.stowage.verifier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.planning.Arena;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.ClaimedPlan.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ProblemVerifierTest {
  /** Case s02: producer and consumer meet at one step. */
  private static PlanningProblem touchingPair(boolean inPlace) {
    PlanningProblem.Builder builder = PlanningProblem.builder("s02").alignment(1);
    int a = builder.addBuffer(4096, 6, 7);
    int b = builder.addBuffer(4096, 7, 10);
    builder.addBuffer(1024, 8, 10);
    return (inPlace ? builder.storage(b, a, 0) : builder).build();
  }

  private static ClaimedPlan at(long... offsets) {
    List<Place> places = new ArrayList<>();
    for (int i = 0; i < offsets.length; i++) {
      places.add(new Place(i, 1, -1, offsets[i]));
    }
    return ClaimedPlan.of(places, 0, 1L << 40);
  }

  private static List<String> summaries(PlanningProblem problem, ClaimedPlan plan) {
    return ProblemVerifier.verify(problem, plan).stream()
        .map(
            finding ->
                finding.kind()
                    + " "
                    + finding.subjects().stream().map(Finding.Subject::number).toList())
        .toList();
  }

  @Test
  void touchingPair_partlyOverlapping_isRejected() {
    assertThat(summaries(touchingPair(false), at(0, 1024, 0))).containsExactly("overlap [0, 1]");
  }

  @Test
  void touchingPair_apart_isAccepted() {
    assertThat(summaries(touchingPair(false), at(0, 4096, 0))).isEmpty();
  }

  @Test
  void touchingPair_sameSlice_isAcceptedOnlyWhereDeclared() {
    assertThat(summaries(touchingPair(true), at(0, 0, 4096))).isEmpty();
    assertThat(summaries(touchingPair(false), at(0, 0, 4096))).containsExactly("overlap [0, 1]");
  }

  @Test
  void inputThatIsOutput_overwritten_isRejected() {
    PlanningProblem.Builder builder = PlanningProblem.builder("s05").alignment(1);
    builder.addBuffer(32, 0, 2);
    builder.addBuffer(32, 1, 2);
    PlanningProblem problem = builder.build();

    List<Finding> findings = ProblemVerifier.verify(problem, at(0, 16));

    assertThat(findings).extracting(Finding::kind).containsExactly(FindingKind.OVERLAP);
    assertThat(findings.get(0).message())
        .isEqualTo(
            "buffer 0 at [0, 32) of mem_id 1, live over steps [0, 2], and"
                + " buffer 1 at [16, 48) of mem_id 1, live over steps [1, 2],"
                + " share bytes while both are live");
  }

  @Test
  void view_keepsBaseAlive() {
    PlanningProblem.Builder builder = PlanningProblem.builder("s06").alignment(1);
    int base = builder.addBuffer(256, 0, 1);
    builder.storage(builder.addBuffer(256, 1, 4), base, 0);
    builder.addBuffer(256, 2, 3);
    PlanningProblem problem = builder.build();

    assertThat(summaries(problem, at(0, 0, 0))).containsExactly("overlap [0, 2]");
    assertThat(summaries(problem, at(0, 0, 256))).isEmpty();
    assertThat(summaries(problem, at(0, 256, 512))).containsExactly("storage-misplaced [1, 0]");
  }

  @Test
  void siblings_sharingBytesOfTheirBase_areFound() {
    PlanningProblem.Builder builder = PlanningProblem.builder("siblings").alignment(16);
    int base = builder.addBuffer(128, 0, 9);
    int left = builder.addBuffer(64, 1, 4);
    int right = builder.addBuffer(64, 4, 6);
    int inRight = builder.addBuffer(32, 4, 6);
    builder.storage(left, base, 0).storage(right, base, 48).storage(inRight, right, 16);

    assertThat(summaries(builder.build(), at(0, 0, 48, 64)))
        .containsExactly("sibling-overlap [1, 2]");
  }

  @Test
  void chosenParts_neitherAlignedNorApart_areForTheProgramToJudge() {
    PlanningProblem.Builder builder = PlanningProblem.builder("chosen").alignment(16);
    int base = builder.addBuffer(128, 0, 9);
    int left = builder.addBuffer(64, 1, 4);
    int right = builder.addBuffer(61, 4, 6);
    int inLeft = builder.addBuffer(32, 4, 6);
    builder.storage(left, base, 0).storage(right, base, 3).storage(inLeft, left, 16);
    builder.chosenPart(right);

    assertThat(summaries(builder.build(), at(0, 0, 3, 16))).isEmpty();
    assertThat(summaries(builder.build(), at(0, 0, 4, 16)))
        .containsExactly("storage-misplaced [2, 0]");
    builder.storage(right, base, 68);
    assertThat(summaries(builder.build(), at(0, 0, 68, 16)))
        .as("its 61 bytes are not rounded, but one is too many")
        .containsExactly("storage-outside-base [2, 0]");
  }

  @Test
  void storage_pastTheEndOfItsBase_isFound() {
    PlanningProblem.Builder builder = PlanningProblem.builder("outside").alignment(16);
    int base = builder.addBuffer(100, 0, 9);
    builder.storage(builder.addBuffer(64, 1, 4), base, 48).storage(2, base, 64);
    builder.addBuffer(64, 5, 6);

    assertThat(summaries(builder.build(), at(0, 48, 64)))
        .as("100 bytes are 112 when rounded up, which the first needs and the second exceeds")
        .containsExactly("storage-outside-base [2, 0]");
  }

  @Test
  void offsets_nearTheLargestNumber_doNotOverflow() {
    PlanningProblem.Builder builder = PlanningProblem.builder("huge").alignment(1);
    builder.addBuffer(64, 0, 1);
    builder.addBuffer(64, 1, 2);
    builder.addBuffer(64, 2, 3);

    List<Finding> findings =
        ProblemVerifier.verify(
            builder.build(), at(Long.MAX_VALUE - 1, Long.MAX_VALUE, Long.MIN_VALUE));

    assertThat(findings)
        .extracting(Finding::kind)
        .containsExactly(
            FindingKind.OUTSIDE_ARENA,
            FindingKind.OUTSIDE_ARENA,
            FindingKind.OUTSIDE_ARENA,
            FindingKind.OVERLAP);
    assertThat(findings.get(3).subjects().get(0).toBytes()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void pairs_aboveAThousand_areCounted() {
    PlanningProblem.Builder builder = PlanningProblem.builder("many").alignment(1);
    int count = 20_000;
    for (int i = 0; i < count; i++) {
      builder.addBuffer(1, 0, 0);
    }

    List<Finding> findings = ProblemVerifier.verify(builder.build(), at(new long[count]));

    assertThat(findings).hasSize(1_001);
    assertThat(findings.get(0).count()).isEqualTo(1);
    assertThat(findings.get(1_000).kind()).isEqualTo(FindingKind.OVERLAP);
    assertThat(findings.get(1_000).count()).isEqualTo(20_000L * 19_999 / 2 - 1_000);
  }

  @Test
  void longChainOfBases_isJudgedInLinearSpace() {
    PlanningProblem.Builder builder = PlanningProblem.builder("chain").alignment(1);
    int count = 100_000;
    builder.addBuffer(1, 0, 0);
    for (int i = 1; i < count; i++) {
      builder.addBuffer(1, 0, 0);
      builder.storage(i, i - 1, 0);
    }

    assertThat(ProblemVerifier.verify(builder.build(), at(new long[count]))).isEmpty();
  }

  @Test
  void validPlan_ofBenchmarkSize_isAccepted() {
    PlanningProblem.Builder builder = PlanningProblem.builder("large").alignment(16);
    int count = 100_000;
    long[] offsets = new long[count];
    for (int i = 0; i < count; i++) {
      builder.addBuffer(64, i, i + 99);
      offsets[i] = i % 100 * 64L;
    }

    assertThat(ProblemVerifier.verify(builder.build(), at(offsets))).isEmpty();
  }

  @Test
  void claims_twiceMissingAndUnknown_areFound() {
    PlanningProblem.Builder builder = PlanningProblem.builder("claims").alignment(1);
    builder.addBuffer(8, 0, 0);
    builder.addBuffer(8, 0, 0);
    ClaimedPlan plan =
        ClaimedPlan.of(
            List.of(new Place(0, 1, -1, 0), new Place(0, 1, -1, 8), new Place(7, 1, -1, 0)), 0, 8);

    assertThat(summaries(builder.build(), plan))
        .containsExactly("placed-twice [0]", "unknown-tensor []", "not-placed [1]");
  }

  @Test
  void arenas_pinnedClosedSetAndUnknown_areHeldTo() {
    PlanningProblem.Builder builder = PlanningProblem.builder("arenas").alignment(1);
    builder.addArena(Arena.of(1));
    int second = builder.addArena(Arena.of(2));
    int closed = builder.addArena(Arena.of(3).closed());
    int onlySecond = builder.addArenaSet(second);
    builder.pin(builder.addBuffer(8, 0, 0), closed);
    builder.pin(builder.addBuffer(8, 1, 1), closed);
    builder.addBuffer(8, 2, 2);
    builder.arenaSet(builder.addBuffer(8, 3, 3), onlySecond);
    builder.addBuffer(8, 4, 4);
    ClaimedPlan plan =
        ClaimedPlan.of(
            List.of(
                new Place(0, 3, -1, 0),
                new Place(1, 1, -1, 0),
                new Place(2, 3, -1, 0),
                new Place(3, 1, -1, 0),
                new Place(4, 9, -1, 0)),
            0,
            8,
            8,
            8);

    assertThat(summaries(builder.build(), plan))
        .containsExactly(
            "wrong-arena [1]", "closed-arena [2]", "closed-arena [3]", "closed-arena [4]");
  }

  @Test
  void alignment_afterUnalignedReservedBytes_hasItsOwnKind() {
    PlanningProblem.Builder builder = PlanningProblem.builder("reserved").alignment(16);
    builder.addArena(Arena.of(1).withReserved(40, 0).withCapacity(100));
    builder.addBuffer(16, 0, 0);
    builder.addBuffer(16, 1, 1);
    builder.addBuffer(16, 2, 2);
    ClaimedPlan plan =
        ClaimedPlan.of(
            List.of(new Place(0, 1, -1, 56), new Place(1, 1, -1, 60), new Place(2, 1, -1, 32)),
            0,
            101);

    assertThat(summaries(builder.build(), plan))
        .containsExactly(
            "reserved-misaligned [0]", "misaligned [1]", "in-reserved [2]", "over-capacity []");
  }

  @Test
  void bufferAlignment_countsFromTheAddressOfTheArena() {
    PlanningProblem.Builder builder = PlanningProblem.builder("address").alignment(8);
    builder.addArena(Arena.of(1).withAlignment(0, 0x1008));
    builder.bufferAlignment(builder.addBuffer(8, 0, 0), 64);
    builder.bufferAlignment(builder.addBuffer(8, 1, 1), 64);
    builder.fixedOffset(builder.addBuffer(8, 2, 2), 24);

    assertThat(summaries(builder.build(), at(64 - 8, 64, 16)))
        .containsExactly("misaligned [1]", "wrong-offset [2]");
  }

  @Test
  void separation_sharingBytesAtAnyTime_isFound() {
    PlanningProblem.Builder builder = PlanningProblem.builder("separation").alignment(1);
    builder.addBuffer(8, 0, 0);
    builder.addBuffer(8, 5, 5);
    builder.addBuffer(8, 9, 9);
    builder.separate(1, 0).separate(1, 2);

    assertThat(summaries(builder.build(), at(0, 7, 15))).containsExactly("separation [0, 1]");
  }

  @Test
  void objects_inSomeBuffersOnly_areIncompleteOncePerArena() {
    PlanningProblem.Builder builder = PlanningProblem.builder("objects").alignment(1);
    for (int i = 0; i < 3; i++) {
      builder.addBuffer(8, i, i);
    }
    ClaimedPlan plan =
        ClaimedPlan.of(
            List.of(new Place(0, 1, 0, 0), new Place(1, 1, -1, 0), new Place(2, 1, -1, 0)), 0, 8);

    assertThat(summaries(builder.build(), plan)).containsExactly("object-incomplete [1]");
  }

  @Test
  void gap_holdsAnotherBuffer_isAccepted() {
    PlanningProblem.Builder builder = PlanningProblem.builder("gap").alignment(1);
    int gapped = builder.addBuffer(8, 0, 9);
    builder.addGap(gapped, 2, 3).addGap(gapped, 5, 7);
    builder.addBuffer(8, 5, 7);
    builder.addBuffer(8, 2, 4);

    assertThat(summaries(builder.build(), at(0, 0, 0))).containsExactly("overlap [0, 2]");
  }

  @Test
  void sharingPairs_ofExecuTorchsHazard_areEight() {
    // The recorded placements of golden/pte/inplace_hazard, whose verify_storage_reuse is 8.
    long[][] buffers = {
      {128, 0, 8, 384},
      {128, 0, 8, 256},
      {16, 0, 6, 160},
      {32, 0, 6, 128},
      {128, 4, 6, 0},
      {128, 7, 10, 128},
      {128, 9, 12, 0},
      {128, 11, 14, 128},
      {128, 13, 15, 0},
    };
    PlanningProblem.Builder builder = PlanningProblem.builder("hazard").alignment(16);
    long[] offsets = new long[buffers.length];
    for (int i = 0; i < buffers.length; i++) {
      builder.addBuffer(buffers[i][0], (int) buffers[i][1], (int) buffers[i][2]);
      offsets[i] = buffers[i][3];
    }

    assertThat(ProblemVerifier.sharingPairs(builder.build(), at(offsets))).isEqualTo(8);
    assertThat(summaries(builder.build(), at(offsets))).isEmpty();
  }

  @Test
  void naming_ofAModel_isUsedInMessagesAndSubjects() {
    PlanningProblem.Builder builder = PlanningProblem.builder("named").alignment(1);
    builder.addBuffer(32, 0, 2);
    builder.bufferName(builder.addBuffer(32, 1, 2), "relu");

    List<Finding> findings =
        ProblemVerifier.verify(
            builder.build(),
            at(0, 16),
            new ProblemVerifier.Naming("tensor", buffer -> 40 + buffer, -1));

    assertThat(findings).hasSize(1);
    assertThat(findings.get(0).message())
        .isEqualTo(
            "tensor 40 at [0, 32) of mem_id 1, live over steps [-1, 1], and"
                + " tensor 41 (relu) at [16, 48) of mem_id 1, live over steps [0, 1],"
                + " share bytes while both are live");
    assertThat(findings.get(0).subjects().get(1))
        .isEqualTo(new Finding.Subject(41, "relu", 1, 16, 48, 0, 1));
  }

  @Test
  void largestAllocation_roundedSizeAboveIt_isFoundForOwnBytesOnly() {
    PlanningProblem.Builder builder = PlanningProblem.builder("largest").alignment(16);
    builder.addArena(Arena.of(1).withMaxAllocation(64));
    builder.addBuffer(64, 0, 1);
    int base = builder.addBuffer(65, 0, 1);
    builder.storage(builder.addBuffer(65, 1, 1), base, 0);

    assertThat(summaries(builder.build(), at(0, 64, 64)))
        .containsExactly("over-max-allocation [1]");
  }

  @Test
  @Timeout(60)
  void longChainBesideASibling_isJudgedWithoutLookingAtEachPairOfTheChain() {
    PlanningProblem.Builder builder = PlanningProblem.builder("chain").alignment(1);
    int count = 60_000;
    builder.addBuffer(8, 0, 0);
    for (int i = 1; i < count; i++) {
      builder.storage(builder.addBuffer(4, 0, 0), i - 1, 0);
    }
    builder.storage(builder.addBuffer(4, 0, 0), 0, 4);
    long[] apart = new long[count + 1];
    apart[count] = 4;

    assertThat(ProblemVerifier.verify(builder.build(), at(apart))).isEmpty();

    builder.storage(builder.addBuffer(4, 0, 0), 0, 0);
    long[] meeting = Arrays.copyOf(apart, count + 2);
    List<Finding> findings = ProblemVerifier.verify(builder.build(), at(meeting));
    assertThat(findings.get(0).subjects())
        .extracting(Finding.Subject::number)
        .containsExactly(1, count + 1);
    assertThat(findings.get(1_000).count()).isEqualTo(count - 1 - 1_000);
  }

  @Test
  @Timeout(60)
  void manyGaps_ofBuffersThatAlternate_areSteppedOver() {
    PlanningProblem.Builder builder = PlanningProblem.builder("gaps").alignment(1);
    int steps = 200_000;
    builder.addBuffer(8, 0, steps);
    builder.addBuffer(8, 0, steps + 1);
    for (int step = 1; step < steps; step += 2) {
      builder.addGap(0, step, step);
    }
    builder.addGap(0, steps, steps);
    for (int step = 0; step <= steps; step += 2) {
      builder.addGap(1, step, step);
    }

    assertThat(summaries(builder.build(), at(0, 0))).isEmpty();
  }
}
