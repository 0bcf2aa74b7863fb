package dev.stowage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Call;
import dev.stowage.base.DiagnosticException;
import dev.stowage.ir.Method;
import dev.stowage.passes.Verification;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.passes.lowering.LoweredProblem;
import dev.stowage.passes.lowering.LoweringTarget;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.ClaimedPlan.Place;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.FindingKind;
import dev.stowage.verifier.ProgramVerifier;
import dev.stowage.verifier.ReplayVerifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans that strategies make of random programs, and the same with a place moved, are replayed. */
class ReplayedPlansPropertyTest {
  private static final int PROGRAMS = 1_000;
  private static final LoweringTarget TARGET =
      new LoweringTarget(1, Optional.empty(), OptionalLong.empty());
  private static final ImmutableSet<FindingKind> OVERLAPS =
      ImmutableSet.of(
          FindingKind.OVERLAP, FindingKind.IN_PLACE_OVERLAP, FindingKind.SIBLING_OVERLAP);

  private final Planner planner = Planner.withInstalledStrategies();

  @ParameterizedTest
  @CsvSource({
    "sound, greedy, 600",
    "sound, first-fit, 600",
    "tflm, greedy, 300",
    "executorch, greedy, 600"
  })
  void plans_whereNoTwoOverlap_loseNoBytes(String profile, String strategy, int least) {
    int clean = 0;
    int broken = 0;
    for (int seed = 0; seed < PROGRAMS; seed++) {
      Random random = new Random(seed);
      for (Method method : GeneratedPrograms.of(seed).methods()) {
        Optional<ClaimedPlan> plan = plan(method, profile, strategy);
        if (plan.isPresent()) {
          clean += agrees("seed " + seed, method, plan.get()) ? 1 : 0;
          broken += agrees("moved, seed " + seed, method, moved(plan.get(), random)) ? 0 : 1;
        }
      }
    }
    assertThat(clean).isGreaterThan(least);
    assertThat(broken).isGreaterThan(least / 10);
  }

  /** The plan, or none where the profile or the strategy refuses what the program has. */
  private Optional<ClaimedPlan> plan(Method method, String profile, String strategy) {
    try {
      LoweredProblem lowered = Profiles.named(profile).lower(method, new Analyses(), TARGET);
      return planner.plan(lowered.problem(), Call.parse("test", strategy))
              instanceof PlanningOutcome.Planned planned
          ? Optional.of(Verification.claim(lowered, planned.plan()))
          : Optional.empty();
    } catch (DiagnosticException e) {
      return Optional.empty();
    }
  }

  private static ClaimedPlan moved(ClaimedPlan plan, Random random) {
    List<Place> places = new ArrayList<>(plan.places());
    if (!places.isEmpty()) {
      int index = random.nextInt(places.size());
      Place old = places.get(index);
      places.set(index, new Place(old.subject(), old.memId(), -1, random.nextInt(1_000)));
    }
    return ClaimedPlan.of(places, plan.arenaSizes());
  }

  /** Whether no two overlap; the replay then finds nothing. */
  private static boolean agrees(String what, Method method, ClaimedPlan plan) {
    ImmutableList<Finding> lost = ReplayVerifier.verify(method, plan);
    List<Finding> found =
        ProgramVerifier.verify(method, plan, ProgramVerifier.Rules.aligned(1)).stream()
            .filter(finding -> finding.kind() != FindingKind.OUTSIDE_ARENA)
            .toList();
    boolean clean = found.stream().noneMatch(finding -> OVERLAPS.contains(finding.kind()));
    if (clean && found.stream().noneMatch(it -> it.kind() == FindingKind.STORAGE_MISPLACED)) {
      assertThat(lost).as("%s: %s", what, found).isEmpty();
    }
    return clean;
  }
}
