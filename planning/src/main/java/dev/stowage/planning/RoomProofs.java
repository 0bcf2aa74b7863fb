package dev.stowage.planning;

import static java.util.Comparator.comparingInt;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.Ints;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Diagnostic.Shortfall;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.memmap.ReservedRange;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The proofs of {@link Infeasibility} that are about missing bytes. */
final class RoomProofs {
  /** Up to so many arenas all of their subsets are tried. */
  private static final int ARENAS_WITH_ALL_SUBSETS = 8;

  private static final int MOST_NAMED = 8;

  /** The size of an arena that no size helps. */
  private static final long NO_SIZE = -1;

  private final PlanningProblem problem;
  private final Blocks blocks;
  private final DiagnosticKind kind;

  /** Blocks with bytes. */
  private final int[] all;

  RoomProofs(PlanningProblem problem, Blocks blocks, DiagnosticKind kind) {
    this.problem = problem;
    this.blocks = blocks;
    this.kind = kind;
    all = blocks.all().stream().filter(b -> problem.sizeBytes(b) > 0).toArray();
  }

  /** Of all that is too large, alone or together, what misses most; of equals the fewest. */
  Optional<Diagnostic> most() {
    Optional<TooLarge> alone = tooLarge();
    Optional<TooMuch> together = tooMuchAtOnce();
    return together.isPresent()
            && together.get().missing() > alone.map(TooLarge::missing).orElse(0L)
        ? together.map(this::describe)
        : alone.map(this::describe);
  }

  /**
   * A block that is larger than what any arena has for it.
   *
   * @param arena where least is missing
   * @param available the most there is in one piece
   */
  private record TooLarge(int block, int arena, long required, long available) {
    long missing() {
      return required - available;
    }
  }

  private Optional<TooLarge> tooLarge() {
    @Nullable TooLarge most = null;
    for (int block : blocks.all().asList()) {
      TooLarge it = inBestArena(block);
      if (it.missing() > 0
          && (most == null
              || it.missing() > most.missing()
              || (it.missing() == most.missing() && it.required() > most.required()))) {
        most = it;
      }
    }
    return Optional.ofNullable(most);
  }

  private TooLarge inBestArena(int block) {
    @Nullable TooLarge best = null;
    for (int arena : blocks.arenas(block).asList()) {
      long needed = problem.allocatedBytes(block, arena);
      long there = largestPiece(block, arena);
      // What is only read past the end may be in a reserved range, but not outside the arena.
      long extent = blocks.extentBytes(block, arena);
      long toEnd = toEnd(block, arena);
      TooLarge it =
          extent - toEnd > needed - there
              ? new TooLarge(block, arena, extent, toEnd)
              : new TooLarge(block, arena, needed, there);
      best = best == null || it.missing() < best.missing() ? it : best;
    }
    return best == null ? new TooLarge(block, -1, 0, 0) : best;
  }

