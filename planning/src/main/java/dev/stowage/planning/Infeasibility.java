package dev.stowage.planning;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.Ints;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Diagnostic.Shortfall;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.memmap.ReservedRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Proofs that a problem has no plan, found without a search.
 *
 * <p>Three kinds: a buffer larger than what any arena that it may use has in one piece; two fixed
 * places that share bytes while both are live; and, for a set of arenas, more live bytes of buffers
 * that must go to one of them than all of them hold. The last is checked for every set where there
 * are few arenas, as in Hall's marriage theorem, and for each set that some buffer is kept to where
 * there are many. None of them rounds offsets, so a plan that starts at unaligned reserved bytes is
 * never ruled out.
 */
public final class Infeasibility {
  /** Up to so many arenas all of their subsets are tried. */
  private static final int ARENAS_WITH_ALL_SUBSETS = 8;

  private static final int MOST_NAMED = 8;

  private final PlanningProblem problem;
  private final Blocks blocks;

  private Infeasibility(PlanningProblem problem) {
    this.problem = problem;
    this.blocks = new Blocks(problem);
  }

  /**
   * A proof that no plan exists, with the bytes that are missing where it is about bytes.
   *
   * @param kind of the diagnostic where a proof by live bytes gives it none of its own
   */
  public static Optional<Diagnostic> prove(PlanningProblem problem, DiagnosticKind kind) {
    Infeasibility it = new Infeasibility(problem);
    Optional<Diagnostic> proof = it.blocks.fault();
    if (proof.isEmpty()) {
      proof = it.tooLarge(kind);
    }
    if (proof.isEmpty()) {
      proof = it.fixedPlacesOverlap();
    }
    return proof.isPresent() ? proof : it.tooMuchAtOnce(kind);
  }

  private Optional<Diagnostic> tooLarge(DiagnosticKind kind) {
    ImmutableIntArray all = blocks.all();
    for (int i = 0; i < all.length(); i++) {
      int block = all.get(i);
      ImmutableIntArray arenas = blocks.arenas(block);
      if (arenas.isEmpty()) {
        return Optional.of(
            Diagnostic.of(
                    kind,
                    Location.at(problem.describe(block)),
                    Message.format(
                        "%,d bytes have no arena that they may go to", problem.sizeBytes(block)))
                .aboutBuffer(block)
                .help("allow it another bank"));
      }
      int best = -1;
      long least = Long.MAX_VALUE;
      long available = 0;
      long required = 0;
      for (int j = 0; j < arenas.length(); j++) {
        int arena = arenas.get(j);
        long needed = problem.allocatedBytes(block, arena);
        long there = largestPiece(block, arena);
        // What is only read past the end may be in a reserved range, but not outside the arena.
        long extent = blocks.extentBytes(block, arena);
        long toEnd = toEnd(block, arena);
        if (extent - toEnd > needed - there) {
          needed = extent;
          there = toEnd;
        }
        if (needed - there < least) {
          least = needed - there;
          best = arena;
          available = there;
          required = needed;
        }
      }
      if (least > 0) {
        Arena it = problem.arena(best);
        return Optional.of(
            Diagnostic.of(
                    kind,
                    Location.at(problem.describe(block)),
                    Message.format(
                        "%,d bytes are required, but %s has at most %,d in one piece: %,d are"
                            + " missing",
                        required, it, available, least))
                .aboutBuffer(block)
                .shortfall(new Shortfall(required, available, -1, ImmutableList.of(block)))
                .note(
                    arenas.length() == 1
                        ? "no other arena may hold it"
                        : "no other arena that may hold it has more")
                .help(
                    Message.format(
                        "enlarge %s by %,d bytes, or make the buffer smaller", it.name(), least)));
      }
    }
    return Optional.empty();
  }

  /** The most bytes from one offset on that a block may have in an arena. */
  private long largestPiece(int block, int arena) {
    Arena it = problem.arena(arena);
    long end = usableEnd(it);
    long from = it.reservedBytes();
    long best = 0;
    long fixed = blocks.fixedOffset(block);
    for (ReservedRange range : it.reservedRanges()) {
      best = Math.max(best, piece(from, Math.min(range.offsetBytes(), end), fixed));
      from = Math.max(from, range.endBytes());
    }
    best = Math.max(best, piece(from, end, fixed));
    return Math.min(best, it.maxAllocationBytes());
  }

