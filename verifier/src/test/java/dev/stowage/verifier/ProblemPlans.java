package dev.stowage.verifier;

import dev.stowage.planning.Arena;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.ClaimedPlan.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Random problems, valid plans for them by a plain first fit, and the slow check of all pairs. */
final class ProblemPlans {
  private ProblemPlans() {}

  /** A problem with pins, several arenas and storage bases whose parts are not in conflict. */
  static PlanningProblem random(Random random) {
    int count = 1 + random.nextInt(24);
    int alignment = new int[] {1, 4, 12, 16}[random.nextInt(4)];
    int[] base = new int[count];
    Arrays.fill(base, -1);
    long[] baseOffset = new long[count];
    long[] size = new long[count];
    int[] start = new int[count];
    int[] end = new int[count];
    for (int i = 0; i < count; i++) {
      size[i] = random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(100);
      start[i] = random.nextInt(12);
      end[i] = start[i] + random.nextInt(5);
      if (i > 0 && random.nextInt(3) == 0) {
        int in = random.nextInt(i);
        long room = up(size[in], alignment) - up(size[i], alignment);
        if (room >= 0) {
          base[i] = in;
          baseOffset[i] = random.nextInt((int) (room / alignment) + 1) * (long) alignment;
        }
      }
    }
    int arenas = 1 + random.nextInt(3);
    long reservedSteps = random.nextInt(3);
    int[] pin = new int[count];
    for (int i = 0; i < count; i++) {
      pin[i] = base[i] < 0 && random.nextInt(4) == 0 ? random.nextInt(arenas) : -1;
    }
    while (true) {
      PlanningProblem.Builder builder = PlanningProblem.builder("random").alignment(alignment);
      for (int a = 0; a < arenas; a++) {
        Arena arena = Arena.of(a + 1).withReserved(a * reservedSteps * alignment * 3, 0);
        if (a == 1) {
          arena = arena.withAlignment(alignment * 3, 0);
        }
        builder.addArena(a == 2 ? arena.closed() : arena);
      }
      for (int i = 0; i < count; i++) {
        builder.addBuffer(size[i], start[i], end[i]);
        if (base[i] >= 0) {
          builder.storage(i, base[i], baseOffset[i]);
        } else if (pin[i] >= 0) {
          builder.pin(i, pin[i]);
        }
      }
      PlanningProblem problem = builder.build();
      int clash = -1;
      for (String pair : slowPairs(problem, firstFit(problem))) {
        clash = Integer.parseInt(pair.split(" ", -1)[2]);
      }
      if (clash < 0) {
        return problem;
      }
      base[clash] = -1;
    }
  }

  /** Each buffer at the lowest free offset of its pin or of the first open arena. */
  static ClaimedPlan firstFit(PlanningProblem problem) {
    Place[] places = new Place[problem.bufferCount()];
    long[] sizes = new long[problem.arenaCount() + 1];
    for (int i = 0; i < places.length; i++) {
      if (problem.base(i) >= 0) {
        Place in = places[problem.base(i)];
        places[i] = new Place(i, in.memId(), -1, in.offsetBytes() + problem.baseOffset(i));
        continue;
      }
      int arena =
          problem.pinnedArena(i) >= 0 ? problem.pinnedArena(i) : i % 2 % openArenas(problem);
      int memId = problem.arena(arena).memId();
      long offset = up(problem.arena(arena).reservedBytes(), problem.arenaAlignment(arena));
      while (clashes(problem, places, i, memId, offset, problem.allocatedBytes(i, arena))) {
        offset += problem.arenaAlignment(arena);
      }
      places[i] = new Place(i, memId, -1, offset);
      sizes[memId] = Math.max(sizes[memId], offset + problem.allocatedBytes(i, arena));
    }
    return ClaimedPlan.of(Arrays.asList(places), sizes);
  }

  private static int openArenas(PlanningProblem problem) {
    return (int) problem.arenas().stream().filter(Arena::open).count();
  }

  private static boolean clashes(
      PlanningProblem problem, Place[] places, int buffer, int memId, long offset, long size) {
    for (int i = 0; i < buffer; i++) {
      if (problem.base(i) < 0
          && places[i].memId() == memId
          && problem.overlapInTime(i, buffer)
          && places[i].offsetBytes() < offset + size
          && offset < places[i].offsetBytes() + allocated(problem, i, memId)
          && size > 0
          && problem.sizeBytes(i) > 0) {
        return true;
      }
    }
    return false;
  }

  /** Every pair that is in conflict, as {@code kind a b}, found by looking at each. */
  static Set<String> slowPairs(PlanningProblem problem, ClaimedPlan plan) {
    Set<String> pairs = new TreeSet<>();
    for (Place a : plan.places()) {
      for (Place b : plan.places()) {
        if (a.subject() >= b.subject()
            || !shareBytes(problem, a, b)
            || !problem.overlapInTime(a.subject(), b.subject())) {
          continue;
        }
        List<Integer> chainA = chain(problem, a.subject());
        List<Integer> chainB = chain(problem, b.subject());
        if (chainA.contains(b.subject()) || chainB.contains(a.subject())) {
          continue;
        }
        boolean sameRoot = chainA.get(chainA.size() - 1).equals(chainB.get(chainB.size() - 1));
        if (sameRoot) {
          pairs.add(FindingKind.SIBLING_OVERLAP + " " + a.subject() + " " + b.subject());
        } else if (speaksForItself(problem, plan, a, chainA)
            && speaksForItself(problem, plan, b, chainB)) {
          pairs.add(FindingKind.OVERLAP + " " + a.subject() + " " + b.subject());
        }
      }
    }
    return pairs;
  }

  static boolean shareBytes(PlanningProblem problem, Place a, Place b) {
    long sizeA = allocated(problem, a.subject(), a.memId());
    long sizeB = allocated(problem, b.subject(), b.memId());
    return a.memId() == b.memId()
        && sizeA > 0
        && sizeB > 0
        && a.offsetBytes() < b.offsetBytes() + sizeB
        && b.offsetBytes() < a.offsetBytes() + sizeA;
  }

  /** A part inside its root is spoken for by that. */
  private static boolean speaksForItself(
      PlanningProblem problem, ClaimedPlan plan, Place place, List<Integer> chain) {
    int root = chain.get(chain.size() - 1);
    return root == place.subject()
        || plan.places().stream()
            .filter(other -> other.subject() == root)
            .noneMatch(
                other ->
                    other.memId() == place.memId()
                        && other.offsetBytes() <= place.offsetBytes()
                        && place.offsetBytes() + allocated(problem, place.subject(), place.memId())
                            <= other.offsetBytes() + allocated(problem, root, other.memId()));
  }

  private static List<Integer> chain(PlanningProblem problem, int buffer) {
    List<Integer> chain = new ArrayList<>();
    for (int at = buffer; at >= 0; at = problem.base(at)) {
      chain.add(at);
    }
    return chain;
  }

  static long allocated(PlanningProblem problem, int buffer, int memId) {
    return problem.base(buffer) >= 0
        ? up(problem.sizeBytes(buffer), problem.alignment())
        : up(problem.sizeBytes(buffer), problem.arenaAlignment(problem.arenaOfMemId(memId)));
  }

  private static long up(long bytes, long alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
  }
}
