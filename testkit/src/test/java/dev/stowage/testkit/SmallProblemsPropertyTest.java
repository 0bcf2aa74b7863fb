package dev.stowage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.memmap.ReservedRange;
import dev.stowage.planning.Arena;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.ProblemVerifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random maps, problems and constraints, so small that every place of every buffer can be tried:
 * what the strategies say of them is compared with that.
 */
class SmallProblemsPropertyTest {
  private static final List<String> STRATEGIES =
      List.of(
          "greedy",
          "banked-greedy",
          "naive",
          "first-fit",
          "first-fit{order=area}",
          "first-fit{order=lifetime}",
          "first-fit{order=start}",
          "exhaustive");

  private final Planner planner = Planner.withInstalledStrategies();

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void plan_smallProblems_isValidOrProvedImpossibleOnlyWhereItIs(int block) {
    for (int seed = block * 250; seed < (block + 1) * 250; seed++) {
      PlanningProblem problem = problem(new Random(seed));
      long least = new AllPlaces(problem).leastTotal();
      for (String text : STRATEGIES) {
        String of = "seed " + seed + ", " + text;
        PlanningOutcome outcome = planner.plan(problem, Call.parse("test", text), Deadline.NONE);
        judge(of, problem, outcome, least);
        if (text.equals("exhaustive")) {
          assertThat(outcome).as(of).isNotInstanceOf(PlanningOutcome.GaveUp.class);
          if (outcome instanceof PlanningOutcome.Planned planned) {
            assertThat(planned.plan().totalBytes()).as(of).isEqualTo(least);
          }
        }
      }
      PlanningOutcome last = planner.planWithFallbacks(problem, true, Deadline.NONE).outcome();
      judge("seed " + seed, problem, last, least);
      assertThat(last).as("seed " + seed).isNotInstanceOf(PlanningOutcome.GaveUp.class);
    }
  }

  private static void judge(
      String of, PlanningProblem problem, PlanningOutcome outcome, long least) {
    if (outcome instanceof PlanningOutcome.Planned planned) {
      MemoryPlan plan = planned.plan();
      assertThat(ProblemVerifier.verify(problem, ClaimedPlan.of(problem, plan))).as(of).isEmpty();
      assertThat(least).as(of).isLessThan(Long.MAX_VALUE);
    } else if (outcome instanceof PlanningOutcome.Infeasible infeasible) {
      assertThat(least).as(of + ": " + infeasible.proof().render()).isEqualTo(Long.MAX_VALUE);
    }
  }

  /** Three to five buffers in one to three arenas of a few bytes. */
  static PlanningProblem problem(Random random) {
    PlanningProblem.Builder builder = PlanningProblem.builder("small");
    int alignment = 1 + random.nextInt(2);
    builder.alignment(alignment);
    int arenas = 1 + random.nextInt(3);
    for (int a = 0; a < arenas; a++) {
      Arena arena = Arena.of(1 + a).withCapacity(4 + random.nextInt(10));
      if (random.nextInt(4) == 0) {
        arena = arena.withAlignment(alignment * (1 + random.nextInt(2)), random.nextInt(3) * 2L);
      }
      if (random.nextInt(4) == 0) {
        arena = arena.withReserved(alignment * 2L * random.nextInt(2), 0);
      }
      if (random.nextInt(4) == 0) {
        arena =
            arena.withReservedRanges(
                List.of(new ReservedRange(random.nextInt(6), 1 + random.nextInt(2), "rom")));
      }
      if (random.nextInt(5) == 0) {
        arena = arena.withMaxAllocation(1 + random.nextInt(8));
      }
      builder.addArena(a > 0 && random.nextInt(5) == 0 ? arena.closed() : arena);
    }
    int[] sets = new int[] {0, builder.addArenaSet(arenas - 1), builder.addArenaSet(0)};
    int buffers = 3 + random.nextInt(3);
    for (int i = 0; i < buffers; i++) {
      int start = random.nextInt(4);
      builder.addBuffer(random.nextInt(6), start, start + random.nextInt(3));
      switch (random.nextInt(8)) {
        case 0 -> builder.pin(i, random.nextInt(arenas));
        case 1 -> builder.pin(i, 0).fixedOffset(i, alignment * (long) random.nextInt(4));
        case 2 -> builder.arenaSet(i, sets[random.nextInt(3)]);
        case 3 -> builder.bufferAlignment(i, 1 + random.nextInt(4));
        case 4 -> builder.overRead(i, random.nextInt(4));
        case 5 -> {
          if (i > 0) {
            builder.separate(i, random.nextInt(i));
          }
        }
        default -> {}
      }
    }
    return builder.build();
  }

