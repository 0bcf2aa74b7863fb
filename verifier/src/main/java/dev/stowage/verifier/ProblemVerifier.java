package dev.stowage.verifier;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Message;
import dev.stowage.memmap.ReservedRange;
import dev.stowage.planning.Arena;
import dev.stowage.planning.PlanningProblem;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Judges plans of problems, each constraint by its own statement.
 *
 * <p>A storage-backed buffer that lies where it should, in the bytes of the outermost buffer that
 * backs it, is compared with the other parts of that one; what other buffers do to it is said of
 * the outermost one.
 */
public final class ProblemVerifier {
  private final PlanningProblem problem;
  private final ClaimedPlan plan;
  private final Naming naming;
  private final Map<Integer, Integer> arenaByMemId = new HashMap<>();
  private final ClaimedPlan.@Nullable Place[] placeByBuffer;
  private final Boxes boxes;
  private final int[] base;
  private final Gaps gaps;
  private final ImmutableList.Builder<Finding> findings = ImmutableList.builder();
  private final PairFindings pairs = new PairFindings();

  /**
   * How findings speak of buffers and steps where these come from a model.
   *
   * @param noun what a buffer is there, such as {@code tensor}
   * @param number the number of a buffer there, by index
   * @param firstStep what step 0 of the problem is there
   */
  public record Naming(String noun, IntUnaryOperator number, int firstStep) {
    /** Buffers by the numbers that they have in the problem, and its steps. */
    public static Naming of(PlanningProblem problem) {
      return new Naming("buffer", problem::bufferNumber, 0);
    }
  }

  private ProblemVerifier(PlanningProblem problem, ClaimedPlan plan, Naming naming) {
    this.problem = problem;
    this.plan = plan;
    this.naming = naming;
    for (int a = 0; a < problem.arenaCount(); a++) {
      arenaByMemId.put(problem.arena(a).memId(), a);
    }
    placeByBuffer = new ClaimedPlan.Place[problem.bufferCount()];
    boxes = new Boxes(problem.bufferCount());
    base = IntStream.range(0, problem.bufferCount()).map(problem::base).toArray();
    gaps = new Gaps(problem);
  }

  /**
   * Judges a plan whose subjects are the buffers of a problem, by index; in O(n log n) and the
   * number of pairs that are in conflict.
   *
   * @return what is wrong: first what concerns single buffers, in their order, then arenas, then
   *     pairs; of these a thousand are listed and the others counted by kind
   */
  public static ImmutableList<Finding> verify(PlanningProblem problem, ClaimedPlan plan) {
    return verify(problem, plan, Naming.of(problem));
  }

  /**
   * The same with findings, both messages and subjects, that speak of what the buffers come from.
   * The subjects of the plan are the buffers all the same.
   */
  public static ImmutableList<Finding> verify(
      PlanningProblem problem, ClaimedPlan plan, Naming naming) {
    return new ProblemVerifier(problem, plan, naming).run();
  }

  /**
   * How many unordered pairs of buffers share bytes of an arena, whatever their lifetimes, in O(n
   * log n). A pair with a buffer of no bytes does not count, nor does one without a place in an
   * arena of the problem.
   */
  public static long sharingPairs(PlanningProblem problem, ClaimedPlan plan) {
    ProblemVerifier verifier = new ProblemVerifier(problem, plan, Naming.of(problem));
    verifier.takePlaces();
    long sharing = 0;
    for (int[] members : verifier.byArena(verifier.boxes::hasBytes).values()) {
      long[] froms = Arrays.stream(members).mapToLong(verifier.boxes::from).sorted().toArray();
      long[] tos = Arrays.stream(members).mapToLong(verifier.boxes::to).sorted().toArray();
      sharing += members.length * (members.length - 1L) / 2;
      for (long from : froms) {
        // Of two that are apart, one ends before or where the other begins.
        sharing -= OverlapSweep.countBelow(tos, from + 1);
      }
    }
    return sharing;
  }

  private ImmutableList<Finding> run() {
    takePlaces();
    for (int i = 0; i < problem.bufferCount(); i++) {
      if (placeByBuffer[i] == null) {
        find(FindingKind.NOT_PLACED, describe(i) + " has no place", i);
      } else {
        judgePlace(i, placeByBuffer[i]);
      }
    }
    judgeArenas();
    judgeObjects();
    judgeSeparations();
    judgeOverlaps();
    return findings.addAll(pairs.build()).build();
  }

