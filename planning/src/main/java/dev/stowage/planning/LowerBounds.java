package dev.stowage.planning;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Bytes that no plan of a problem can go below, from liveness alone: at each step all live buffers
 * lie side by side. Also where the peak is, and who is live there.
 *
 * <p>Storage-backed buffers count through their bases. O(n log n).
 */
public final class LowerBounds {
  private static final int ANY_ARENA = -1;
  private static final int UNKNOWN = -2;

  private final PlanningProblem problem;
  private final long totalBytes;
  private final int peakStep;
  private final long[] byMemId;

  private LowerBounds(PlanningProblem problem, Peak total, long[] byMemId) {
    this.problem = problem;
    this.totalBytes = total.bytes;
    this.peakStep = total.step;
    this.byMemId = byMemId;
  }

  /** Computes the bounds. */
  public static LowerBounds of(PlanningProblem problem) {
    int highest = 1;
    for (Arena arena : problem.arenas()) {
      highest = Math.max(highest, arena.memId());
    }
    long[] byMemId = new long[highest + 1];
    int buffers = problem.bufferCount();
    int[] firstGap = firstGaps(problem);
    int[][] forced = forcedByArena(problem);
    for (int a = 0; a < problem.arenaCount(); a++) {
      if (forced[a].length > 0) {
        Arena arena = problem.arena(a);
        byMemId[arena.memId()] =
            ArenaRoom.endOf(arena, peak(problem, forced[a], a, firstGap).bytes)
                + arena.paddingBytes();
      }
    }
    int[] all = IntStream.range(0, buffers).filter(i -> ownBytes(problem, i)).toArray();
    return new LowerBounds(problem, peak(problem, all, ANY_ARENA, firstGap), byMemId);
  }

  /** For each arena the buffers that must be in it; without pins and banks that is all. */
  private static int[][] forcedByArena(PlanningProblem problem) {
    int[] arenaOf = new int[problem.bufferCount()];
    int[] counts = new int[problem.arenaCount()];
    int[] arenaOfSet = new int[problem.arenaSetCount()];
    Arrays.fill(arenaOfSet, UNKNOWN);
    for (int i = 0; i < arenaOf.length; i++) {
      if (!ownBytes(problem, i)) {
        arenaOf[i] = ANY_ARENA;
      } else if (problem.pinnedArena(i) >= 0) {
        arenaOf[i] = problem.pinnedArena(i);
      } else {
        int set = problem.arenaSet(i);
        arenaOfSet[set] = arenaOfSet[set] == UNKNOWN ? problem.forcedArena(i) : arenaOfSet[set];
        arenaOf[i] = arenaOfSet[set];
      }
      if (arenaOf[i] >= 0) {
        counts[arenaOf[i]]++;
      }
    }
    int[][] forced = new int[counts.length][];
    Arrays.setAll(forced, a -> new int[counts[a]]);
    int[] filled = new int[counts.length];
    for (int i = 0; i < arenaOf.length; i++) {
      if (arenaOf[i] >= 0) {
        forced[arenaOf[i]][filled[arenaOf[i]]++] = i;
      }
    }
    return forced;
  }

  /** Index of the first gap of each buffer, and the number of gaps. */
  private static int[] firstGaps(PlanningProblem problem) {
    int[] firstGap = new int[problem.bufferCount() + 1];
    for (int gap = 0; gap < problem.gapCount(); gap++) {
      firstGap[problem.gapBuffer(gap) + 1]++;
    }
    for (int i = 1; i < firstGap.length; i++) {
      firstGap[i] += firstGap[i - 1];
    }
    return firstGap;
  }

  /** Largest live sum over all arenas, reserved bytes and padding left out. */
  public long totalBytes() {
    return totalBytes;
  }

  /** First step at which the live sum is largest; 0 without buffers. */
  public int peakStep() {
    return peakStep;
  }

  /**
   * For each mem_id the largest live sum of what must be in that arena, plus its reserved bytes and
   * padding; 0 where nothing must be.
   */
  public long[] byMemId() {
    return byMemId.clone();
  }

  /** The buffers with bytes of their own that are live at the peak, in order. */
  public int[] liveAtPeak() {
    int[] all =
        IntStream.range(0, problem.bufferCount()).filter(i -> ownBytes(problem, i)).toArray();
    return liveAt(problem, all, peakStep);
  }

