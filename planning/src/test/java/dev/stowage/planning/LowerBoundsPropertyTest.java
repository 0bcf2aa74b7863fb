package dev.stowage.planning;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bounds are those that adding up at every single step gives. */
class LowerBoundsPropertyTest {
  @Test
  void of_randomProblems_equalsTheSumsAtEveryStep() {
    for (int seed = 0; seed < 5_000; seed++) {
      PlanningProblem problem = problem(new Random(seed));
      LowerBounds bounds = LowerBounds.of(problem);
      long best = 0;
      int bestStep = 0;
      for (int step = 0; step <= problem.horizon(); step++) {
        long sum = sum(problem, step, -1);
        if (sum > best) {
          best = sum;
          bestStep = step;
        }
      }
      assertThat(bounds.totalBytes()).as("seed %s", seed).isEqualTo(best);
      assertThat(bounds.peakStep()).as("seed %s", seed).isEqualTo(bestStep);
      assertThat(bounds.byMemId()).as("seed %s", seed).isEqualTo(byMemId(problem));
      List<Integer> live = new ArrayList<>();
      for (int i = 0; i < problem.bufferCount(); i++) {
        if (problem.sizeBytes(i) > 0 && counts(problem, i, bestStep)) {
          live.add(i);
        }
      }
      assertThat(bounds.liveAtPeak())
          .as("seed %s", seed)
          .isEqualTo(live.stream().mapToInt(i -> i).toArray());
    }
  }

  private static long[] byMemId(PlanningProblem problem) {
    long[] bounds = new long[6];
    for (int a = 0; a < problem.arenaCount(); a++) {
      boolean used = false;
      for (int i = 0; i < problem.bufferCount(); i++) {
        used |= problem.base(i) == PlanningProblem.NO_BASE && forced(problem, i) == a;
      }
      long peak = 0;
      for (int step = 0; step <= problem.horizon(); step++) {
        peak = Math.max(peak, sum(problem, step, a));
      }
      Arena arena = problem.arena(a);
      bounds[arena.memId()] = used ? peak + arena.reservedBytes() + arena.paddingBytes() : 0;
    }
    return bounds;
  }

  private static long sum(PlanningProblem problem, int step, int arena) {
    int alignment = arena < 0 ? problem.alignment() : problem.arenaAlignment(arena);
    long sum = 0;
    for (int i = 0; i < problem.bufferCount(); i++) {
      if (counts(problem, i, step) && (arena < 0 || forced(problem, i) == arena)) {
        sum += (problem.sizeBytes(i) + alignment - 1) / alignment * alignment;
      }
    }
    return sum;
  }

  private static boolean counts(PlanningProblem problem, int buffer, int step) {
    boolean live = problem.start(buffer) <= step && step <= problem.end(buffer);
    for (int g = 0; g < problem.gapCount(); g++) {
      boolean inGap = problem.gapStart(g) <= step && step <= problem.gapEnd(g);
      live &= !(inGap && problem.gapBuffer(g) == buffer);
    }
    return live && problem.base(buffer) == PlanningProblem.NO_BASE;
  }

  private static int forced(PlanningProblem problem, int buffer) {
    if (problem.pinnedArena(buffer) >= 0) {
      return problem.pinnedArena(buffer);
    }
    List<Integer> open = new ArrayList<>();
    for (int a = 0; a < problem.arenaCount(); a++) {
      if (problem.arena(a).open()) {
        open.add(a);
      }
    }
    return open.size() == 1 ? open.get(0) : -1;
  }

  private static PlanningProblem problem(Random random) {
    PlanningProblem.Builder builder = PlanningProblem.builder("random").alignment(8);
    // The last arena has the highest mem_id.
    int arenas = 1 + random.nextInt(3);
    for (int a = 0; a < arenas; a++) {
      Arena arena = Arena.of(a == arenas - 1 ? 5 : 1 + a).withReserved(random.nextInt(20), 3);
      arena = random.nextBoolean() ? arena.withAlignment(32, 0) : arena;
      builder.addArena(a > 0 && random.nextBoolean() ? arena.closed() : arena);
    }
    int n = random.nextInt(9);
    for (int i = 0; i < n; i++) {
      int start = random.nextInt(10);
      int end = start + random.nextInt(8);
      builder.addBuffer(random.nextInt(5) * 10L, start, end);
      if (random.nextInt(3) == 0) {
        builder.pin(i, random.nextInt(arenas));
      }
      if (i > 0 && random.nextInt(4) == 0) {
        builder.storage(i, random.nextInt(5) == 0 ? -2 : random.nextInt(i), 0);
      }
      for (int at = start; random.nextInt(3) > 0 && at <= end; ) {
        int from = at + random.nextInt(end - at + 1);
        int to = from + random.nextInt(end - from + 1);
        builder.addGap(i, from, to);
        at = to + 1;
      }
    }
    return builder.build();
  }

  @Test
  @Timeout(60)
  void of_anArenaForEachBuffer_countsEachOnce() {
    PlanningProblem.Builder builder = PlanningProblem.builder("arenas").alignment(8);
    int count = 50_000;
    for (int i = 0; i < count; i++) {
      builder.addArena(Arena.of(i + 1).closed());
      builder.pin(builder.addBuffer(i + 1L, i, i), i);
    }

    long[] byMemId = LowerBounds.of(builder.build()).byMemId();

    assertThat(byMemId).hasSize(count + 1);
    assertThat(byMemId[1]).isEqualTo(8);
    assertThat(byMemId[count - 1]).isEqualTo(50_000);
  }
}
