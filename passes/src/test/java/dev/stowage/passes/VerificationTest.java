package dev.stowage.passes;

import static dev.stowage.passes.Texts.SETTINGS;
import static dev.stowage.passes.Texts.TARGET;
import static dev.stowage.passes.Texts.method;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.Call;
import dev.stowage.ir.Method;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.passes.lowering.LoweredProblem;
import dev.stowage.passes.lowering.Profile;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.Finding;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerificationTest {
  private static final Method CHAIN =
      method(
          """
          %0 : u8[64] {origin=10} = input
          %1 : u8[32] {origin=11} = relu(%0)
          %2 : u8[32] {origin=12} = relu(%1)
          output(%2)
          """);

  /** ExecuTorch gives the bytes below %2 to %4, though the node that writes %4 reads %2. */
  private static final Method HAZARD =
      method(
          """
          %0 : u8[64] = input
          %1 : u8[64] = relu(%0)
          %2 : u8[64] mutates %1 = add_(inout %1, %0)
          %3 : u8[64] = relu(%0)
          %4 : u8[64] = add(%2, %3)
          output(%4)
          """);

  private static LoweredProblem lower(Method method, String profile) {
    return Profiles.named(profile).lower(method, new Analyses(), TARGET);
  }

  private static Verification judge(Method method, String profile, ClaimedPlan plan) {
    return Verification.of(method, Profiles.named(profile), lower(method, profile), plan);
  }

  private static List<String> summaries(Verification verification) {
    return verification.findings().stream()
        .map(
            rated ->
                "%s %s %s"
                    .formatted(
                        rated.severity(),
                        rated.finding().kind(),
                        rated.finding().subjects().stream().map(Finding.Subject::number).toList()))
        .toList();
  }

  private static ClaimedPlan.Place place(int number, long offset) {
    return new ClaimedPlan.Place(number, 1, 0, offset);
  }

  @Test
  void claim_plan_goesByTheNumbersOfTheSource() {
    LoweredProblem lowered = lower(CHAIN, "sound");
    PlanningOutcome outcome = SETTINGS.planner().plan(lowered.problem(), Call.of("naive"));
    MemoryPlan plan = ((PlanningOutcome.Planned) outcome).plan();
    ClaimedPlan claim = Verification.claim(lowered, plan);
    assertThat(claim.places()).containsExactly(place(10, 0), place(11, 64), place(12, 96));
    assertThat(claim.arenaSizes()).containsExactly(0, 128);
    assertThat(summaries(judge(CHAIN, "sound", claim))).isEmpty();
  }

  @Test
  void of_overlapThatBothVerifiersFind_isReportedOnce() {
    ClaimedPlan plan = ClaimedPlan.of(List.of(place(10, 0), place(11, 64), place(12, 80)), 0, 128);
    Verification verification = judge(CHAIN, "sound", plan);
    assertThat(summaries(verification)).containsExactly("error overlap [11, 12]");
    Finding.Subject subject = verification.findings().get(0).finding().subjects().get(1);
    assertThat(subject.fromBytes()).isEqualTo(80);
    assertThat(subject.toBytes()).isEqualTo(112);
  }

  @Test
  void of_tensorWithoutAPlace_isReportedOnce() {
    ClaimedPlan plan = ClaimedPlan.of(List.of(place(10, 0), place(12, 0)), 0, 128);
    assertThat(summaries(judge(CHAIN, "sound", plan))).containsExactly("error not-placed [11]");
  }

  @Test
  void of_findingOfTheProblemAlone_isByTheNumbersOfTheSource() {
    // Only the problem knows shared objects.
    ClaimedPlan plan =
        ClaimedPlan.of(
            List.of(place(10, 0), place(11, 64), new ClaimedPlan.Place(12, 1, 1, 0)), 0, 128);
    assertThat(summaries(judge(CHAIN, "sound", plan)))
        .containsExactly("error object-mismatch [10, 12]");
    assertThat(judge(CHAIN, "sound", plan).findings().get(0).finding().message())
        .startsWith("tensor 10 at [0, 64)")
        .contains("tensor 12 at [0, 32)");
  }

  @Test
  void of_profileWithAnotherFirstStep_showsItsSteps() {
    Method method = method("%0 : u8[64] = input\n%1 : u8[64] = A(%0)\noutput(%1)");
    // Without objects in one place and with in another: a finding of the problem alone.
    ClaimedPlan plan =
        ClaimedPlan.of(List.of(new ClaimedPlan.Place(0, 1, -1, 0), place(1, 64)), 0, 128);
    Verification verification = judge(method, "tflm", plan);
    assertThat(verification.findings()).isNotEmpty();
    assertThat(verification.findings())
        .flatExtracting(rated -> rated.finding().subjects())
        .extracting(Finding.Subject::first)
        .allMatch(first -> first >= 0 && first <= 1);
  }

  @Test
  void of_inPlaceHazard_isAWarningWhereTheProfileForcesIt() {
    Profile executorch = Profiles.named("executorch");
    LoweredProblem lowered = lower(HAZARD, "executorch");
    PlanningOutcome outcome = SETTINGS.planner().plan(lowered.problem(), Call.of("greedy"));
    ClaimedPlan plan = Verification.claim(lowered, ((PlanningOutcome.Planned) outcome).plan());
    Verification verification = Verification.of(HAZARD, executorch, lowered, plan);
    assertThat(summaries(verification)).containsExactly("warning in-place-overlap [1, 4]");
    // ExecuTorch's own check sees no clash and counts the pair.
    assertThat(verification.storageReusePairs()).hasValue(1);
    assertThat(summaries(judge(HAZARD, "sound", plan)))
        .containsExactly("error in-place-overlap [1, 4]", "error overlap [1, 4]");
  }

  @Test
  void of_clash_countsNoPairs() {
    ClaimedPlan plan = ClaimedPlan.of(List.of(place(10, 0), place(11, 64), place(12, 80)), 0, 128);
    assertThat(judge(CHAIN, "executorch", plan).storageReusePairs()).isEmpty();
    assertThat(judge(CHAIN, "sound", plan).storageReusePairs()).isEmpty();
  }
}