  /** The most bytes from one offset on that a block may have in an arena. */
  private long largestPiece(int block, int arena) {
    Arena it = problem.arena(arena);
    long end = it.usableEndBytes();
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

  private static long piece(long from, long to, long fixed) {
    if (fixed < 0) {
      return Math.max(0, to - from);
    }
    return fixed < from ? 0 : Math.max(0, to - fixed);
  }

  /** The lowest offset that a block may have. */
  private long lowest(int block, int arena) {
    if (blocks.fixedOffset(block) >= 0) {
      return blocks.fixedOffset(block);
    }
    return problem.sizeBytes(block) > 0 ? problem.arena(arena).reservedBytes() : 0;
  }

  /** Bytes from the lowest offset that a block may have to the end of an arena. */
  private long toEnd(int block, int arena) {
    return Math.max(0, problem.arena(arena).capacityBytes() - lowest(block, arena));
  }

  /** The smallest size of an arena that has enough in one piece for a block. */
  private long sizeFor(int block, int arena) {
    Arena it = problem.arena(arena);
    long needed = problem.allocatedBytes(block, arena);
    long at = lowest(block, arena);
    if (needed > it.maxAllocationBytes() || (needed > 0 && at < it.reservedBytes())) {
      return NO_SIZE;
    }
    long least = at + blocks.extentBytes(block, arena);
    for (ReservedRange range : it.reservedRanges()) {
      if (needed > 0 && at < range.endBytes() && range.offsetBytes() < at + needed) {
        if (blocks.fixedOffset(block) >= 0) {
          return NO_SIZE;
        }
        at = range.endBytes();
      }
    }
    return Math.max(least, at + needed + it.paddingBytes());
  }

  private Diagnostic describe(TooLarge it) {
    Arena arena = problem.arena(it.arena());
    int block = it.block();
    int step = problem.start(block);
    ImmutableList<Integer> live = liveAt(all, step);
    Diagnostic diagnostic =
        Diagnostic.of(
                kind,
                Location.at(problem.describe(block)),
                Message.format(
                    "%,d bytes are required, but %s has at most %,d in one piece: %,d are missing",
                    it.required(), arena, it.available(), it.missing()))
            .aboutBuffer(block)
            .shortfall(new Shortfall(it.required(), it.available(), step, live))
            .note(
                blocks.arenas(block).length() == 1
                    ? "no other arena may hold it"
                    : "no other arena that may hold it has more");
    for (String taken : arena.describeTaken().stream().collect(Collectors.toList())) {
      diagnostic = diagnostic.note(taken);
    }
    diagnostic =
        diagnostic.note(
            Message.format(
                "live at step %d, where it is first live: %s",
                problem.stepNumber(step), names(live, it.arena())));
    long size = sizeFor(block, it.arena());
    return diagnostic.help(
        size == NO_SIZE
            ? "no plan can exist, however large the bank is: "
                + (it.required() > arena.maxAllocationBytes()
                    ? Message.format(
                        "its largest allocation is %,d bytes", arena.maxAllocationBytes())
                    : "its place is reserved")
            : Message.format(
                "no plan can exist: with %,d bytes %s is large enough for this one, but a plan may"
                    + " need more; or make it smaller",
                size, arena.name()));
  }

  /**
   * More live bytes of blocks that must go to one of a set of arenas than all of them hold.
   *
   * @param members the blocks that must go there
   */
  private record TooMuch(
      BitSet arenas, ImmutableIntArray members, LowerBounds.Peak peak, long available) {
    long missing() {
      return peak.bytes() - available;
    }

    /** The arena if it is only one, else -1. */
    int only() {
      return arenas.cardinality() == 1 ? arenas.nextSetBit(0) : -1;
    }
  }

  private Optional<TooMuch> tooMuchAtOnce() {
    BitSet[] allowed = new BitSet[all.length];
    Set<BitSet> kept = new LinkedHashSet<>();
    BitSet union = new BitSet();
    for (int i = 0; i < all.length; i++) {
      allowed[i] = bits(blocks.arenas(all[i]));
      kept.add(allowed[i]);
      union.or(allowed[i]);
    }
    kept.add(union);
    if (problem.arenaCount() <= ARENAS_WITH_ALL_SUBSETS) {
      for (long mask = 1; mask < 1L << problem.arenaCount(); mask++) {
        kept.add(BitSet.valueOf(new long[] {mask}));
      }
    } else {
      IntStream.range(0, problem.arenaCount())
          .forEach(a -> kept.add(bits(ImmutableIntArray.of(a))));
    }
    List<BitSet> sets =
        kept.stream().sorted(comparingInt(BitSet::cardinality)).collect(Collectors.toList());
    @Nullable TooMuch most = null;
    for (BitSet set : sets) {
      long available = capacity(set);
      if (available != Arena.UNLIMITED) {
        int[] members =
            IntStream.range(0, all.length)
                .filter(i -> isWithin(allowed[i], set))
                .map(i -> all[i])
                .toArray();
        int only = set.cardinality() == 1 ? set.nextSetBit(0) : -1;
        TooMuch it =
            new TooMuch(
                set,
                ImmutableIntArray.copyOf(members),
                LowerBounds.peak(problem, members, only),
                available);
        most = it.missing() > (most == null ? 0 : most.missing()) ? it : most;
      }
    }
    return Optional.ofNullable(most);
  }

  private static BitSet bits(ImmutableIntArray arenas) {
    BitSet bits = new BitSet();
    arenas.forEach(bits::set);
    return bits;
  }

  private static boolean isWithin(BitSet inner, BitSet outer) {
    return inner.stream().allMatch(outer::get);
  }

  /** What the arenas of a set hold together. */
  private long capacity(BitSet set) {
    long sum = 0;
    for (int a : set.stream().toArray()) {
      long usable = ArenaRoom.usableBytes(problem.arena(a));
      if (usable > Arena.UNLIMITED - sum) {
        return Arena.UNLIMITED;
      }
      sum += usable;
    }
    return sum;
  }

  private Diagnostic describe(TooMuch it) {
    int only = it.only();
    int step = it.peak().step();
    ImmutableList<Integer> live = liveAt(it.members().toArray(), step);
    String where =
        it.arenas().stream()
                .limit(MOST_NAMED)
                .mapToObj(a -> problem.arena(a).toString())
                .collect(Collectors.joining(" and "))
            + (it.arenas().cardinality() > MOST_NAMED
                ? Message.format(" and %,d more banks", it.arenas().cardinality() - MOST_NAMED)
                : "");
    Diagnostic diagnostic =
        Diagnostic.of(
                kind,
                Location.at("step " + problem.stepNumber(step)),
                Message.format(
                    "%,d bytes are required at one time in %s, which %s %,d available: %,d are"
                        + " missing",
                    it.peak().bytes(),
                    where,
                    only >= 0 ? "has" : "have",
                    it.available(),
                    it.missing()))
            .shortfall(new Shortfall(it.peak().bytes(), it.available(), step, live))
            .note("live there: " + names(live, only));
    for (int a : it.arenas().stream().limit(MOST_NAMED).toArray()) {
      for (String taken : problem.arena(a).describeTaken().stream().collect(Collectors.toList())) {
        diagnostic = diagnostic.note(taken);
      }
    }
    return diagnostic.help(
        only >= 0
            ? Message.format(
                "no plan can exist: with %,d bytes %s is large enough for these, but a plan may"
                    + " need more; or have less live at that step",
                ArenaRoom.endOf(problem.arena(only), it.peak().bytes())
                    + problem.arena(only).paddingBytes(),
                problem.arena(only).name())
            : Message.format(
                "no plan can exist: give at least %,d bytes more, or have less live at that step",
                it.missing()));
  }

  private ImmutableList<Integer> liveAt(int[] members, int step) {
    return Ints.asList(LowerBounds.liveAt(problem, members, step)).stream()
        .sorted(Comparator.<Integer>comparingLong(problem::sizeBytes).reversed())
        .collect(ImmutableList.toImmutableList());
  }

  private String names(ImmutableList<Integer> live, int only) {
    String named =
        live.stream()
            .limit(MOST_NAMED)
            .map(
                b ->
                    Message.format(
                        "%s (%,d bytes)",
                        problem.describe(b),
                        only >= 0 ? problem.allocatedBytes(b, only) : problem.allocatedBytes(b)))
            .collect(Collectors.joining(", "));
    return live.size() > MOST_NAMED
        ? named + Message.format(" and %,d more", live.size() - MOST_NAMED)
        : named;
  }
}
