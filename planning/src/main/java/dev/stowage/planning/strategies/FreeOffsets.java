package dev.stowage.planning.strategies;

import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.base.Diagnostic;
import dev.stowage.memmap.ReservedRange;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Blocks;
import dev.stowage.planning.Bound;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import java.util.Arrays;
import java.util.Optional;

/**
 * A plan in the making in which every block lies at a free offset of an arena, whatever the problem
 * asks of it: the lowest offset at which it is aligned, clear of all that it must not share bytes
 * with, and inside the arena.
 *
 * <p>Finding a place costs time in proportion to the blocks already in the arena.
 */
final class FreeOffsets {
  private static final int RESERVED = -1;

  private final PlanningProblem problem;
  private final Blocks blocks;
  private final boolean share;
  private final Shelf[] shelves;
  private final int[] arena;
  private final long[] offset;

  /** What lies in one arena, in the order of offsets. */
  private static final class Shelf {
    int count;
    long[] from = new long[8];
    long[] to = new long[8];
    int[] block = new int[8];

    void add(long newFrom, long newTo, int newBlock) {
      if (count == from.length) {
        from = Arrays.copyOf(from, 2 * count);
        to = Arrays.copyOf(to, 2 * count);
        block = Arrays.copyOf(block, 2 * count);
      }
      int at = Arrays.binarySearch(from, 0, count, newFrom);
      at = at < 0 ? -at - 1 : at;
      System.arraycopy(from, at, from, at + 1, count - at);
      System.arraycopy(to, at, to, at + 1, count - at);
      System.arraycopy(block, at, block, at + 1, count - at);
      from[at] = newFrom;
      to[at] = newTo;
      block[at] = newBlock;
      count++;
    }
  }

  /**
   * An empty plan.
   *
   * @param share false to keep all blocks apart, also those that are live at different times
   */
  FreeOffsets(PlanningProblem problem, Blocks blocks, boolean share) {
    this.problem = problem;
    this.blocks = blocks;
    this.share = share;
    shelves = new Shelf[problem.arenaCount()];
    for (int a = 0; a < shelves.length; a++) {
      shelves[a] = new Shelf();
      for (ReservedRange range : problem.arena(a).reservedRanges()) {
        shelves[a].add(range.offsetBytes(), range.endBytes(), RESERVED);
      }
    }
    arena = new int[problem.bufferCount()];
    Arrays.fill(arena, -1);
    offset = new long[problem.bufferCount()];
  }

  /** Places a block in the first arena of those it may go to that has room; false if none has. */
  boolean placeInFirst(int block) {
    ImmutableIntArray arenas = blocks.arenas(block);
    for (int i = 0; i < arenas.length(); i++) {
      if (placeIn(block, arenas.get(i), problem.arena(arenas.get(i)).capacityBytes())) {
        return true;
      }
    }
    return false;
  }

  /** Places a block in an arena of some bytes, padding included; false if there is no room. */
  boolean placeIn(int block, int arenaIndex, long limitBytes) {
    long found = offsetIn(block, arenaIndex, limitBytes);
    if (found == Blocks.NOWHERE) {
      return false;
    }
    put(block, arenaIndex, found);
    return true;
  }

  /** Places a block at an offset that is known to be free. */
  void put(int block, int arenaIndex, long at) {
    arena[block] = arenaIndex;
    offset[block] = at;
    long size = problem.allocatedBytes(block, arenaIndex);
    if (size > 0) {
      shelves[arenaIndex].add(at, at + size, block);
    }
  }

  /**
   * The offset of a block in an arena, fixed or else the lowest; {@link Blocks#NOWHERE} if none.
   *
   * @param limitBytes what the arena may need, padding included
   */
  long offsetIn(int block, int arenaIndex, long limitBytes) {
    return offsetIn(block, arenaIndex, 0, limitBytes);
  }

