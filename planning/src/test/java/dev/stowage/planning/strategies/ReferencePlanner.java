package dev.stowage.planning.strategies;

import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.planning.Arena;
import dev.stowage.planning.PlanningProblem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * ExecuTorch's planners once more, as literally as lists and maps allow, sentence by sentence from
 * their description: slow, and sharing no code with the strategies.
 */
final class ReferencePlanner {
  /** A buffer in a shared object. */
  record Allocation(int buffer, long offset, long bytes) {}

  /** A shared object. */
  static final class SharedObject {
    final long bytes;
    final List<Allocation> allocations = new ArrayList<>();

    SharedObject(long bytes) {
      this.bytes = bytes;
    }
  }

  /** Where a buffer lies: mem_id, object, offset in the arena. */
  record Place(int memId, int object, long offset) {}

  /** A plan, or the kind of the error and the buffer that it is about. */
  record Answer(
      Map<Integer, Place> places,
      List<Long> sizesByMemId,
      @Nullable DiagnosticKind error,
      int errorBuffer) {
    Answer withoutBuffer() {
      return new Answer(places, sizesByMemId, error, -1);
    }

    static Answer error(DiagnosticKind kind, int buffer) {
      return new Answer(Map.of(), List.of(), kind, buffer);
    }
  }

  private record InObject(int arena, int object, long offset, long allocated) {}

  private final PlanningProblem problem;
  private final boolean overlap;
  private final Map<Integer, List<SharedObject>> objectsOf = new TreeMap<>();
  private final Map<Integer, InObject> placed = new LinkedHashMap<>();

  private ReferencePlanner(PlanningProblem problem, boolean overlap) {
    this.problem = problem;
    this.overlap = overlap;
    for (int a = 0; a < problem.arenaCount(); a++) {
      objectsOf.put(a, new ArrayList<>());
    }
  }

  static Answer naive(PlanningProblem problem) {
    Map<Integer, Long> ends = new TreeMap<>();
    for (Arena arena : problem.arenas()) {
      if (arena.reservedBytes() > 0) {
        ends.put(arena.memId(), arena.reservedBytes());
      }
    }
    Map<Integer, Place> places = new TreeMap<>();
    for (int i = 0; i < problem.bufferCount(); i++) {
      int memId = problem.pinnedArena(i) < 0 ? 1 : problem.arena(problem.pinnedArena(i)).memId();
      long end = ends.getOrDefault(memId, 0L);
      places.put(i, new Place(memId, 0, end));
      ends.put(memId, end + up(problem.sizeBytes(i), problem.alignment()));
    }
    return new Answer(places, list(ends), null, -1);
  }

  /** ExecuTorch takes arena 1 always; what is closed takes pins only, so then it is the next. */
  private static int defaultArena(PlanningProblem problem) {
    int first = problem.arenaOfMemId(1);
    if (problem.arena(first).open()) {
      return first;
    }
    for (int a = 0; a < problem.arenaCount(); a++) {
      if (problem.arena(a).open()) {
        return a;
      }
    }
    return -1;
  }

  static Answer greedy(PlanningProblem problem, boolean overlap) {
    for (Arena arena : problem.arenas()) {
      if (arena.alignment() > 0 && arena.alignment() % problem.alignment() != 0) {
        return Answer.error(Kinds.BANK_ALIGNMENT, -1);
      }
      if (arena.open() && arena.reservedBytes() > arena.capacityBytes()) {
        return Answer.error(Kinds.RESERVED_EXCEEDS_BANK, -1);
      }
    }
    ReferencePlanner planner = new ReferencePlanner(problem, overlap);
    List<Integer> order = planner.order();
    for (int i : order) {
      if (problem.base(i) == PlanningProblem.NO_BASE) {
        int arena = problem.pinnedArena(i) < 0 ? defaultArena(problem) : problem.pinnedArena(i);
        if (arena < 0) {
          return Answer.error(Kinds.UNPLACEABLE, i);
        }
        int own = problem.arena(arena).alignment();
        long size = up(problem.sizeBytes(i), own == 0 ? problem.alignment() : own);
        if (!planner.reuse(i, arena, size)) {
          planner.open(i, arena, size);
        }
      }
    }
    return planner.finish(order, /* listEmptyBanks= */ false);
  }

  static Answer banked(PlanningProblem problem, boolean overlap) {
    ReferencePlanner planner = new ReferencePlanner(problem, overlap);
    Map<Integer, Long> left = new TreeMap<>();
    for (int a = 0; a < problem.arenaCount(); a++) {
      Arena arena = problem.arena(a);
      if (arena.alignment() > 0 && arena.alignment() % problem.alignment() != 0) {
        return Answer.error(Kinds.BANK_ALIGNMENT, -1);
      }
      if (arena.open()) {
        left.put(a, arena.capacityBytes() - arena.reservedBytes());
        if (arena.reservedBytes() > arena.capacityBytes()) {
          return Answer.error(Kinds.RESERVED_EXCEEDS_BANK, -1);
        }
      }
    }
    List<Integer> order = planner.order();
    for (int i : order) {
      if (problem.base(i) == PlanningProblem.NO_BASE
          && problem.pinnedArena(i) >= 0
          && !planner.placeInBank(i, problem.pinnedArena(i), left)) {
        return Answer.error(Kinds.PIN_DOES_NOT_FIT, i);
      }
    }
    for (int i : order) {
      if (problem.base(i) == PlanningProblem.NO_BASE && problem.pinnedArena(i) < 0) {
        boolean done = false;
        for (int a = 0; a < problem.arenaCount() && !done; a++) {
          done = problem.arena(a).open() && planner.placeInBank(i, a, left);
        }
        if (!done) {
          return Answer.error(Kinds.UNPLACEABLE, i);
        }
      }
    }
    return planner.finish(order, /* listEmptyBanks= */ true);
  }

