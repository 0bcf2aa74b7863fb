package dev.stowage.planning;

import static java.util.Comparator.comparingLong;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.memmap.ReservedRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Why a buffer is where it is: what a plan leaves free for it in each arena.
 *
 * <p>It is made of the problem and the plan alone, whatever strategy planned: the other buffers
 * stay where they are, and each arena is asked whether this one would have had a place there. A
 * buffer that lies in the bytes of another goes where that one goes, so the arenas are asked for
 * the other one.
 *
 * @param buffer what is explained
 * @param block the buffer in whose bytes it lies, itself if it has bytes of its own
 * @param offsetInBlock where it lies in them, in bytes
 * @param arena index of the arena that it lies in
 * @param offsetBytes from the start of that arena
 * @param allocatedBytes its size rounded up as that arena wants it
 * @param allowed indices of the arenas that the block may go to, in order of preference
 * @param fixedOffset at which the block must lie, or -1
 * @param candidates each arena, in order of preference
 */
public record PlacementExplanation(
    int buffer,
    int block,
    long offsetInBlock,
    int arena,
    long offsetBytes,
    long allocatedBytes,
    ImmutableIntArray allowed,
    long fixedOffset,
    ImmutableList<Candidate> candidates) {

  /** What became of an arena. */
  public enum Verdict {
    /** The block lies there. */
    CHOSEN,
    /** The block may not go there. */
    CLOSED,
    /** The block has no room there even if nothing else does. */
    TOO_SMALL,
    /** What else lies there leaves too little in one piece. */
    NO_GAP,
    /** There is room, but the strategy did not use it. */
    HAS_ROOM,
  }

  /**
   * An arena, asked for the block.
   *
   * @param arena its index
   * @param verdict what became of it
   * @param requiredBytes the block's size rounded up as the arena wants it, or what is read beyond
   *     that where it does not fit only for this
   * @param availableBytes of {@code requiredBytes}, what the best free range has
   * @param offsetBytes where that range begins, aligned as the block needs it; the lowest offset at
   *     which the block has room, if it has any; -1 where no range is aligned
   * @param blockers the blocks there that must not share bytes with it, the largest first; of the
   *     chosen arena only those that lie below it
   */
  public record Candidate(
      int arena,
      Verdict verdict,
      long requiredBytes,
      long availableBytes,
      long offsetBytes,
      ImmutableList<Blocker> blockers) {}

  /**
   * A block that lies in an arena.
   *
   * @param block its index
   * @param fromBytes its offset
   * @param toBytes where it ends
   */
  public record Blocker(int block, long fromBytes, long toBytes) {}

  /**
   * Explains a placement.
   *
   * @param plan of the problem
   */
  public static PlacementExplanation of(PlanningProblem problem, MemoryPlan plan, int buffer) {
    Blocks blocks = new Blocks(problem);
    int arena = plan.arena(buffer);
    int block = blocks.blockOf(buffer);
    ImmutableList.Builder<Candidate> candidates = ImmutableList.builder();
    if (block >= 0) {
      Question question = new Question(problem, plan, blocks, block);
      for (int a = 0; a < problem.arenaCount(); a++) {
        candidates.add(question.ask(a));
      }
    }
    return new PlacementExplanation(
        buffer,
        block >= 0 ? block : buffer,
        block >= 0 ? blocks.offsetInBlock(buffer) : 0,
        arena,
        plan.offsetBytes(buffer),
        problem.allocatedBytes(buffer, arena),
        block >= 0 ? blocks.arenas(block) : ImmutableIntArray.of(),
        block >= 0 ? blocks.fixedOffset(block) : -1,
        candidates.build());
  }

  /** Bytes from one offset up to another, which is not among them. */
  private record Range(long from, long to) {}

  /**
   * The best place for a block.
   *
   * @param offset where it would begin, or -1
   * @param missing bytes of what is required; 0 or less if it fits
   * @param required bytes
   */
  private record Fit(long offset, long missing, long required) {
    boolean isRoom() {
      return offset >= 0 && missing <= 0;
    }

    Candidate candidate(int arena, Verdict verdict, ImmutableList<Blocker> blockers) {
      long available = Math.min(required, Math.max(0, required - missing));
      return new Candidate(arena, verdict, required, available, offset, blockers);
    }
  }

  /** Where a block could be. */
  private record Question(PlanningProblem problem, MemoryPlan plan, Blocks blocks, int block) {
    Candidate ask(int arena) {
      ImmutableList<Blocker> blockers = blockers(arena);
      List<Range> taken = reserved(arena);
      Fit empty = best(arena, taken, /* alone= */ true);
      blockers.stream()
          .filter(it -> blocks.conflict(block, it.block))
          .forEach(it -> taken.add(new Range(it.fromBytes, it.toBytes)));
      Fit fit = best(arena, taken, /* alone= */ false);
      if (arena == plan.arena(block)) {
        ImmutableList<Blocker> below =
            blockers.stream()
                .filter(it -> it.toBytes <= plan.offsetBytes(block))
                .collect(ImmutableList.toImmutableList());
        return fit.candidate(arena, Verdict.CHOSEN, below);
      }
      if (!blocks.arenas(block).contains(arena)) {
        return fit.candidate(arena, Verdict.CLOSED, ImmutableList.of());
      }
      if (!empty.isRoom()) {
        return empty.candidate(arena, Verdict.TOO_SMALL, ImmutableList.of());
      }
      return fit.isRoom()
          ? fit.candidate(arena, Verdict.HAS_ROOM, ImmutableList.of())
          : fit.candidate(arena, Verdict.NO_GAP, blockers);
    }

    /** A block without bytes is in nobody's way, and nobody in its. */
    private ImmutableList<Blocker> blockers(int arena) {
      if (problem.sizeBytes(block) == 0) {
        return ImmutableList.of();
      }
      return blocks.all().stream()
          .filter(it -> it != block && plan.arena(it) == arena)
          .filter(it -> problem.allocatedBytes(it, arena) > 0)
          .filter(it -> blocks.conflict(block, it) || blocks.apartFrom(block).contains(it))
          .mapToObj(
              it ->
                  new Blocker(
                      it,
                      plan.offsetBytes(it),
                      plan.offsetBytes(it) + problem.allocatedBytes(it, arena)))
          .sorted(Comparator.<Blocker>comparingLong(it -> it.toBytes - it.fromBytes).reversed())
          .collect(ImmutableList.toImmutableList());
    }

    /** What somebody else owns; a block without bytes may lie in it. */
    private List<Range> reserved(int arena) {
      List<Range> ranges = new ArrayList<>();
      Arena it = problem.arena(arena);
      if (problem.sizeBytes(block) > 0) {
        ranges.add(new Range(0, it.reservedBytes()));
        for (ReservedRange range : it.reservedRanges()) {
          ranges.add(new Range(range.offsetBytes(), range.endBytes()));
        }
      }
      return ranges;
    }

    /** The lowest free range with room, else the one where least is missing. */
    private Fit best(int arena, List<Range> taken, boolean alone) {
      Arena it = problem.arena(arena);
      long end = it.usableEndBytes();
      List<Range> sorted = new ArrayList<>(taken);
      sorted.sort(comparingLong(Range::from));
      sorted.add(new Range(end, end));
      long needed = problem.allocatedBytes(block, arena);
      Fit best = new Fit(-1, needed, needed);
      long from = 0;
      for (Range next : sorted) {
        if (next.from >= from && !best.isRoom()) {
          Fit fit = fit(arena, from, Math.min(next.from, end), alone);
          best = fit.offset >= 0 && (best.offset < 0 || fit.missing < best.missing) ? fit : best;
        }
        from = Math.max(from, next.to);
      }
      long limit = it.maxAllocationBytes();
      return needed > limit && needed - limit > best.missing
          ? new Fit(best.offset, needed - limit, needed)
          : best;
    }

    /** The lowest aligned offset, from one on, at which all parts are clear of those of others. */
    private long clear(int arena, long from) {
      long at = blocks.alignedOffset(block, arena, from);
      long before = Blocks.NOWHERE;
      while (at != before && at != Blocks.NOWHERE) {
        before = at;
        for (int other : blocks.apartFrom(block)) {
          if (plan.arena(other) == arena && at != Blocks.NOWHERE) {
            long clear = blocks.clearOf(block, at, other, plan.offsetBytes(other), arena);
            at = clear == at ? at : blocks.alignedOffset(block, arena, clear);
          }
        }
      }
      return at;
    }

    private Fit fit(int arena, long from, long to, boolean alone) {
      long fixed = blocks.fixedOffset(block);
      long least = fixed < 0 ? from : Math.max(from, fixed);
      long offset = alone ? blocks.alignedOffset(block, arena, least) : clear(arena, least);
      long needed = problem.allocatedBytes(block, arena);
      if (offset < 0 || offset > to || (fixed >= 0 && offset != fixed)) {
        return new Fit(-1, needed, needed);
      }
      // What is only read past the end may belong to others and be padding, but not outside.
      long extent = blocks.extentBytes(block, arena);
      long missingAtEnd = extent - (problem.arena(arena).capacityBytes() - offset);
      long missing = needed - (to - offset);
      return missingAtEnd > missing
          ? new Fit(offset, missingAtEnd, extent)
          : new Fit(offset, missing, needed);
    }
  }
}
