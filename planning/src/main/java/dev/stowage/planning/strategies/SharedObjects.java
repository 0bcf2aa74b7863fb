package dev.stowage.planning.strategies;

import dev.stowage.planning.PlanningProblem;
import java.util.Arrays;

/**
 * The shared objects of one arena, as ExecuTorch's greedy planner builds them: segments laid end to
 * end, each holding buffers that are live at different times or lie at different offsets in it.
 *
 * <p>The literal double loop: finding a place costs time in proportion to the buffers already in
 * the arena.
 */
final class SharedObjects {
  private final PlanningProblem problem;
  private int count;
  private long[] sizeBytes = new long[8];
  private int[][] buffers = new int[8][];
  private long[][] ends = new long[8][];
  private int[] held = new int[8];

  /** Object and offset in it where the last successful {@link #reuse} put its buffer. */
  private int foundObject;

  private long foundOffset;

  SharedObjects(PlanningProblem problem) {
    this.problem = problem;
  }

  /** True if nothing has been placed. */
  boolean isEmpty() {
    return count == 0;
  }

  /** How many objects there are. */
  int count() {
    return count;
  }

  int foundObject() {
    return foundObject;
  }

  long foundOffset() {
    return foundOffset;
  }

  /**
   * Places a buffer in an object that is there already, if one takes it: the first that is large
   * enough and holds nothing live at the same time, at offset 0; else, with {@code overlap}, the
   * first with room behind the highest end of what is live at the same time, where that end is
   * above 0.
   */
  boolean reuse(int buffer, long allocatedBytes, boolean overlap) {
    int firstWithRoom = -1;
    long offsetWithRoom = 0;
    for (int o = 0; o < count; o++) {
      if (sizeBytes[o] < allocatedBytes) {
        continue;
      }
      long highestEnd = highestEndOfLive(o, buffer);
      if (highestEnd < 0) {
        add(o, buffer, 0, allocatedBytes);
        return true;
      }
      if (overlap
          && firstWithRoom < 0
          && highestEnd > 0
          && allocatedBytes <= sizeBytes[o] - highestEnd) {
        firstWithRoom = o;
        offsetWithRoom = highestEnd;
      }
    }
    if (firstWithRoom < 0) {
      return false;
    }
    add(firstWithRoom, buffer, offsetWithRoom, allocatedBytes);
    return true;
  }

  /** Opens an object of the buffer's own size for it. */
  void open(int buffer, long allocatedBytes) {
    if (count == sizeBytes.length) {
      int capacity = 2 * count;
      sizeBytes = Arrays.copyOf(sizeBytes, capacity);
      buffers = Arrays.copyOf(buffers, capacity);
      ends = Arrays.copyOf(ends, capacity);
      held = Arrays.copyOf(held, capacity);
    }
    sizeBytes[count] = allocatedBytes;
    buffers[count] = new int[4];
    ends[count] = new long[4];
    count++;
    add(count - 1, buffer, 0, allocatedBytes);
  }

  /** Start of each object when they are laid end to end; one entry more for the end of the last. */
  long[] layOut(long startBytes) {
    long[] starts = new long[count + 1];
    starts[0] = startBytes;
    for (int o = 0; o < count; o++) {
      starts[o + 1] = starts[o] + sizeBytes[o];
    }
    return starts;
  }

  /** The highest end among the buffers of an object that are live with a buffer; -1 if none is. */
  private long highestEndOfLive(int object, int buffer) {
    int[] others = buffers[object];
    int n = held[object];
    long highest = -1;
    for (int i = 0; i < n; i++) {
      if (problem.overlapInTime(others[i], buffer)) {
        highest = Math.max(highest, ends[object][i]);
      }
    }
    return highest;
  }

  private void add(int object, int buffer, long offset, long allocatedBytes) {
    int n = held[object];
    if (n == buffers[object].length) {
      buffers[object] = Arrays.copyOf(buffers[object], 2 * n);
      ends[object] = Arrays.copyOf(ends[object], 2 * n);
    }
    buffers[object][n] = buffer;
    ends[object][n] = offset + allocatedBytes;
    held[object] = n + 1;
    foundObject = object;
    foundOffset = offset;
  }
}