  /** The same, no lower than an offset. */
  long offsetIn(int block, int arenaIndex, long fromBytes, long limitBytes) {
    long size = problem.allocatedBytes(block, arenaIndex);
    Arena it = problem.arena(arenaIndex);
    if (size > it.maxAllocationBytes()) {
      return Blocks.NOWHERE;
    }
    long fixed = blocks.fixedOffset(block);
    long least = Math.max(fromBytes, size == 0 ? 0 : it.reservedBytes());
    if (fixed >= 0 && fixed < least) {
      return Blocks.NOWHERE;
    }
    long at = blocks.alignedOffset(block, arenaIndex, fixed >= 0 ? fixed : least);
    long before = Blocks.NOWHERE;
    while (at != before && at != Blocks.NOWHERE && size > 0) {
      before = at;
      at = above(block, arenaIndex, at, size);
    }
    if (fixed >= 0 && at != fixed) {
      return Blocks.NOWHERE;
    }
    return at == Blocks.NOWHERE || at > limitBytes || needs(block, arenaIndex) > limitBytes - at
        ? Blocks.NOWHERE
        : at;
  }

  /** The offset if nothing is in the way, else one above what is, which may not be free either. */
  private long above(int block, int arenaIndex, long from, long size) {
    long at = from;
    Shelf shelf = shelves[arenaIndex];
    for (int i = 0; i < shelf.count && at != Blocks.NOWHERE; i++) {
      if (shelf.from[i] >= at + size) {
        break;
      }
      if (shelf.to[i] > at && conflict(block, shelf.block[i])) {
        at = blocks.alignedOffset(block, arenaIndex, shelf.to[i]);
      }
    }
    for (int other : blocks.apartFrom(block)) {
      if (arena[other] == arenaIndex && at != Blocks.NOWHERE) {
        long clear = blocks.clearOf(block, at, other, offset[other], arenaIndex);
        at = clear == at ? at : blocks.alignedOffset(block, arenaIndex, clear);
      }
    }
    return at;
  }

  /** Bytes from the start of a block to the end of the smallest arena that holds it there. */
  long needs(int block, int arenaIndex) {
    long padding = problem.arena(arenaIndex).paddingBytes();
    return Math.max(
        problem.allocatedBytes(block, arenaIndex) + padding, blocks.extentBytes(block, arenaIndex));
  }

  private boolean conflict(int block, int other) {
    return other == RESERVED || !share || blocks.conflict(block, other);
  }

  /** The largest run of bytes of an arena that is free over the lifetime of a block. */
  long largestGap(int block, int arenaIndex) {
    Shelf shelf = shelves[arenaIndex];
    long from = problem.arena(arenaIndex).reservedBytes();
    long best = 0;
    for (int i = 0; i < shelf.count; i++) {
      if (conflict(block, shelf.block[i])) {
        best = Math.max(best, shelf.from[i] - from);
        from = Math.max(from, shelf.to[i]);
      }
    }
    return Math.max(best, problem.arena(arenaIndex).usableEndBytes() - from);
  }

  /**
   * The plan, once all blocks are placed; what lies in their bytes follows them.
   *
   * @param order in which faults of storage-backed buffers are looked for
   * @param listEmpty whether banks that hold nothing are listed, with their reserved bytes
   * @param bound that the caller proved
   */
  PlanningOutcome finish(int[] order, boolean listEmpty, Bound bound) {
    Optional<Diagnostic> fault =
        new StorageParts(problem, arena, new int[arena.length], offset).resolve(order);
    if (fault.isPresent()) {
      return PlanningOutcome.gaveUp(fault.get(), problem);
    }
    MemoryPlan.Builder plan = MemoryPlan.builder(problem).bound(bound);
    boolean[] used = new boolean[shelves.length];
    for (int i = 0; i < arena.length; i++) {
      plan.place(i, arena[i], offset[i]);
      used[arena[i]] = true;
    }
    for (int a = 0; a < shelves.length; a++) {
      Arena it = problem.arena(a);
      if (listEmpty && it.managed() && !used[a]) {
        plan.arenaSize(a, it.reservedBytes());
      }
    }
    return PlanningOutcome.planned(plan.build());
  }
}