  /** Those of some buffers that have bytes and are live at a step, in their order. */
  static int[] liveAt(PlanningProblem problem, int[] members, int step) {
    boolean[] dead = new boolean[problem.bufferCount()];
    for (int g = 0; g < problem.gapCount(); g++) {
      dead[problem.gapBuffer(g)] |= problem.gapStart(g) <= step && step <= problem.gapEnd(g);
    }
    return Arrays.stream(members)
        .filter(
            i ->
                problem.sizeBytes(i) > 0
                    && problem.start(i) <= step
                    && step <= problem.end(i)
                    && !dead[i])
        .toArray();
  }

  /**
   * True if the sum of a valid plan's arenas is proved least. All plans are compared as if each
   * listed every bank, one that holds nothing with its reserved bytes, and the padding of every
   * other one: strategies differ in that. A plan that leaves out the padding is no such plan.
   */
  public boolean provesOptimal(MemoryPlan plan) {
    long[] needed = plan.neededBytes(problem);
    long total = 0;
    long least = 0;
    long reserved = 0;
    for (int a = 0; a < needed.length; a++) {
      Arena arena = problem.arena(a);
      long listed = plan.arenaSizeBytes(arena.memId());
      if (listed < needed[a]) {
        return false;
      }
      long empty = arena.managed() ? arena.reservedBytes() : 0;
      total += needed[a] >= 0 ? listed : empty;
      least += Math.max(empty, byMemId[arena.memId()]);
      reserved += empty;
    }
    return total <= Math.max(Math.max(least, totalBytes + reserved), plan.bound().bytes());
  }

  /** What no sum of arenas can go below: the best of what liveness proves. */
  public long provenBytes() {
    return Math.max(totalBytes, Arrays.stream(byMemId).sum());
  }

  private static boolean ownBytes(PlanningProblem problem, int buffer) {
    return problem.base(buffer) == PlanningProblem.NO_BASE;
  }

  /**
   * A largest live sum, and the first step at which it is reached.
   *
   * @param bytes the sum
   * @param step of the problem
   */
  record Peak(long bytes, int step) {}

  /** The peak of some buffers, at the alignment of an arena, or of the problem if that is -1. */
  static Peak peak(PlanningProblem problem, int[] members, int arena) {
    return peak(problem, members, arena, firstGaps(problem));
  }

  /** The peak of some buffers, at the alignment of an arena or of the problem. */
  private static Peak peak(PlanningProblem problem, int[] members, int arena, int[] firstGap) {
    // Two sorted lists of times, with the bytes that come or go; at one step all come first.
    int n = 0;
    for (int i : members) {
      n += 1 + firstGap[i + 1] - firstGap[i];
    }
    long[] comes = new long[n];
    long[] goes = new long[n];
    long[] bytes = new long[n];
    int found = 0;
    for (int i : members) {
      int from = problem.start(i);
      long size = arena == ANY_ARENA ? problem.allocatedBytes(i) : problem.allocatedBytes(i, arena);
      for (int gap = firstGap[i]; gap < firstGap[i + 1]; gap++) {
        if (problem.gapStart(gap) > from) {
          comes[found] = key(from, found);
          goes[found] = key(problem.gapStart(gap) - 1, found);
          bytes[found++] = size;
        }
        from = problem.gapEnd(gap) + 1;
      }
      if (from <= problem.end(i)) {
        comes[found] = key(from, found);
        goes[found] = key(problem.end(i), found);
        bytes[found++] = size;
      }
    }
    Arrays.sort(comes, 0, found);
    Arrays.sort(goes, 0, found);
    long live = 0;
    long best = 0;
    int bestStep = 0;
    int gone = 0;
    for (int i = 0; i < found; i++) {
      int step = (int) (comes[i] >>> 32);
      while ((int) (goes[gone] >>> 32) < step) {
        live -= bytes[(int) goes[gone++]];
      }
      live += bytes[(int) comes[i]];
      if (live > best) {
        best = live;
        bestStep = step;
      }
    }
    return new Peak(best, bestStep);
  }

  private static long key(int step, int index) {
    return ((long) step << 32) | index;
  }
}
