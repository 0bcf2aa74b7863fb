package dev.stowage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.Call;
import dev.stowage.planning.ArenaExplanation;
import dev.stowage.planning.ArenaExplanation.Link;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlacementExplanation;
import dev.stowage.planning.PlacementExplanation.Candidate;
import dev.stowage.planning.PlacementExplanation.Verdict;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.FindingKind;
import dev.stowage.verifier.ProblemVerifier;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What explanations say of a plan is compared with moving each buffer to each byte. */
class ExplanationPropertyTest {
  private final Planner planner = Planner.withInstalledStrategies();

  @ParameterizedTest
  @ValueSource(strings = {"banked-greedy", "first-fit{order=start}", "exhaustive"})
  void explanations_ofSmallProblems_agreeWithTheVerifier(String strategy) {
    int plans = 0;
    for (int seed = 0; seed < 600; seed++) {
      PlanningProblem problem = SmallProblemsPropertyTest.problem(new Random(seed));
      if (planner.plan(problem, Call.parse("test", strategy))
              instanceof PlanningOutcome.Planned planned
          // ExecuTorch's planners begin at unaligned reserved bytes.
          && ProblemVerifier.verify(problem, ClaimedPlan.of(problem, planned.plan())).isEmpty()) {
        plans++;
        for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
          if (problem.base(buffer) == PlanningProblem.NO_BASE) {
            judge("seed " + seed, problem, planned.plan(), buffer);
          }
        }
        for (int arena = 0; arena < problem.arenaCount(); arena++) {
          judgeArena("seed " + seed, problem, planned.plan(), arena);
        }
      }
    }
    assertThat(plans).isGreaterThan(200);
  }

  private static void judge(String of, PlanningProblem problem, MemoryPlan plan, int buffer) {
    PlacementExplanation it = PlacementExplanation.of(problem, plan, buffer);
    for (Candidate candidate : it.candidates()) {
      String what = of + ", buffer " + buffer + ": " + candidate;
      int arena = candidate.arena();
      boolean open =
          problem.pinnedArena(buffer) >= 0
              ? problem.pinnedArena(buffer) == arena
              : IntStream.of(problem.arenaSetMembers(problem.arenaSet(buffer)))
                  .anyMatch(a -> a == arena);
      long lowest = open ? lowest(problem, plan, buffer, arena, false) : -1;
      switch (candidate.verdict()) {
        case CHOSEN -> {
          assertThat(plan.arena(buffer)).as(what).isEqualTo(arena);
          assertThat(candidate.offsetBytes()).as(what).isEqualTo(lowest);
        }
        case CLOSED -> assertThat(open).as(what).isFalse();
        case HAS_ROOM -> assertThat(candidate.offsetBytes()).as(what).isEqualTo(lowest);
        case NO_GAP, TOO_SMALL -> {
          assertThat(open).as(what).isTrue();
          assertThat(lowest).as(what).isEqualTo(-1);
          boolean fitsAlone = lowest(problem, plan, buffer, arena, true) >= 0;
          assertThat(candidate.verdict() == Verdict.NO_GAP).as(what).isEqualTo(fitsAlone);
        }
      }
    }
  }

  /** The lowest offset of an arena that the verifier lets a buffer have, or -1. */
  private static long lowest(
      PlanningProblem problem, MemoryPlan plan, int buffer, int arena, boolean alone) {
    for (long at = 0; at <= problem.arena(arena).capacityBytes(); at++) {
      MemoryPlan.Builder moved = MemoryPlan.builder(problem);
      for (int i = 0; i < problem.bufferCount(); i++) {
        // What lies in its bytes goes along.
        boolean moves = i == buffer || problem.base(i) == buffer;
        moved.place(
            i,
            moves ? arena : plan.arena(i),
            moves ? at + problem.baseOffset(i) : plan.offsetBytes(i));
      }
      List<Finding> findings =
          ProblemVerifier.verify(problem, ClaimedPlan.of(problem, moved.build())).stream()
              .filter(it -> !alone || !isAboutTwo(it))
              .toList();
      if (findings.isEmpty()) {
        return at;
      }
    }
    return -1;
  }

  private static boolean isAboutTwo(Finding finding) {
    return finding.kind() == FindingKind.OVERLAP || finding.kind() == FindingKind.SEPARATION;
  }

  private static void judgeArena(String of, PlanningProblem problem, MemoryPlan plan, int arena) {
    ArenaExplanation it = ArenaExplanation.of(problem, plan, arena);
    String what = of + ", arena " + arena + ": " + it;
    assertThat(it.boundBytes()).as(what).isLessThanOrEqualTo(it.sizeBytes());
    if (it.chain().isEmpty()) {
      return;
    }
    assertThat(it.chain().get(0).toBytes() + it.topBytes()).as(what).isEqualTo(it.sizeBytes());
    for (int i = 0; i < it.chain().size(); i++) {
      Link link = it.chain().get(i);
      assertThat(plan.offsetBytes(link.block())).as(what).isEqualTo(link.fromBytes());
      assertThat(link.gapBytes()).as(what).isNotNegative();
      if (i > 0) {
        Link above = it.chain().get(i - 1);
        assertThat(above.fromBytes() - above.gapBytes()).as(what).isEqualTo(link.toBytes());
      }
    }
  }
}