  private void takePlaces() {
    for (ClaimedPlan.Place place : plan.places()) {
      int buffer = place.subject();
      if (buffer < 0 || buffer >= problem.bufferCount()) {
        findings.add(
            Finding.of(
                FindingKind.UNKNOWN_TENSOR,
                Message.format(
                    "the plan places buffer %d, but the problem has buffers 0 to %d",
                    buffer, problem.bufferCount() - 1),
                -1,
                ImmutableList.of()));
      } else if (placeByBuffer[buffer] != null) {
        find(
            FindingKind.PLACED_TWICE,
            Message.format(
                "%s is placed again, at %,d of mem_id %d",
                describe(buffer), place.offsetBytes(), place.memId()),
            buffer);
      } else {
        placeByBuffer[buffer] = place;
        boxes.live(buffer, problem.start(buffer), problem.end(buffer));
        Integer arena = arenaByMemId.get(place.memId());
        if (arena != null && place.offsetBytes() >= 0) {
          boxes.place(buffer, place.memId(), place.offsetBytes(), allocatedBytes(buffer, arena));
        }
      }
    }
  }

  /** A backed buffer keeps the plan's alignment, also in an arena with a stricter one. */
  private long allocatedBytes(int buffer, int arena) {
    return isBacked(buffer)
        ? problem.allocatedBytes(buffer)
        : problem.allocatedBytes(buffer, arena);
  }

  private boolean isBacked(int buffer) {
    return problem.base(buffer) != PlanningProblem.NO_BASE;
  }

  private void judgePlace(int buffer, ClaimedPlan.Place place) {
    if (isBacked(buffer)) {
      judgeInBase(buffer, place);
    } else {
      judgeArenaOf(buffer, place);
    }
    if (problem.fixedOffset(buffer) >= 0 && place.offsetBytes() != problem.fixedOffset(buffer)) {
      find(
          FindingKind.WRONG_OFFSET,
          Message.format(
              "%s is at %,d and not at its fixed offset %,d",
              describe(buffer), place.offsetBytes(), problem.fixedOffset(buffer)),
          buffer);
    }
    if (place.offsetBytes() < 0) {
      find(
          FindingKind.OUTSIDE_ARENA,
          Message.format(
              "%s begins at %,d, before its arena does", describe(buffer), place.offsetBytes()),
          buffer);
    } else if (boxes.isPlaced(buffer)) {
      int arena = requireNonNull(arenaByMemId.get(place.memId()));
      judgeRange(buffer, place.offsetBytes(), arena);
      judgeAlignment(buffer, place.offsetBytes(), arena);
    }
  }

  private void judgeArenaOf(int buffer, ClaimedPlan.Place place) {
    int pin = problem.pinnedArena(buffer);
    Integer arena = arenaByMemId.get(place.memId());
    if (pin >= 0) {
      if (arena == null || arena != pin) {
        find(
            FindingKind.WRONG_ARENA,
            Message.format(
                "%s is in mem_id %d, but is pinned to %s",
                describe(buffer), place.memId(), problem.arena(pin)),
            buffer);
      }
    }
    if (pin >= 0 && problem.arenaSet(buffer) == 0) {
      return;
    }
    if (arena == null) {
      find(
          FindingKind.CLOSED_ARENA,
          Message.format(
              "%s is in mem_id %d, which is no arena of the problem",
              describe(buffer), place.memId()),
          buffer);
    } else if (!isOpenTo(buffer, arena)) {
      find(
          FindingKind.CLOSED_ARENA,
          Message.format(
              "%s is in %s, which is not open to it", describe(buffer), problem.arena(arena)),
          buffer);
    }
  }

  private boolean isOpenTo(int buffer, int arena) {
    int set = problem.arenaSet(buffer);
    return set == 0
        ? problem.arena(arena).open()
        : IntStream.of(problem.arenaSetMembers(set)).anyMatch(member -> member == arena);
  }

