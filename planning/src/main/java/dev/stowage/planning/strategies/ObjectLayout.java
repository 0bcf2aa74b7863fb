package dev.stowage.planning.strategies;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ListMultimap;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.planning.Arena;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningProblem;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;

/**
 * A plan of shared objects in the making: what greedy and banked-greedy have in common. Buffers
 * with bytes of their own go into objects; storage-backed ones follow their bases at the end.
 */
final class ObjectLayout {
  private static final int PLACED_BEFORE = -1;

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

  /**
   * Places the storage-backed buffers in their bases. ExecuTorch does so in the given order, round
   * after round until all have their base; the fault that it reports first is the one returned.
   */
  Optional<Diagnostic> resolveStorage(int[] order) {
    int[] pending = Arrays.stream(order).filter(i -> arena[i] < 0).toArray();
    int[] position = new int[arena.length];
    Arrays.fill(position, PLACED_BEFORE);
    ListMultimap<Integer, Integer> partsOfBase = ArrayListMultimap.create();
    Deque<Integer> ready = new ArrayDeque<>();
    for (int i = 0; i < pending.length; i++) {
      int buffer = pending[i];
      int base = problem.base(buffer);
      position[buffer] = i;
      if (base >= 0 && arena[base] >= 0) {
        ready.add(buffer);
      } else if (base >= 0) {
        partsOfBase.put(base, buffer);
      }
    }
    int[] round = new int[arena.length];
    int faulty = -1;
    while (!ready.isEmpty()) {
      int buffer = ready.remove();
      int base = problem.base(buffer);
      round[buffer] = round[base] + (position[base] < position[buffer] ? 0 : 1);
      if (storageFault(buffer, base).isPresent()) {
        boolean earlier =
            faulty < 0
                || round[buffer] < round[faulty]
                || (round[buffer] == round[faulty] && position[buffer] < position[faulty]);
        faulty = earlier ? buffer : faulty;
        continue;
      }
      arena[buffer] = arena[base];
      object[buffer] = object[base];
      offsetInObject[buffer] = offsetInObject[base] + problem.baseOffset(buffer);
      ready.addAll(partsOfBase.get(buffer));
    }
    if (faulty >= 0) {
      return storageFault(faulty, problem.base(faulty));
    }
    return Arrays.stream(pending)
        .filter(buffer -> arena[buffer] < 0)
        .mapToObj(this::unresolved)
        .findFirst();
  }

  private Optional<Diagnostic> storageFault(int buffer, int base) {
    long offset = problem.baseOffset(buffer);
    long inObject = offsetInObject[base] + offset;
    long size = problem.allocatedBytes(buffer);
    long baseSize = problem.allocatedBytes(base, arena[base]);
    if (offset < 0) {
      return Optional.of(
          fault(
              buffer,
              Kinds.STORAGE_NEGATIVE_OFFSET,
              Message.format("offset %,d in %s is negative", offset, problem.describe(base))));
    }
    if (inObject % problem.alignment() != 0) {
      return Optional.of(
          fault(
                  buffer,
                  Kinds.STORAGE_MISALIGNED,
                  Message.format(
                      "offset %,d in %s is no multiple of the alignment %d where that base lies",
                      offset, problem.describe(base), problem.alignment()))
              .note(
                  Message.format(
                      "the base is at %,d in its shared object, so this buffer would be at %,d",
                      offsetInObject[base], inObject)));
    }
    if (size > baseSize - offset) {
      return Optional.of(
          fault(
              buffer,
              Kinds.STORAGE_DOES_NOT_FIT,
              Message.format(
                  "%,d bytes at offset %,d reach past the end of %s, which has %,d",
                  size, offset, problem.describe(base), baseSize)));
    }
    return Optional.empty();
  }

  private Diagnostic unresolved(int buffer) {
    int at = buffer;
    while (problem.base(at) >= 0) {
      at = problem.base(at);
    }
    return fault(
            buffer,
            Kinds.STORAGE_UNRESOLVED,
            "its storage base is not placed by this plan"
                + (at == buffer ? "" : " (the chain ends at " + problem.describe(at) + ")"))
        .help("let the plan place the base, or give the buffer bytes of its own");
  }

  private Diagnostic fault(int buffer, DiagnosticKind kind, String message) {
    return Diagnostic.of(kind, Location.at(problem.describe(buffer)), message).aboutBuffer(buffer);
  }

  /**
   * The plan: in each arena the objects end to end after its reserved bytes.
   *
   * @param listEmpty whether open arenas that hold nothing are listed, with their reserved bytes
   */
  MemoryPlan build(boolean listEmpty) {
    MemoryPlan.Builder plan = MemoryPlan.builder(problem);
    long[][] starts = new long[problem.arenaCount()][];
    for (int a = 0; a < starts.length; a++) {
      Arena it = problem.arena(a);
      starts[a] = objects[a].layOut(it.reservedBytes());
      if (!objects[a].isEmpty()) {
        plan.arenaSize(a, starts[a][objects[a].count()] + it.paddingBytes());
      } else if (listEmpty && it.open()) {
        plan.arenaSize(a, it.reservedBytes());
      }
    }
    for (int i = 0; i < arena.length; i++) {
      plan.place(i, arena[i], starts[arena[i]][object[i]] + offsetInObject[i], object[i]);
    }
    return plan.build();
  }
}