  /** Bytes from the lowest offset that a block may have to the end of an arena. */
  private long toEnd(int block, int arena) {
    Arena it = problem.arena(arena);
    long from =
        blocks.fixedOffset(block) >= 0
            ? blocks.fixedOffset(block)
            : problem.sizeBytes(block) > 0 ? it.reservedBytes() : 0;
    return Math.max(0, usableEnd(it) - from);
  }

  private static long piece(long from, long to, long fixed) {
    if (fixed < 0) {
      return Math.max(0, to - from);
    }
    return fixed < from ? 0 : Math.max(0, to - fixed);
  }

  private static long usableEnd(Arena arena) {
    return arena.capacityBytes() == Arena.UNLIMITED
        ? Arena.UNLIMITED
        : Math.max(0, arena.capacityBytes() - arena.paddingBytes());
  }

  private Optional<Diagnostic> fixedPlacesOverlap() {
    for (int arena = 0; arena < problem.arenaCount(); arena++) {
      int a = arena;
      List<Integer> fixed =
          blocks.all().stream()
              .filter(b -> blocks.fixedOffset(b) >= 0 && blocks.arenas(b).length() == 1)
              .filter(b -> blocks.arenas(b).get(0) == a)
              .boxed()
              .sorted(Comparator.<Integer>comparingLong(blocks::fixedOffset))
              .collect(Collectors.toList());
      for (int i = 0; i < fixed.size(); i++) {
        int one = fixed.get(i);
        long from = blocks.fixedOffset(one);
        long end = from + problem.allocatedBytes(one, arena);
        if (blocks.alignedOffset(one, arena, from) != from) {
          return Optional.of(
              Diagnostic.of(
                      Kinds.CONSTRAINTS_CONFLICT,
                      Location.at(problem.describe(one)),
                      Message.format(
                          "it is fixed at %,d of %s, where it is not aligned",
                          from, problem.arena(arena)))
                  .aboutBuffer(one)
                  .help("move it to a multiple of its alignment"));
        }
        for (int j = i + 1; j < fixed.size() && blocks.fixedOffset(fixed.get(j)) < end; j++) {
          int other = fixed.get(j);
          long otherEnd = blocks.fixedOffset(other) + problem.allocatedBytes(other, arena);
          if (blocks.conflict(one, other) && otherEnd > blocks.fixedOffset(other)) {
            return Optional.of(
                Diagnostic.of(
                        Kinds.PINS_OVERLAP,
                        Location.at(problem.describe(other)),
                        Message.format(
                            "it is fixed at [%,d, %,d) of %s, in the bytes of %s at [%,d, %,d),"
                                + " while both are live",
                            blocks.fixedOffset(other),
                            otherEnd,
                            problem.arena(arena),
                            problem.describe(one),
                            from,
                            end))
                    .aboutBuffer(other)
                    .note(
                        Message.format(
                            "%s is live over steps %d..%d, %s over %d..%d",
                            problem.describe(one),
                            problem.stepNumber(problem.start(one)),
                            problem.stepNumber(problem.end(one)),
                            problem.describe(other),
                            problem.stepNumber(problem.start(other)),
                            problem.stepNumber(problem.end(other))))
                    .help("move one of them"));
          }
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Diagnostic> tooMuchAtOnce(DiagnosticKind kind) {
    if (problem.arenaCount() > Long.SIZE - 1) {
      return Optional.empty();
    }
    int[] all = blocks.all().stream().filter(b -> problem.sizeBytes(b) > 0).toArray();
    long[] masks = new long[all.length];
    TreeSet<Long> sets =
        new TreeSet<>(Comparator.comparingInt(Long::bitCount).thenComparingLong(mask -> mask));
    for (int i = 0; i < all.length; i++) {
      masks[i] = mask(blocks.arenas(all[i]));
      sets.add(masks[i]);
    }
    if (problem.arenaCount() <= ARENAS_WITH_ALL_SUBSETS) {
      for (long mask = 1; mask < 1L << problem.arenaCount(); mask++) {
        sets.add(mask);
      }
    } else {
      sets.add(sets.stream().reduce(0L, (a, b) -> a | b));
    }
    for (long set : sets) {
      long available = capacity(set);
      if (available != Arena.UNLIMITED) {
        int[] members =
            IntStream.range(0, all.length)
                .filter(i -> (masks[i] & ~set) == 0)
                .map(i -> all[i])
                .toArray();
        int only = Long.bitCount(set) == 1 ? Long.numberOfTrailingZeros(set) : -1;
        LowerBounds.Peak peak = LowerBounds.peak(problem, members, only);
        if (peak.bytes() > available) {
          return Optional.of(shortfall(kind, set, members, peak, available));
        }
      }
    }
    return Optional.empty();
  }

  private static long mask(ImmutableIntArray arenas) {
    return arenas.stream().mapToLong(a -> 1L << a).reduce(0, (a, b) -> a | b);
  }

  private int[] members(long set) {
    return IntStream.range(0, problem.arenaCount()).filter(a -> (set >>> a & 1) != 0).toArray();
  }

  /** What the arenas of a set hold together; the padding only where there is no other arena. */
  private long capacity(long set) {
    long sum = 0;
    int[] arenas = members(set);
    for (int a : arenas) {
      Arena it = problem.arena(a);
      if (it.capacityBytes() == Arena.UNLIMITED) {
        return Arena.UNLIMITED;
      }
      long usable =
          it.capacityBytes()
              - it.reservedBytes()
              - (arenas.length == 1 ? it.paddingBytes() : 0)
              - taken(it);
      long next = sum + Math.max(0, usable);
      if (next < sum) {
        return Arena.UNLIMITED;
      }
      sum = next;
    }
    return sum;
  }

  /** Bytes of the reserved ranges between the reserved bytes and the capacity. */
  private static long taken(Arena arena) {
    long taken = 0;
    for (ReservedRange range : arena.reservedRanges()) {
      long from = Math.max(range.offsetBytes(), arena.reservedBytes());
      long to = Math.min(range.endBytes(), arena.capacityBytes());
      taken += Math.max(0, to - from);
    }
    return taken;
  }

  private Diagnostic shortfall(
      DiagnosticKind kind, long set, int[] members, LowerBounds.Peak peak, long available) {
    int only = Long.bitCount(set) == 1 ? Long.numberOfTrailingZeros(set) : -1;
    List<Integer> live =
        new ArrayList<>(Ints.asList(LowerBounds.liveAt(problem, members, peak.step())));
    live.sort(Comparator.<Integer>comparingLong(problem::sizeBytes).reversed());
    String where =
        IntStream.of(members(set))
            .mapToObj(a -> problem.arena(a).toString())
            .collect(Collectors.joining(" and "));
    long missing = peak.bytes() - available;
    Diagnostic diagnostic =
        Diagnostic.of(
                kind,
                Location.at("step " + problem.stepNumber(peak.step())),
                Message.format(
                    "%,d bytes are required at one time in %s, which %s %,d available: %,d are"
                        + " missing",
                    peak.bytes(), where, only >= 0 ? "has" : "have", available, missing))
            .shortfall(
                new Shortfall(peak.bytes(), available, peak.step(), ImmutableList.copyOf(live)))
            .note(
                "live there: "
                    + live.stream()
                        .limit(MOST_NAMED)
                        .map(
                            b ->
                                Message.format(
                                    "%s (%,d bytes)",
                                    problem.describe(b),
                                    only >= 0
                                        ? problem.allocatedBytes(b, only)
                                        : problem.allocatedBytes(b)))
                        .collect(Collectors.joining(", "))
                    + (live.size() > MOST_NAMED
                        ? Message.format(" and %,d more", live.size() - MOST_NAMED)
                        : ""));
    return diagnostic.help(
        Message.format(
            "no plan can exist: give %,d bytes more, or have less live at that step", missing));
  }
}