  private void judgeRange(int buffer, long offset, int arena) {
    Arena it = problem.arena(arena);
    long allocated = allocatedBytes(buffer, arena);
    if (allocated > 0 && offset < it.reservedBytes()) {
      find(
          FindingKind.IN_RESERVED,
          Message.format(
              "%s begins at %,d of %s, in its %,d reserved bytes",
              describe(buffer), offset, it, it.reservedBytes()),
          buffer);
    }
    for (ReservedRange range : it.reservedRanges()) {
      // Nothing is past the range here that could overflow: a place ends below 2^63.
      if (allocated > 0 && offset < range.endBytes() && range.offsetBytes() - offset < allocated) {
        find(
            FindingKind.IN_RESERVED,
            Message.format(
                "%s is at [%,d, %,d) of %s, of which [%,d, %,d) is reserved for %s",
                describe(buffer),
                boxes.fromBytes(buffer),
                boxes.toBytes(buffer),
                it,
                range.offsetBytes(),
                range.endBytes(),
                range.owner()),
            buffer);
      }
    }
    // What lies in a base is no allocation of its own.
    if (!isBacked(buffer) && allocated > it.maxAllocationBytes()) {
      find(
          FindingKind.OVER_MAX_ALLOCATION,
          Message.format(
              "%s takes %,d bytes of %s, which gives no more than %,d at once",
              describe(buffer), allocated, it, it.maxAllocationBytes()),
          buffer);
    }
    // The sum of size and over-read is checked by the problem; added to the offset it may overflow.
    long needed = Math.max(allocated, problem.sizeBytes(buffer) + problem.overReadBytes(buffer));
    long arenaSize = plan.arenaSizeBytes(it.memId());
    if (arenaSize < needed || offset > arenaSize - needed) {
      find(
          FindingKind.OUTSIDE_ARENA,
          Message.format(
              "%s needs %,d bytes from %,d on in %s, which the plan makes %,d bytes large",
              describe(buffer), needed, offset, it, arenaSize),
          buffer);
    }
  }

  private void judgeAlignment(int buffer, long offset, int arena) {
    Arena it = problem.arena(arena);
    int alignment = isBacked(buffer) ? problem.alignment() : problem.arenaAlignment(arena);
    if (!problem.isChosenPart(buffer) && offset % alignment != 0) {
      long reserved = it.reservedBytes();
      boolean follows = reserved % alignment != 0 && offset % alignment == reserved % alignment;
      find(
          follows ? FindingKind.RESERVED_MISALIGNED : FindingKind.MISALIGNED,
          Message.format(
              "%s is at %,d of %s, which is no multiple of the alignment %d%s",
              describe(buffer),
              offset,
              it,
              alignment,
              follows
                  ? Message.format("; nor are the %,d reserved bytes before it", reserved)
                  : ""),
          buffer);
    }
    long own = problem.bufferAlignment(buffer);
    if ((it.baseAddress() % own + offset % own) % own != 0) {
      find(
          FindingKind.MISALIGNED,
          Message.format(
              "%s is at %,d of %s, which begins at address %,d: no multiple of its alignment %d",
              describe(buffer), offset, it, it.baseAddress(), own),
          buffer);
    }
  }

  private void judgeInBase(int buffer, ClaimedPlan.Place place) {
    int in = problem.base(buffer);
    if (in == PlanningProblem.UNPLACED_BASE) {
      find(
          FindingKind.STORAGE_MISPLACED,
          describe(buffer) + " has a place, but its storage base is not of this plan",
          buffer);
      return;
    }
    ClaimedPlan.Place basePlace = placeByBuffer[in];
    if (basePlace == null) {
      return;
    }
    long offset = problem.baseOffset(buffer);
    boolean misplaced =
        place.memId() != basePlace.memId()
            || !Offsets.differBy(place.offsetBytes(), basePlace.offsetBytes(), offset);
    if (misplaced) {
      find(
          FindingKind.STORAGE_MISPLACED,
          Message.format(
              "%s is at %,d of mem_id %d, but lies %,d bytes into %s, at %,d of mem_id %d",
              describe(buffer),
              place.offsetBytes(),
              place.memId(),
              offset,
              describe(in),
              basePlace.offsetBytes(),
              basePlace.memId()),
          buffer,
          in);
    }
    Integer baseArena = arenaByMemId.get(basePlace.memId());
    if (baseArena != null) {
      long baseSize = allocatedBytes(in, baseArena);
      long size = problem.allocatedBytes(buffer);
      if (offset < 0 || size > baseSize - offset) {
        find(
            FindingKind.STORAGE_OUTSIDE_BASE,
            Message.format(
                "%s has %,d bytes at offset %,d in %s, which has %,d",
                describe(buffer), size, offset, describe(in), baseSize),
            buffer,
            in);
      }
    }
  }

