package dev.stowage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.memmap.ReservedRange;
import dev.stowage.planning.Arena;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.FindingKind;
import dev.stowage.verifier.ProblemVerifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
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

  /** Its planners begin right behind the reserved bytes, aligned or not. */
  private static final ImmutableSet<FindingKind> OF_EXECUTORCH =
      ImmutableSet.of(FindingKind.RESERVED_MISALIGNED);

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
        judge(of, problem, outcome, least, OF_EXECUTORCH);
        if (text.equals("exhaustive")) {
          assertThat(outcome).as(of).isNotInstanceOf(PlanningOutcome.GaveUp.class);
          if (outcome instanceof PlanningOutcome.Planned planned) {
            assertThat(planned.plan().totalBytes()).as(of).isEqualTo(least);
          }
        }
      }
      PlanningOutcome last = planner.planWithFallbacks(problem, true, Deadline.NONE).outcome();
      judge("seed " + seed, problem, last, least, ImmutableSet.of());
      assertThat(last).as("seed " + seed).isNotInstanceOf(PlanningOutcome.GaveUp.class);
    }
  }

  /**
   * Judges an outcome by all plans there are.
   *
   * @param allowed what a strategy may get wrong, as ExecuTorch's does
   */
  private static void judge(
      String of,
      PlanningProblem problem,
      PlanningOutcome outcome,
      long least,
      ImmutableSet<FindingKind> allowed) {
    if (outcome instanceof PlanningOutcome.Planned planned) {
      MemoryPlan plan = planned.plan();
      List<Finding> findings =
          ProblemVerifier.verify(problem, ClaimedPlan.of(problem, plan)).stream()
              .filter(it -> !allowed.contains(it.kind()))
              .collect(Collectors.toList());
      assertThat(findings).as(of).isEmpty();
      boolean right = ProblemVerifier.verify(problem, ClaimedPlan.of(problem, plan)).isEmpty();
      if (right) {
        assertThat(least).as(of).isLessThan(Long.MAX_VALUE);
        LowerBounds bounds = LowerBounds.of(problem);
        assertThat(bounds.provenBytes()).as(of).isLessThanOrEqualTo(least);
        if (bounds.provesOptimal(plan)) {
          assertThat(total(problem, plan)).as(of).isEqualTo(least);
        }
      }
    } else if (outcome instanceof PlanningOutcome.Infeasible infeasible) {
      assertThat(least).as(of + ": " + infeasible.proof().render()).isEqualTo(Long.MAX_VALUE);
    }
  }

  /** What a plan takes, with the reserved bytes of the banks that it leaves empty. */
  private static long total(PlanningProblem problem, MemoryPlan plan) {
    long[] needed = plan.neededBytes(problem);
    return IntStream.range(0, needed.length)
        .mapToLong(
            a ->
                needed[a] >= 0
                    ? plan.arenaSizeBytes(problem.arena(a).memId())
                    : problem.arena(a).managed() ? problem.arena(a).reservedBytes() : 0)
        .sum();
  }

  /** Two to four buffers, some with another in their bytes, in one to three arenas of few bytes. */
  static PlanningProblem problem(Random random) {
    PlanningProblem.Builder builder = PlanningProblem.builder("small");
    int alignment = 1 + random.nextInt(2);
    builder.alignment(alignment);
    int arenas = 1 + random.nextInt(3);
    int open = random.nextInt(arenas);
    for (int a = 0; a < arenas; a++) {
      Arena arena = arena(random, 1 + a, alignment);
      builder.addArena(a != open && random.nextInt(5) == 0 ? arena.closed() : arena);
    }
    int[] sets = new int[] {0, builder.addArenaSet(arenas - 1), builder.addArenaSet(0)};
    int buffers = 2 + random.nextInt(3);
    int[] sizes = new int[buffers];
    for (int i = 0; i < buffers; i++) {
      int start = random.nextInt(4);
      sizes[i] = random.nextInt(6);
      builder.addBuffer(sizes[i], start, start + random.nextInt(3));
      switch (random.nextInt(8)) {
        case 0 -> builder.pin(i, random.nextInt(arenas));
        case 1 -> builder.pin(i, open).fixedOffset(i, alignment * (long) random.nextInt(4));
        case 2 -> builder.arenaSet(i, sets[random.nextInt(3)]);
        default -> ask(random, builder, i);
      }
    }
    if (random.nextInt(3) == 0) {
      addParts(random, builder, sizes, alignment);
    }
    return builder.build();
  }

  private static Arena arena(Random random, int memId, int alignment) {
    Arena arena = Arena.of(memId).withCapacity(4 + random.nextInt(10));
    if (random.nextInt(4) == 0) {
      arena = arena.withAlignment(alignment * (1 + random.nextInt(2)), random.nextInt(6));
    }
    long padding = random.nextInt(4) == 0 ? random.nextInt(5) : 0;
    if (random.nextInt(3) == 0) {
      // Aligned or not, but no more than there is.
      arena = arena.withReserved(random.nextInt(5), padding);
    } else {
      arena = arena.withReserved(0, padding);
    }
    if (random.nextInt(3) == 0) {
      long offset = random.nextInt(10);
      List<ReservedRange> ranges = new ArrayList<>();
      ranges.add(new ReservedRange(offset, 1 + random.nextInt(4), "rom"));
      if (random.nextBoolean()) {
        ranges.add(new ReservedRange(offset + 5, 1 + random.nextInt(3), "boot"));
      }
      arena = arena.withReservedRanges(ranges);
    }
    return random.nextInt(5) == 0 ? arena.withMaxAllocation(1 + random.nextInt(8)) : arena;
  }

  private static void ask(Random random, PlanningProblem.Builder builder, int buffer) {
    switch (random.nextInt(6)) {
      case 0 -> builder.bufferAlignment(buffer, 1 + random.nextInt(4));
      case 1 -> builder.overRead(buffer, random.nextInt(7));
      case 2 -> {
        if (buffer > 0) {
          builder.separate(buffer, random.nextInt(buffer));
        }
      }
      default -> {}
    }
  }

  /** One buffer in the bytes of each of some others, and pairs of all that must not share. */
  private static void addParts(
      Random random, PlanningProblem.Builder builder, int[] sizes, int alignment) {
    for (int base = 0; base < sizes.length; base++) {
      int units = sizes[base] / alignment;
      if (units > 0 && random.nextInt(3) > 0) {
        int offset = alignment * random.nextInt(units);
        int size = random.nextInt(alignment * units - offset + 1);
        int part = builder.addBuffer(size, 1, 1 + random.nextInt(2));
        builder.storage(part, base, offset);
        if (random.nextInt(3) == 0) {
          ask(random, builder, part);
        }
        builder.separate(part, random.nextInt(sizes.length));
      }
    }
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

    /** Parts come after their bases. */
    private void place(int buffer) {
      if (buffer == arena.length) {
        least = Math.min(least, total());
        return;
      }
      int base = problem.base(buffer);
      for (int a = 0; a < problem.arenaCount(); a++) {
        for (long at = 0; at <= problem.arena(a).capacityBytes(); at++) {
          boolean inBase =
              base == PlanningProblem.NO_BASE
                  || (a == arena[base] && at == offset[base] + problem.baseOffset(buffer));
          if (inBase && mayGoTo(buffer, a) && mayLie(buffer, a, at)) {
            arena[buffer] = a;
            offset[buffer] = at;
            place(buffer + 1);
          }
        }
      }
    }

    private boolean mayGoTo(int buffer, int a) {
      int pin = problem.pinnedArena(buffer);
      int set = problem.arenaSet(buffer);
      if (pin >= 0) {
        return pin == a;
      }
      return (set == 0 && problem.base(buffer) >= 0)
          || IntStream.of(problem.arenaSetMembers(set)).anyMatch(it -> it == a);
    }

    private boolean mayLie(int buffer, int a, long at) {
      Arena it = problem.arena(a);
      boolean part = problem.base(buffer) >= 0;
      long bytes = problem.allocatedBytes(buffer, a);
      long fixed = problem.fixedOffset(buffer);
      long end = Math.max(at + bytes, it.reservedBytes());
      if ((fixed >= 0 && at != fixed)
          || at % (part ? problem.alignment() : problem.arenaAlignment(a)) != 0
          || (it.baseAddress() + at) % problem.bufferAlignment(buffer) != 0
          || (!part && bytes > it.maxAllocationBytes())
          || end + it.paddingBytes() > it.capacityBytes()
          || at + problem.sizeBytes(buffer) + problem.overReadBytes(buffer) > it.capacityBytes()) {
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
            && (separated(buffer, other)
                || (problem.overlapInTime(buffer, other) && problem.base(buffer) != other))) {
          return false;
        }
      }
      return true;
    }

    private boolean separated(int one, int other) {
      return IntStream.range(0, problem.separationCount())
          .anyMatch(
              s ->
                  (problem.separation(s, 0) == one && problem.separation(s, 1) == other)
                      || (problem.separation(s, 0) == other && problem.separation(s, 1) == one));
    }

    /** Banks that hold nothing count with their reserved bytes. */
    private long total() {
      long[] ends = new long[problem.arenaCount()];
      for (int a = 0; a < ends.length; a++) {
        ends[a] = problem.arena(a).managed() ? problem.arena(a).reservedBytes() : 0;
      }
      for (int i = 0; i < arena.length; i++) {
        int a = arena[i];
        Arena it = problem.arena(a);
        long end = Math.max(it.reservedBytes(), offset[i] + problem.allocatedBytes(i, a));
        ends[a] = Math.max(ends[a], end + it.paddingBytes());
        ends[a] = Math.max(ends[a], offset[i] + problem.sizeBytes(i) + problem.overReadBytes(i));
      }
      return LongStream.of(ends).sum();
    }
  }
}