  private boolean placeInBank(int buffer, int bank, Map<Integer, Long> left) {
    int own = problem.arena(bank).alignment();
    long size = up(problem.sizeBytes(buffer), own == 0 ? problem.alignment() : own);
    if (reuse(buffer, bank, size)) {
      return true;
    }
    long cost = size + (objects(bank).isEmpty() ? problem.arena(bank).paddingBytes() : 0);
    Long budget = left.get(bank);
    if (budget != null && cost > budget) {
      return false;
    }
    if (budget != null) {
      left.put(bank, budget - cost);
    }
    open(buffer, bank, size);
    return true;
  }

  /** Stable insertion by size before the call, new ones after equals; then reversed. */
  private List<Integer> order() {
    List<Integer> sorted = new ArrayList<>();
    for (int i = 0; i < problem.bufferCount(); i++) {
      int at = 0;
      while (at < sorted.size() && sizeBefore(sorted.get(at)) <= sizeBefore(i)) {
        at++;
      }
      sorted.add(at, i);
    }
    Collections.reverse(sorted);
    return sorted;
  }

  private long sizeBefore(int buffer) {
    return up(problem.sizeBytes(buffer), problem.oracleAlignment(buffer));
  }

  private boolean reuse(int buffer, int arena, long size) {
    List<SharedObject> objects = objects(arena);
    for (int o = 0; o < objects.size(); o++) {
      SharedObject object = objects.get(o);
      if (object.bytes >= size && highestEnd(object, buffer) < 0) {
        put(buffer, arena, o, 0, size);
        return true;
      }
    }
    for (int o = 0; overlap && o < objects.size(); o++) {
      long end = highestEnd(objects.get(o), buffer);
      if (end > 0 && end + size <= objects.get(o).bytes) {
        put(buffer, arena, o, end, size);
        return true;
      }
    }
    return false;
  }

  private long highestEnd(SharedObject object, int buffer) {
    long highest = -1;
    for (Allocation other : object.allocations) {
      boolean apart =
          problem.end(other.buffer) < problem.start(buffer)
              || problem.end(buffer) < problem.start(other.buffer);
      highest = apart ? highest : Math.max(highest, other.offset + other.bytes);
    }
    return highest;
  }

  private void open(int buffer, int arena, long size) {
    objects(arena).add(new SharedObject(size));
    put(buffer, arena, objects(arena).size() - 1, 0, size);
  }

  private void put(int buffer, int arena, int object, long offset, long size) {
    objects(arena).get(object).allocations.add(new Allocation(buffer, offset, size));
    placed.put(buffer, new InObject(arena, object, offset, size));
  }

  private List<SharedObject> objects(int arena) {
    return objectsOf.getOrDefault(arena, List.of());
  }

  private Answer finish(List<Integer> order, boolean listEmptyBanks) {
    List<Integer> waiting = new ArrayList<>(order);
    waiting.removeIf(placed::containsKey);
    while (!waiting.isEmpty()) {
      List<Integer> still = new ArrayList<>();
      for (int i : waiting) {
        InObject base = placed.get(problem.base(i));
        if (base == null) {
          still.add(i);
          continue;
        }
        long offset = base.offset + problem.baseOffset(i);
        long size = up(problem.sizeBytes(i), problem.alignment());
        if (problem.baseOffset(i) < 0) {
          return Answer.error(Kinds.STORAGE_NEGATIVE_OFFSET, i);
        }
        if (offset % problem.alignment() != 0) {
          return Answer.error(Kinds.STORAGE_MISALIGNED, i);
        }
        if (problem.baseOffset(i) + size > base.allocated) {
          return Answer.error(Kinds.STORAGE_DOES_NOT_FIT, i);
        }
        placed.put(i, new InObject(base.arena, base.object, offset, size));
      }
      if (still.size() == waiting.size()) {
        return Answer.error(Kinds.STORAGE_UNRESOLVED, still.get(0));
      }
      waiting = still;
    }
    Map<Integer, Long> sizes = new TreeMap<>();
    Map<Integer, List<Long>> starts = new TreeMap<>();
    objectsOf.forEach(
        (a, objects) -> {
          Arena arena = problem.arena(a);
          long end = arena.reservedBytes();
          List<Long> own = new ArrayList<>();
          for (SharedObject object : objects) {
            own.add(end);
            end += object.bytes;
          }
          starts.put(a, own);
          if (!objects.isEmpty()) {
            sizes.put(arena.memId(), end + arena.paddingBytes());
          } else if (listEmptyBanks && arena.open()) {
            sizes.put(arena.memId(), end);
          }
        });
    Map<Integer, Place> places = new TreeMap<>();
    placed.forEach(
        (i, it) ->
            places.put(
                i,
                new Place(
                    problem.arena(it.arena).memId(),
                    it.object,
                    starts.getOrDefault(it.arena, List.of()).get(it.object) + it.offset)));
    return new Answer(places, list(sizes), null, -1);
  }

  private static List<Long> list(Map<Integer, Long> byMemId) {
    int highest = byMemId.keySet().stream().mapToInt(id -> id).max().orElse(1);
    List<Long> sizes = new ArrayList<>();
    for (int id = 0; id <= Math.max(1, highest); id++) {
      sizes.add(byMemId.getOrDefault(id, 0L));
    }
    return sizes;
  }

  private static long up(long size, int alignment) {
    long rest = size % alignment;
    return rest == 0 ? size : size - rest + alignment;
  }
}