  private void judgeArenas() {
    long[] ends = endsByArena();
    for (int a = 0; a < ends.length; a++) {
      Arena arena = problem.arena(a);
      long size = plan.arenaSizeBytes(arena.memId());
      String fault = "";
      if (size > arena.capacityBytes()) {
        fault =
            Message.format("%s takes %,d bytes and has %,d", arena, size, arena.capacityBytes());
      } else if (ends[a] >= 0 && ends[a] > arena.capacityBytes() - arena.paddingBytes()) {
        fault =
            Message.format(
                "%s is used up to %,d; with %,d bytes of padding that is more than its %,d",
                arena, ends[a], arena.paddingBytes(), arena.capacityBytes());
      }
      if (!fault.isEmpty()) {
        findings.add(Finding.of(FindingKind.OVER_CAPACITY, fault, -1, ImmutableList.of()));
      }
    }
  }

  /** Where what is allocated in each arena ends, or what is reserved before it; -1 for nothing. */
  private long[] endsByArena() {
    long[] ends = new long[problem.arenaCount()];
    Arrays.fill(ends, -1);
    for (int i = 0; i < problem.bufferCount(); i++) {
      ClaimedPlan.Place place = placeByBuffer[i];
      if (place != null && boxes.isPlaced(i)) {
        int a = requireNonNull(arenaByMemId.get(place.memId()));
        long end = Math.max(boxes.toBytes(i), problem.arena(a).reservedBytes());
        ends[a] = Math.max(ends[a], end);
      }
    }
    return ends;
  }

  private void judgeObjects() {
    int[] objectByBuffer =
        Arrays.stream(placeByBuffer).mapToInt(p -> p == null ? -1 : p.memObjId()).toArray();
    ObjectCheck check =
        new ObjectCheck(
            boxes,
            objectByBuffer,
            (a, b) -> {
              pairs.add(
                  FindingKind.OBJECT_MISMATCH,
                  () ->
                      pairFinding(
                          FindingKind.OBJECT_MISMATCH,
                          Message.format(
                              "share bytes, but are in the shared objects %d and %d",
                              objectByBuffer[a], objectByBuffer[b]),
                          a,
                          b));
              return true;
            });
    byArena(boxes::isPlaced)
        .forEach(
            (memId, members) -> {
              int[] inObject = IntStream.of(members).filter(i -> objectByBuffer[i] >= 0).toArray();
              if (inObject.length > 0 && inObject.length < members.length) {
                int without =
                    IntStream.of(members).filter(i -> objectByBuffer[i] < 0).findFirst().orElse(-1);
                findings.add(
                    Finding.of(
                        FindingKind.OBJECT_INCOMPLETE,
                        Message.format(
                            "in mem_id %d, %d of %d buffers are in shared objects and %s is not",
                            memId, inObject.length, members.length, describe(without)),
                        -1,
                        ImmutableList.of(subject(without))));
              }
              check.search(IntStream.of(inObject).filter(boxes::hasBytes).toArray());
            });
  }

  private void judgeSeparations() {
    for (int s = 0; s < problem.separationCount(); s++) {
      int a = Math.min(problem.separation(s, 0), problem.separation(s, 1));
      int b = Math.max(problem.separation(s, 0), problem.separation(s, 1));
      if (a != b && boxes.overlapInBytes(a, b)) {
        pairs.add(
            FindingKind.SEPARATION,
            () -> pairFinding(FindingKind.SEPARATION, "share bytes, but must not", a, b));
      }
    }
  }

  private void judgeOverlaps() {
    boolean[] chosen = PairSearch.liesInChosen(base, problem::isChosenPart);
    new PairSearch(boxes, base)
        .run(
            new PairSearch.Judge() {
              @Override
              public boolean overlap(int a, int b) {
                addLive(FindingKind.OVERLAP, a, b);
                return gaps.exist() || !pairs.isFull();
              }

              @Override
              public void moreOverlaps(int[] roots, long count) {
                pairs.count(FindingKind.OVERLAP, count);
              }

              @Override
              public void siblings(int a, int b) {
                // Why a pass has put them there is not of the problem; the program tells.
                if (!chosen[a] && !chosen[b]) {
                  addLive(FindingKind.SIBLING_OVERLAP, a, b);
                }
              }
            });
  }

