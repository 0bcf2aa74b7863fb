package dev.stowage.planning.strategies;

import dev.stowage.planning.Blocks;
import dev.stowage.planning.PlanningProblem;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The lowest packing of a few blocks in one arena of which some must be kept apart in parts only:
 * another block may lie below one part and above another, so no order of blocks describes it.
 *
 * <p>All blocks begin as low as they may. Where two share bytes that must not, one has to be above
 * the other, and both ways are tried: each is a least distance between two offsets, under all of
 * which every block is moved up until they hold. What comes of that is the lowest that the chosen
 * distances allow, so trying both ways for each pair finds the best packing there is.
 */
final class ApartPacking {
  private final PlanningProblem problem;
  private final Blocks blocks;
  private final int arena;
  private final int[] members;
  private final BooleanSupplier mayGoOn;

  /** Knows what is reserved, and holds nothing. */
  private final FreeOffsets empty;

  /** The arena must need less than this. */
  private long limit;

  private long @Nullable [] best;

  /** A least distance between the offsets of two members, which may be negative. */
  private record Distance(int below, int above, long bytes, @Nullable Distance next) {}

  /**
   * A search.
   *
   * @param mayGoOn false to stop with what has been found
   */
  ApartPacking(
      PlanningProblem problem, Blocks blocks, int arena, int[] members, BooleanSupplier mayGoOn) {
    this.problem = problem;
    this.blocks = blocks;
    this.arena = arena;
    this.members = members;
    this.mayGoOn = mayGoOn;
    empty = new FreeOffsets(problem, blocks, true);
  }

  /**
   * The offsets of the members for which the arena needs least; null if it needs the limit or more.
   *
   * @param limitBytes what the arena must stay below
   */
  long @Nullable [] below(long limitBytes) {
    limit = limitBytes;
    search(new long[members.length], null);
    return best;
  }

  private void search(long[] lowest, @Nullable Distance distances) {
    long[] at = lowest.clone();
    if (!settle(at, distances)) {
      return;
    }
    for (int i = 0; i < members.length; i++) {
      for (int j = 0; j < i; j++) {
        long above = clear(i, at[i], j, at[j]);
        if (above != at[i]) {
          search(at, new Distance(j, i, above - at[j], distances));
          search(at, new Distance(i, j, clear(j, at[j], i, at[i]) - at[i], distances));
          return;
        }
      }
    }
    best = at;
    limit = height(at);
  }

  /** Moves members up until all distances hold; false if the arena cannot hold them so. */
  private boolean settle(long[] at, @Nullable Distance distances) {
    boolean moved = true;
    while (moved) {
      if (!mayGoOn.getAsBoolean()) {
        return false;
      }
      moved = false;
      for (Distance it = distances; it != null; it = it.next) {
        if (at[it.above] - at[it.below] < it.bytes) {
          at[it.above] = at[it.below] + it.bytes;
          moved = true;
        }
      }
      for (int i = 0; i < members.length; i++) {
        long free = empty.offsetIn(members[i], arena, at[i], limit - 1);
        if (free == Blocks.NOWHERE) {
          return false;
        }
        moved |= free != at[i] && distances != null;
        at[i] = free;
      }
    }
    return true;
  }

  /** The offset of a member if it is clear of another, else the one right above what is not. */
  private long clear(int member, long at, int other, long otherAt) {
    int one = members[member];
    int two = members[other];
    long size = problem.allocatedBytes(one, arena);
    long otherSize = problem.allocatedBytes(two, arena);
    if (blocks.conflict(one, two)
        && size > 0
        && otherSize > 0
        && at < otherAt + otherSize
        && otherAt < at + size) {
      return otherAt + otherSize;
    }
    return blocks.clearOf(one, at, two, otherAt, arena);
  }

  /** What the arena needs for members at some offsets. */
  long height(long[] at) {
    long height = problem.arena(arena).reservedBytes() + problem.arena(arena).paddingBytes();
    for (int i = 0; i < members.length; i++) {
      height = Math.max(height, at[i] + empty.needs(members[i], arena));
    }
    return height;
  }
}
