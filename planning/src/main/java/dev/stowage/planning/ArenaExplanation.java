package dev.stowage.planning;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import dev.stowage.memmap.ReservedRange;
import java.util.Comparator;

/**
 * What keeps an arena of a plan from being smaller: what is live in it at one time and, above that,
 * the buffers that hold one another up.
 *
 * @param arena its index
 * @param sizeBytes in the plan
 * @param boundBytes what no plan with these buffers in it can go below: what of them is live at one
 *     step, with what is reserved below it and the padding above it
 * @param peakStep the first step at which that is so
 * @param live the blocks that are live then, the largest first
 * @param chain from the buffer that ends highest down to the floor, each directly above the next of
 *     those that must not share bytes with it; empty if the arena holds nothing
 * @param topBytes above the end of the first of the chain: padding, and what is read past its end
 */
public record ArenaExplanation(
    int arena,
    long sizeBytes,
    long boundBytes,
    int peakStep,
    ImmutableList<Integer> live,
    ImmutableList<Link> chain,
    long topBytes) {

  /**
   * A buffer that holds another up.
   *
   * @param block the buffer
   * @param fromBytes its offset
   * @param toBytes where it ends
   * @param gapBytes between it and what is below it: the next of the chain, or for the last one
   *     what somebody else owns, or the floor
   */
  public record Link(int block, long fromBytes, long toBytes, long gapBytes) {}

  /** What the plan has above the bound, in bytes; 0 if the arena cannot be smaller. */
  public long fragmentationBytes() {
    return Math.max(0, sizeBytes - boundBytes);
  }

  /**
   * Explains the size of an arena.
   *
   * @param plan of the problem
   * @param arena its index
   */
  public static ArenaExplanation of(PlanningProblem problem, MemoryPlan plan, int arena) {
    Blocks blocks = new Blocks(problem);
    int[] members =
        blocks.all().stream()
            .filter(it -> plan.arena(it) == arena && problem.sizeBytes(it) > 0)
            .toArray();
    Arena it = problem.arena(arena);
    long size = plan.arenaSizeBytes(it.memId());
    if (members.length == 0) {
      return new ArenaExplanation(arena, size, size, 0, ImmutableList.of(), ImmutableList.of(), 0);
    }
    LowerBounds.Peak peak = LowerBounds.peak(problem, members, arena);
    ImmutableList<Link> chain = chain(problem, plan, blocks, members, arena);
    long top = size - chain.get(0).toBytes;
    ImmutableList<Integer> live =
        Ints.asList(LowerBounds.liveAt(problem, members, peak.step())).stream()
            .sorted(
                Comparator.<Integer>comparingLong(b -> problem.allocatedBytes(b, arena)).reversed())
            .collect(ImmutableList.toImmutableList());
    // Strategies may leave out the padding, and then it holds nothing up.
    long bound =
        ArenaRoom.endOf(it, peak.bytes()) + (top >= it.paddingBytes() ? it.paddingBytes() : 0);
    return new ArenaExplanation(arena, size, bound, peak.step(), live, chain, top);
  }

  private static ImmutableList<Link> chain(
      PlanningProblem problem, MemoryPlan plan, Blocks blocks, int[] members, int arena) {
    ImmutableList.Builder<Link> chain = ImmutableList.builder();
    int at = -1;
    long highest = -1;
    for (int member : members) {
      if (end(problem, plan, member, arena) > highest) {
        at = member;
        highest = end(problem, plan, member, arena);
      }
    }
    while (at >= 0) {
      long from = plan.offsetBytes(at);
      int below = -1;
      long floor = 0;
      for (int member : members) {
        long end = end(problem, plan, member, arena);
        if (end <= from
            && end > floor
            && (blocks.conflict(at, member) || blocks.apartFrom(at).contains(member))) {
          below = member;
          floor = end;
        }
      }
      long reserved = reservedBelow(problem.arena(arena), from);
      chain.add(
          new Link(at, from, end(problem, plan, at, arena), from - Math.max(reserved, floor)));
      at = reserved > floor ? -1 : below;
    }
    return chain.build();
  }

  private static long end(PlanningProblem problem, MemoryPlan plan, int block, int arena) {
    return plan.offsetBytes(block) + problem.allocatedBytes(block, arena);
  }

  /** The end of what is reserved below an offset, 0 if nothing is. */
  private static long reservedBelow(Arena arena, long offset) {
    long end = arena.reservedBytes() <= offset ? arena.reservedBytes() : 0;
    for (ReservedRange range : arena.reservedRanges()) {
      end = range.endBytes() <= offset ? Math.max(end, range.endBytes()) : end;
    }
    return end;
  }
}