  private void addLive(FindingKind kind, int a, int b) {
    if (gaps.bothLive(a, b)) {
      pairs.add(kind, () -> pairFinding(kind, "share bytes while both are live", a, b));
    }
  }

  private Map<Integer, int[]> byArena(IntPredicate condition) {
    Map<Integer, IntStream.Builder> builders = new TreeMap<>();
    IntStream.range(0, boxes.count())
        .filter(condition)
        .forEach(
            i -> builders.computeIfAbsent(boxes.memId(i), memId -> IntStream.builder()).add(i));
    Map<Integer, int[]> members = new TreeMap<>();
    builders.forEach((memId, builder) -> members.put(memId, builder.build().toArray()));
    return members;
  }

  private void find(FindingKind kind, String message, int... buffers) {
    findings.add(
        Finding.of(
            kind,
            message,
            -1,
            IntStream.of(buffers)
                .mapToObj(this::subject)
                .collect(ImmutableList.toImmutableList())));
  }

  private Finding pairFinding(FindingKind kind, String what, int a, int b) {
    return Finding.of(
        kind,
        Message.format("%s and %s %s", describeLive(a), describeLive(b), what),
        -1,
        ImmutableList.of(subject(a), subject(b)));
  }

  private String describe(int buffer) {
    String label = problem.bufferName(buffer);
    return naming.noun()
        + " "
        + naming.number().applyAsInt(buffer)
        + (label == null || label.isEmpty() ? "" : " (" + label + ")");
  }

  private String describeLive(int buffer) {
    return Message.format(
        "%s at [%,d, %,d) of mem_id %d, live over steps [%d, %d],",
        describe(buffer),
        boxes.fromBytes(buffer),
        boxes.toBytes(buffer),
        boxes.memId(buffer),
        problem.start(buffer) + naming.firstStep(),
        problem.end(buffer) + naming.firstStep());
  }

  private Finding.Subject subject(int buffer) {
    String label = problem.bufferName(buffer);
    ClaimedPlan.Place place = placeByBuffer[buffer];
    boolean placed = boxes.isPlaced(buffer);
    long offset = place == null ? 0 : place.offsetBytes();
    return new Finding.Subject(
        naming.number().applyAsInt(buffer),
        label == null ? "" : label,
        place == null ? -1 : place.memId(),
        offset,
        placed ? boxes.toBytes(buffer) : offset,
        problem.start(buffer) + naming.firstStep(),
        problem.end(buffer) + naming.firstStep());
  }

  /** The spans in which buffers are dead inside their lifetimes. */
  private static final class Gaps {
    private final PlanningProblem problem;
    private final int[] firstGap;
    private final boolean[] backs;

    Gaps(PlanningProblem problem) {
      this.problem = problem;
      int buffers = problem.gapCount() == 0 ? 0 : problem.bufferCount();
      firstGap = new int[buffers + 1];
      backs = new boolean[buffers];
      for (int gap = 0; gap < problem.gapCount(); gap++) {
        firstGap[problem.gapBuffer(gap) + 1]++;
      }
      for (int i = 0; i < buffers; i++) {
        firstGap[i + 1] += firstGap[i];
        if (problem.base(i) >= 0) {
          backs[problem.base(i)] = true;
        }
      }
    }

    boolean exist() {
      return problem.gapCount() > 0;
    }

    /** True if there is a step at which two buffers are live whose lifetimes overlap. */
    boolean bothLive(int a, int b) {
      if (!exist()) {
        return true;
      }
      int step = Math.max(problem.start(a), problem.start(b));
      int end = Math.min(problem.end(a), problem.end(b));
      while (step <= end) {
        int next = Math.max(liveFrom(a, step), liveFrom(b, step));
        if (next == step) {
          return true;
        }
        step = next;
      }
      return false;
    }

    /** The step itself if the buffer is live then, else the one after its gap. */
    private int liveFrom(int buffer, int step) {
      // What a buffer backs may be live in a gap of its own.
      if (!backs[buffer]) {
        int low = firstGap[buffer];
        int high = firstGap[buffer + 1];
        while (low < high) {
          int middle = (low + high) >>> 1;
          if (problem.gapEnd(middle) < step) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        if (low < firstGap[buffer + 1] && problem.gapStart(low) <= step) {
          return problem.gapEnd(low) + 1;
        }
      }
      return step;
    }
  }
}
