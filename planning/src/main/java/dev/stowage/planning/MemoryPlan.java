package dev.stowage.planning;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.base.Preconditions.checkElementIndex;
import static com.google.common.base.Preconditions.checkState;

import java.util.Arrays;

/**
 * Where each buffer of one {@link PlanningProblem} lies. It can only be built whole: every buffer
 * placed once.
 */
public final class MemoryPlan {
  private final int[] arena;
  private final long[] offsetBytes;
  private final int[] object;
  private final long[] arenaSizeByMemId;
  private final Bound bound;

  private MemoryPlan(
      int[] arena, long[] offsetBytes, int[] object, long[] arenaSizeByMemId, Bound bound) {
    this.bound = bound;
    this.arena = arena;
    this.offsetBytes = offsetBytes;
    this.object = object;
    this.arenaSizeByMemId = arenaSizeByMemId;
  }

  /** Starts a plan for a problem. */
  public static Builder builder(PlanningProblem problem) {
    return new Builder(problem);
  }

  /** Index of the arena of a buffer in its problem. */
  public int arena(int buffer) {
    return arena[buffer];
  }

  /** Offset of a buffer from the start of its arena. */
  public long offsetBytes(int buffer) {
    return offsetBytes[buffer];
  }

  /** Index of the shared object in its arena that holds the buffer, or -1 where there are none. */
  public int object(int buffer) {
    return object[buffer];
  }

  /** How many buffers are placed. */
  public int bufferCount() {
    return arena.length;
  }

  /** Sizes of the arenas by mem_id, 0 for those that are skipped; index 0 is for constants. */
  public long[] arenaSizes() {
    return arenaSizeByMemId.clone();
  }

  /** Size of the arena with a mem_id; 0 past the end of the list. */
  public long arenaSizeBytes(int memId) {
    return memId < arenaSizeByMemId.length ? arenaSizeByMemId[memId] : 0;
  }

  /**
   * What the strategy itself proved that no plan can go below; {@link LowerBounds} knows what
   * liveness alone proves.
   */
  public Bound bound() {
    return bound;
  }

  /** Sum of all arenas. */
  public long totalBytes() {
    return Arrays.stream(arenaSizeByMemId).sum();
  }

  /**
   * How large each arena must be for what the plan places there, whatever size the plan gives it:
   * the bytes reserved at its start, all that is allocated, and the padding behind that. What
   * kernels read past the end of a buffer may be in the padding, and counts where it reaches
   * further.
   *
   * @param problem of this plan
   * @return by index of the arena; -1 where it holds nothing
   */
  public long[] neededBytes(PlanningProblem problem) {
    return neededBytes(problem, arena, offsetBytes);
  }

  private static long[] neededBytes(PlanningProblem problem, int[] arena, long[] offsetBytes) {
    long[] needed = new long[problem.arenaCount()];
    Arrays.fill(needed, -1);
    for (int i = 0; i < arena.length; i++) {
      int a = arena[i];
      Arena it = problem.arena(a);
      long end = Math.max(it.reservedBytes(), offsetBytes[i] + problem.allocatedBytes(i, a));
      needed[a] = Math.max(needed[a], end + it.paddingBytes());
      needed[a] = Math.max(needed[a], offsetBytes[i] + problem.extentBytes(i, a));
    }
    return needed;
  }

  /** Collects placements; not thread-safe. */
  public static final class Builder {
    private final PlanningProblem problem;
    private final int[] arena;
    private final long[] offsetBytes;
    private final int[] object;
    private final long[] sizeByArena;
    private int memIdLimit;
    private Bound bound = Bound.NONE;

    private Builder(PlanningProblem problem) {
      this.problem = problem;
      arena = new int[problem.bufferCount()];
      Arrays.fill(arena, -1);
      offsetBytes = new long[problem.bufferCount()];
      object = new int[problem.bufferCount()];
      sizeByArena = new long[problem.arenaCount()];
      Arrays.fill(sizeByArena, -1);
    }

    /** Places a buffer that is in no shared object. */
    public Builder place(int buffer, int arenaIndex, long offset) {
      return place(buffer, arenaIndex, offset, -1);
    }

    /** Places a buffer in a shared object of its arena. */
    public Builder place(int buffer, int arenaIndex, long offset, int objectIndex) {
      checkState(arena[buffer] < 0, "buffer %s is placed twice", buffer);
      checkElementIndex(arenaIndex, problem.arenaCount(), "arena");
      checkArgument(offset >= 0, "offset of buffer %s is negative: %s", buffer, offset);
      arena[buffer] = arenaIndex;
      offsetBytes[buffer] = offset;
      object[buffer] = objectIndex;
      return this;
    }

    /** Sets the size of an arena; unless set, it is what {@link MemoryPlan#neededBytes} says. */
    public Builder arenaSize(int arenaIndex, long bytes) {
      sizeByArena[arenaIndex] = bytes;
      memIdLimit = Math.max(memIdLimit, problem.arena(arenaIndex).memId() + 1);
      return this;
    }

    /** States what the strategy proved that no plan can go below. */
    public Builder bound(Bound proved) {
      bound = proved;
      return this;
    }

    /**
     * The plan.
     *
     * @throws IllegalStateException if a buffer is not placed
     */
    public MemoryPlan build() {
      for (int i = 0; i < arena.length; i++) {
        checkState(arena[i] >= 0, "buffer %s is not placed", i);
      }
      long[] needed = MemoryPlan.neededBytes(problem, arena, offsetBytes);
      for (int a = 0; a < needed.length; a++) {
        if (sizeByArena[a] < 0 && needed[a] >= 0) {
          arenaSize(a, needed[a]);
        }
      }
      long[] byMemId = new long[Math.max(2, memIdLimit)];
      for (int a = 0; a < sizeByArena.length; a++) {
        if (sizeByArena[a] > 0) {
          byMemId[problem.arena(a).memId()] = sizeByArena[a];
        }
      }
      return new MemoryPlan(arena, offsetBytes, object, byMemId, bound);
    }
  }
}
