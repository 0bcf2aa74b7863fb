package dev.stowage.planning.strategies;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ListMultimap;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.planning.PlanningProblem;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;

/** Places storage-backed buffers in their bases, once these are placed. */
final class StorageParts {
  private static final int PLACED_BEFORE = -1;

  private final PlanningProblem problem;
  private final int[] arena;
  private final int[] object;
  private final long[] offset;

  /**
   * Fills in what is missing in arrays by buffer.
   *
   * @param arena of each buffer, -1 where it is not placed
   * @param object in which it lies
   * @param offset from the start of that object, in bytes
   */
  StorageParts(PlanningProblem problem, int[] arena, int[] object, long[] offset) {
    this.problem = problem;
    this.arena = arena;
    this.object = object;
    this.offset = offset;
  }

  /**
   * Places the storage-backed buffers in their bases. ExecuTorch does so in the given order, round
   * after round until all have their base; the fault that it reports first is the one returned.
   */
  Optional<Diagnostic> resolve(int[] order) {
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
      offset[buffer] = offset[base] + problem.baseOffset(buffer);
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
    long inBase = problem.baseOffset(buffer);
    long start = offset[base] + inBase;
    long size = problem.allocatedBytes(buffer);
    long baseSize = problem.allocatedBytes(base, arena[base]);
    if (inBase < 0) {
      return Optional.of(
          fault(
              buffer,
              Kinds.STORAGE_NEGATIVE_OFFSET,
              Message.format("offset %,d in %s is negative", inBase, problem.describe(base))));
    }
    if (!problem.isChosenPart(buffer) && start % problem.alignment() != 0) {
      return Optional.of(
          fault(
                  buffer,
                  Kinds.STORAGE_MISALIGNED,
                  Message.format(
                      "offset %,d in %s is no multiple of the alignment %d where that base lies",
                      inBase, problem.describe(base), problem.alignment()))
              .note(
                  Message.format(
                      "the base is at %,d in its shared object, so this buffer would be at %,d",
                      offset[base], start)));
    }
    if (size > baseSize - inBase) {
      return Optional.of(
          fault(
              buffer,
              Kinds.STORAGE_DOES_NOT_FIT,
              Message.format(
                  "%,d bytes at offset %,d reach past the end of %s, which has %,d",
                  size, inBase, problem.describe(base), baseSize)));
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
}
