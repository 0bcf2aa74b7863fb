package dev.stowage.verifier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.Call;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.ClaimedPlan.Place;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class ProblemVerifierPropertyTest {
  private static final int ROUNDS = 2_000;

  @Test
  void verify_validPlan_findsNothing() {
    for (int seed = 0; seed < ROUNDS; seed++) {
      PlanningProblem problem = ProblemPlans.random(new Random(seed));
      assertThat(ProblemVerifier.verify(problem, ProblemPlans.firstFit(problem)))
          .as("seed %d", seed)
          .isEmpty();
    }
  }

  @Test
  void verify_planOfStrategy_findsNothing() {
    Planner planner = Planner.withInstalledStrategies();
    int planned = 0;
    for (int seed = 0; seed < ROUNDS; seed++) {
      PlanningProblem problem = ProblemPlans.random(new Random(seed));
      for (String strategy : List.of("naive", "greedy", "banked-greedy")) {
        if (planner.plan(problem, Call.of(strategy)) instanceof PlanningOutcome.Planned outcome) {
          planned++;
          assertThat(ProblemVerifier.verify(problem, ClaimedPlan.of(problem, outcome.plan())))
              .as("seed %d, %s", seed, strategy)
              .isEmpty();
        }
      }
    }
    assertThat(planned).isGreaterThan(ROUNDS);
  }

  @Test
  void verify_placesMovedAtRandom_findsThePairsThatAllPairsFind() {
    for (int seed = 0; seed < ROUNDS; seed++) {
      Random random = new Random(seed);
      PlanningProblem problem = ProblemPlans.random(random);
      ClaimedPlan valid = ProblemPlans.firstFit(problem);
      List<Place> places = new ArrayList<>(valid.places());
      for (int moves = 1 + random.nextInt(4); moves > 0; moves--) {
        int one = random.nextInt(places.size());
        int other = random.nextInt(places.size());
        switch (random.nextInt(3)) {
          case 0 -> move(places, one, places.get(one).memId(), random.nextInt(200));
          case 1 -> move(places, one, 1 + random.nextInt(problem.arenaCount()), 0);
          default -> {
            Place kept = places.get(one);
            move(places, one, places.get(other).memId(), places.get(other).offsetBytes());
            move(places, other, kept.memId(), kept.offsetBytes());
          }
        }
      }
      if (random.nextInt(4) == 0) {
        places.remove(random.nextInt(places.size()));
      }
      ClaimedPlan broken = ClaimedPlan.of(places, valid.arenaSizes());
      TreeSet<String> found = new TreeSet<>();
      for (Finding finding : ProblemVerifier.verify(problem, broken)) {
        if (finding.kind() == FindingKind.OVERLAP
            || finding.kind() == FindingKind.SIBLING_OVERLAP) {
          found.add(
              "%s %d %d"
                  .formatted(
                      finding.kind(),
                      finding.subjects().get(0).number(),
                      finding.subjects().get(1).number()));
        }
      }
      assertThat(found).as("seed %d", seed).isEqualTo(ProblemPlans.slowPairs(problem, broken));
      assertThat(ProblemVerifier.sharingPairs(problem, broken))
          .as("sharing pairs, seed %d", seed)
          .isEqualTo(slowSharing(problem, broken));
    }
  }

  @Test
  void verify_droppedShrunkOrMisaligned_isAlwaysFound() {
    for (int seed = 0; seed < ROUNDS; seed++) {
      Random random = new Random(seed);
      PlanningProblem problem = ProblemPlans.random(random);
      ClaimedPlan valid = ProblemPlans.firstFit(problem);
      int victim = random.nextInt(problem.bufferCount());

      List<Place> dropped = new ArrayList<>(valid.places());
      dropped.remove(victim);
      assertThat(kindsAbout(victim, problem, ClaimedPlan.of(dropped, valid.arenaSizes())))
          .as("dropped, seed %d", seed)
          .contains(FindingKind.NOT_PLACED);

      int memId = valid.places().get(victim).memId();
      if (valid.arenaSizeBytes(memId) > 0) {
        long[] sizes = valid.arenaSizes();
        sizes[memId]--;
        assertThat(ProblemVerifier.verify(problem, ClaimedPlan.of(valid.places(), sizes)))
            .as("shrunk, seed %d", seed)
            .extracting(Finding::kind)
            .contains(FindingKind.OUTSIDE_ARENA);
      }

      if (problem.alignment() > 1) {
        List<Place> misaligned = new ArrayList<>(valid.places());
        move(misaligned, victim, memId, misaligned.get(victim).offsetBytes() + 1);
        assertThat(kindsAbout(victim, problem, ClaimedPlan.of(misaligned, valid.arenaSizes())))
            .as("misaligned, seed %d", seed)
            .contains(FindingKind.MISALIGNED);
      }
    }
  }

  @Test
  void verify_objectsAtRandom_findsEveryBufferInAMismatch() {
    for (int seed = 0; seed < ROUNDS; seed++) {
      Random random = new Random(seed);
      PlanningProblem.Builder builder = PlanningProblem.builder("objects").alignment(1);
      builder.addArena(Arena.of(1));
      List<Place> places = new ArrayList<>();
      int count = 1 + random.nextInt(12);
      for (int i = 0; i < count; i++) {
        builder.addBuffer(random.nextInt(20), 2 * i, 2 * i);
        places.add(new Place(i, 1, random.nextInt(3), random.nextInt(60)));
      }
      PlanningProblem problem = builder.build();
      Set<Integer> wrong = new HashSet<>();
      for (Place a : places) {
        for (Place b : places) {
          if (a.memObjId() != b.memObjId() && ProblemPlans.shareBytes(problem, a, b)) {
            wrong.add(a.subject());
          }
        }
      }
      Set<Integer> found = new HashSet<>();
      for (Finding finding : ProblemVerifier.verify(problem, ClaimedPlan.of(places, 0, 100))) {
        assertThat(finding.kind()).isEqualTo(FindingKind.OBJECT_MISMATCH);
        Place a = places.get(finding.subjects().get(0).number());
        Place b = places.get(finding.subjects().get(1).number());
        assertThat(a.memObjId()).as("seed %d", seed).isNotEqualTo(b.memObjId());
        assertThat(ProblemPlans.shareBytes(problem, a, b)).as("seed %d", seed).isTrue();
        found.add(a.subject());
        found.add(b.subject());
      }
      assertThat(found).as("seed %d", seed).isEqualTo(wrong);
    }
  }

  private static void move(List<Place> places, int index, int memId, long offset) {
    Place old = places.get(index);
    places.set(index, new Place(old.subject(), memId, old.memObjId(), offset));
  }

  private static long slowSharing(PlanningProblem problem, ClaimedPlan plan) {
    long pairs = 0;
    for (Place a : plan.places()) {
      for (Place b : plan.places()) {
        if (a.subject() < b.subject() && ProblemPlans.shareBytes(problem, a, b)) {
          pairs++;
        }
      }
    }
    return pairs;
  }

  private static List<FindingKind> kindsAbout(
      int buffer, PlanningProblem problem, ClaimedPlan plan) {
    return ProblemVerifier.verify(problem, plan).stream()
        .filter(finding -> finding.subjects().stream().anyMatch(s -> s.number() == buffer))
        .map(Finding::kind)
        .toList();
  }
}