  /** The slow, obvious answer: each buffer in turn at each byte of each arena. */
  private static final class AllPlaces {
    private final PlanningProblem problem;
    private final int[] arena;
    private final long[] offset;
    private long least = Long.MAX_VALUE;

    AllPlaces(PlanningProblem problem) {
      this.problem = problem;
      arena = new int[problem.bufferCount()];
      offset = new long[problem.bufferCount()];
    }

    long leastTotal() {
      place(0);
      return least;
    }

    private void place(int buffer) {
      if (buffer == arena.length) {
        least = Math.min(least, total());
        return;
      }
      List<Integer> arenas = new ArrayList<>();
      if (problem.pinnedArena(buffer) >= 0) {
        arenas.add(problem.pinnedArena(buffer));
      } else {
        IntStream.of(problem.arenaSetMembers(problem.arenaSet(buffer))).forEach(arenas::add);
      }
      for (int a : arenas) {
        for (long at = 0; at <= problem.arena(a).capacityBytes(); at++) {
          if (mayLie(buffer, a, at)) {
            arena[buffer] = a;
            offset[buffer] = at;
            place(buffer + 1);
          }
        }
      }
    }

    private boolean mayLie(int buffer, int a, long at) {
      Arena it = problem.arena(a);
      long bytes = problem.allocatedBytes(buffer, a);
      long fixed = problem.fixedOffset(buffer);
      if ((fixed >= 0 && at != fixed)
          || at % problem.arenaAlignment(a) != 0
          || (it.baseAddress() + at) % problem.bufferAlignment(buffer) != 0
          || bytes > it.maxAllocationBytes()
          || at + Math.max(bytes, problem.sizeBytes(buffer) + problem.overReadBytes(buffer))
              > it.capacityBytes()) {
        return false;
      }
      if (bytes == 0) {
        return true;
      }
      if (at < it.reservedBytes()) {
        return false;
      }
      for (ReservedRange range : it.reservedRanges()) {
        if (at < range.endBytes() && range.offsetBytes() < at + bytes) {
          return false;
        }
      }
      for (int other = 0; other < buffer; other++) {
        if (arena[other] == a
            && problem.sizeBytes(other) > 0
            && at < offset[other] + problem.allocatedBytes(other, a)
            && offset[other] < at + bytes
            && (problem.overlapInTime(buffer, other) || separated(buffer, other))) {
          return false;
        }
      }
      return true;
    }

    private boolean separated(int one, int other) {
      return IntStream.range(0, problem.separationCount())
          .anyMatch(s -> problem.separation(s, 0) == one && problem.separation(s, 1) == other);
    }

    /** Banks that hold nothing count with their reserved bytes. */
    private long total() {
      long[] ends = new long[problem.arenaCount()];
      for (int a = 0; a < ends.length; a++) {
        ends[a] = problem.arena(a).managed() ? problem.arena(a).reservedBytes() : 0;
      }
      for (int i = 0; i < arena.length; i++) {
        int a = arena[i];
        long bytes = problem.allocatedBytes(i, a);
        long extent = Math.max(bytes, problem.sizeBytes(i) + problem.overReadBytes(i));
        ends[a] = Math.max(ends[a], Math.max(problem.arena(a).reservedBytes(), offset[i] + extent));
      }
      return LongStream.of(ends).sum();
    }
  }
}
