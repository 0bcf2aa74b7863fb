package dev.stowage.planning.strategies;

import dev.stowage.base.Diagnostic;
import dev.stowage.planning.Arena;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningProblem;
import java.util.Arrays;
import java.util.Optional;

/**
 * A plan of shared objects in the making: what greedy and banked-greedy have in common. Buffers
 * with bytes of their own go into objects; storage-backed ones follow their bases at the end.
 */
final class ObjectLayout {
  private final PlanningProblem problem;
  private final SharedObjects[] objects;
  private final int[] arena;
  private final int[] object;
  private final long[] offsetInObject;

  ObjectLayout(PlanningProblem problem) {
    this.problem = problem;
    objects = new SharedObjects[problem.arenaCount()];
    Arrays.setAll(objects, a -> new SharedObjects(problem));
    arena = new int[problem.bufferCount()];
    Arrays.fill(arena, -1);
    object = new int[problem.bufferCount()];
    offsetInObject = new long[problem.bufferCount()];
  }

  /** True if nothing has been placed in an arena. */
  boolean isEmpty(int arenaIndex) {
    return objects[arenaIndex].isEmpty();
  }

  /** Places a buffer in an object of the arena that is there already; false if none takes it. */
  boolean reuse(int buffer, int arenaIndex, long allocatedBytes, boolean overlap) {
    if (!objects[arenaIndex].reuse(buffer, allocatedBytes, overlap)) {
      return false;
    }
    record(buffer, arenaIndex);
    return true;
  }

  /** Opens an object of the arena for a buffer. */
  void open(int buffer, int arenaIndex, long allocatedBytes) {
    objects[arenaIndex].open(buffer, allocatedBytes);
    record(buffer, arenaIndex);
  }

  private void record(int buffer, int arenaIndex) {
    arena[buffer] = arenaIndex;
    object[buffer] = objects[arenaIndex].foundObject();
    offsetInObject[buffer] = objects[arenaIndex].foundOffset();
  }

  /** Places the storage-backed buffers, whose bases are placed, in the order of greedy. */
  Optional<Diagnostic> resolveStorage(int[] order) {
    return new StorageParts(problem, arena, object, offsetInObject).resolve(order);
  }

  /**
   * The plan: in each arena the objects end to end after its reserved bytes.
   *
   * @param listEmpty whether banks that hold nothing are listed, with their reserved bytes
   */
  MemoryPlan build(boolean listEmpty) {
    MemoryPlan.Builder plan = MemoryPlan.builder(problem);
    long[][] starts = new long[problem.arenaCount()][];
    for (int a = 0; a < starts.length; a++) {
      Arena it = problem.arena(a);
      starts[a] = objects[a].layOut(it.reservedBytes());
      if (!objects[a].isEmpty()) {
        plan.arenaSize(a, starts[a][objects[a].count()] + it.paddingBytes());
      } else if (listEmpty && it.managed()) {
        plan.arenaSize(a, it.reservedBytes());
      }
    }
    for (int i = 0; i < arena.length; i++) {
      plan.place(i, arena[i], starts[arena[i]][object[i]] + offsetInObject[i], object[i]);
    }
    return plan.build();
  }
}
