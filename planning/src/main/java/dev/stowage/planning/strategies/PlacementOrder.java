package dev.stowage.planning.strategies;

import dev.stowage.planning.Alignment;
import dev.stowage.planning.PlanningProblem;

/** The order in which ExecuTorch's planners take buffers. */
final class PlacementOrder {
  private PlacementOrder() {}

  /**
   * Buffers by size, largest first, and of equals the later one first. Sizes are rounded to each
   * buffer's oracle alignment, not to the plan's. A stable merge sort of the reversed list.
   */
  static int[] bySizeDescendingLastFirst(PlanningProblem problem) {
    int n = problem.bufferCount();
    long[] keys = new long[n];
    int[] order = new int[n];
    for (int i = 0; i < n; i++) {
      keys[i] = Alignment.up(problem.sizeBytes(i), problem.oracleAlignment(i));
      order[i] = n - 1 - i;
    }
    int[] from = order;
    int[] to = new int[n];
    for (int width = 1; width < n && width > 0; width *= 2) {
      for (int low = 0; low < n; low += 2 * width) {
        int middle = Math.min(low + width, n);
        int high = Math.min(middle + width, n);
        int left = low;
        int right = middle;
        for (int out = low; out < high; out++) {
          boolean takeLeft =
              left < middle && (right >= high || keys[from[left]] >= keys[from[right]]);
          to[out] = takeLeft ? from[left++] : from[right++];
        }
      }
      int[] swap = from;
      from = to;
      to = swap;
    }
    return from;
  }
}
