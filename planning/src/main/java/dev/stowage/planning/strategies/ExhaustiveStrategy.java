package dev.stowage.planning.strategies;

import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Message;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Blocks;
import dev.stowage.planning.Bound;
import dev.stowage.planning.PlanningContext;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.planning.PlanningStrategy;
import dev.stowage.planning.StrategySpec;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Plain exhaustive search for small problems: the least sum of arenas, or a proof that no plan
 * exists.
 *
 * <p>All ways to divide the blocks among the arenas are tried, and for each arena and set of blocks
 * all orders of offsets. That is enough: in some best plan every block lies as low as the others
 * let it, and then each one, in the order of offsets, is at the lowest place that the ones before
 * it and the fixed ones leave. Where blocks are kept apart in parts only, {@link ApartPacking}
 * takes the place of the orders. How high the blocks of a set reach in an arena is remembered by
 * set.
 */
public final class ExhaustiveStrategy implements PlanningStrategy {
  private static final int MOST_BLOCKS = 8;

  private static final OptionSpec<Integer> NODES =
      OptionSpec.of(
          "nodes",
          "give up after so many placements tried",
          OptionType.integer(1, Integer.MAX_VALUE),
          300_000);

  private static final StrategySpec SPEC =
      StrategySpec.named("exhaustive")
          .summary("the best plan of a small problem, or the proof that there is none")
          .options(NODES)
          .honours(Constraints.ALL_BUT_OBJECTIVE)
          .fallbacks(1000, Call.of("exhaustive"))
          .build();

  @Override
  public StrategySpec spec() {
    return SPEC;
  }

  @Override
  public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
    Blocks blocks = new Blocks(problem);
    Optional<Diagnostic> fault = blocks.fault();
    if (fault.isPresent()) {
      return PlanningOutcome.gaveUp(fault.get(), problem);
    }
    if (blocks.all().length() > MOST_BLOCKS) {
      return PlanningOutcome.gaveUp(
          Diagnostic.of(
                  Kinds.UNPLACEABLE,
                  Message.format(
                      "%d buffers are too many to try all plans; %d are the most",
                      blocks.all().length(), MOST_BLOCKS))
              .help("use another strategy"),
          problem);
    }
    return new Search(problem, blocks, context).run();
  }

  /** One search. */
  private static final class Search {
    private static final long NO_PLAN = Long.MAX_VALUE;

    private final PlanningProblem problem;
    private final Blocks blocks;
    private final PlanningContext context;
    private final int[] members;

    /** By arena and set of blocks: how high they reach at least, and where they lie then. */
    private final Map<Long, Packing> packings = new HashMap<>();

    private int nodesLeft;
    private boolean stopped;
    private long best = NO_PLAN;
    private final int[] arenaOf;
    private int @Nullable [] bestArenaOf;

    /**
     * A set of blocks in one arena.
     *
     * @param sizeBytes of the arena, padding included; NO_PLAN if they do not fit
     * @param blocks that it holds
     * @param offsets of these
     */
    private record Packing(long sizeBytes, ImmutableIntArray blocks, ImmutableLongArray offsets) {
      static Packing empty(long sizeBytes) {
        return new Packing(sizeBytes, ImmutableIntArray.of(), ImmutableLongArray.of());
      }
    }

    Search(PlanningProblem problem, Blocks blocks, PlanningContext context) {
      this.problem = problem;
      this.blocks = blocks;
      this.context = context;
      nodesLeft = context.get(NODES);
      // What has least choice comes first.
      members =
          blocks.all().stream()
              .boxed()
              .sorted(
                  Comparator.<Integer>comparingInt(b -> blocks.arenas(b).length())
                      .thenComparingLong(b -> -problem.sizeBytes(b))
                      .thenComparingInt(b -> b))
              .mapToInt(b -> b)
              .toArray();
      arenaOf = new int[members.length];
    }

    PlanningOutcome run() {
      divide(0, new int[problem.arenaCount()]);
      if (stopped && context.expired()) {
        return PlanningOutcome.outOfTime(problem);
      }
      if (bestArenaOf == null) {
        return stopped ? gaveUp() : none();
      }
      return plan(bestArenaOf);
    }

    /** Gives the blocks from one on to arenas; the sets of the others are given. */
    private void divide(int index, int[] sets) {
      if (stopped) {
        return;
      }
      if (index == members.length) {
        long total = total(sets);
        if (total < best) {
          best = total;
          bestArenaOf = arenaOf.clone();
        }
        return;
      }
      for (int arena : blocks.arenas(members[index]).asList()) {
        sets[arena] |= 1 << index;
        arenaOf[index] = arena;
        // More blocks never need less, so what is too much already is left out.
        if (total(sets) < best) {
          divide(index + 1, sets);
        }
        sets[arena] &= ~(1 << index);
      }
    }

    private long total(int[] sets) {
      long total = 0;
      for (int arena = 0; arena < sets.length; arena++) {
        long size = packing(arena, sets[arena]).sizeBytes();
        if (size == NO_PLAN || stopped) {
          return NO_PLAN;
        }
        total += size;
      }
      return total;
    }

    /** Counts a placement that is tried; false once there were too many. */
    private boolean mayGoOn() {
      if (--nodesLeft < 0 || ((nodesLeft & 1023) == 0 && context.expired())) {
        stopped = true;
      }
      return !stopped;
    }

    private Packing packing(int arena, int set) {
      if (set == 0) {
        long reserved = problem.arena(arena).managed() ? problem.arena(arena).reservedBytes() : 0;
        return Packing.empty(reserved);
      }
      long key = (long) arena << MOST_BLOCKS | set;
      Packing known = packings.get(key);
      if (known == null) {
        known = new Packer(arena, set).run();
        packings.put(key, known);
      }
      return known;
    }

    /** Finds the lowest packing of one set of blocks in one arena. */
    private final class Packer {
      private final int arena;
      private final long padding;
      private final long floor;
      private long least;
      private final int[] order;
      private final long[] offsets;
      private long[] bestOffsets = new long[0];
      private final long bound;
      private final int[] in;
      private final int[] free;
      private final int[] fixed;

      Packer(int arena, int set) {
        this.arena = arena;
        padding = problem.arena(arena).paddingBytes();
        floor = problem.arena(arena).reservedBytes();
        in =
            IntStream.range(0, members.length)
                .filter(i -> (set >>> i & 1) != 0)
                .map(i -> members[i])
                .toArray();
        fixed = Arrays.stream(in).filter(b -> blocks.fixedOffset(b) >= 0).toArray();
        free = Arrays.stream(in).filter(b -> blocks.fixedOffset(b) < 0).toArray();
        order = new int[free.length];
        offsets = new long[problem.bufferCount()];
        bound = bound();
        long capacity = problem.arena(arena).capacityBytes();
        least = capacity == Arena.UNLIMITED ? NO_PLAN : capacity + 1;
      }

      /** What the blocks reach at least, from who is live when. */
      private long bound() {
        long most = 0;
        for (int at : in) {
          long live = 0;
          for (int b : in) {
            boolean then =
                problem.start(b) <= problem.start(at) && problem.start(at) <= problem.end(b);
            live += then && problem.overlapInTime(b, at) ? problem.allocatedBytes(b, arena) : 0;
          }
          most = Math.max(most, problem.gapCount() > 0 ? problem.allocatedBytes(at, arena) : live);
        }
        return floor + most + padding;
      }

      Packing run() {
        FreeOffsets layout = new FreeOffsets(problem, blocks, true);
        long height = floor + padding;
        for (int b : fixed) {
          if (!layout.placeIn(b, arena, problem.arena(arena).capacityBytes())) {
            return Packing.empty(NO_PLAN);
          }
          height = Math.max(height, blocks.fixedOffset(b) + layout.needs(b, arena));
          offsets[b] = blocks.fixedOffset(b);
        }
        long limit = least;
        if (bound < least && Arrays.stream(in).anyMatch(this::isApart)) {
          return packApart();
        }
        if (height < least && bound < least) {
          search(0, 0, height, -1, -1);
        }
        if (least == limit) {
          return Packing.empty(NO_PLAN);
        }
        return packing(least, bestOffsets);
      }

      /**
       * Places one more block above the last, or at the same offset and later in the list.
       *
       * @param done the set of those that are placed, by index in {@code free}
       */
      private void search(int depth, int done, long height, long last, int lastIndex) {
        if (stopped || least <= bound) {
          return;
        }
        if (depth == free.length) {
          least = height;
          bestOffsets = offsets.clone();
          return;
        }
        FreeOffsets layout = placed(depth);
        for (int i = 0; i < free.length && least > bound; i++) {
          if ((done >>> i & 1) != 0) {
            continue;
          }
          if (!mayGoOn()) {
            return;
          }
          int block = free[i];
          long at = layout.offsetIn(block, arena, least - 1);
          // Of equal offsets the order says nothing.
          if (at != Blocks.NOWHERE && (at > last || (at == last && i > lastIndex))) {
            order[depth] = block;
            offsets[block] = at;
            long reach = Math.max(height, at + layout.needs(block, arena));
            search(depth + 1, done | 1 << i, reach, at, i);
          }
        }
      }

      /** True if only parts of a block must be kept apart from another of the set. */
      private boolean isApart(int block) {
        return Arrays.stream(in).anyMatch(blocks.apartFrom(block)::contains);
      }

      private Packing packApart() {
        ApartPacking search = new ApartPacking(problem, blocks, arena, in, Search.this::mayGoOn);
        long @Nullable [] found = search.below(least);
        if (found == null) {
          return Packing.empty(NO_PLAN);
        }
        for (int i = 0; i < in.length; i++) {
          offsets[in[i]] = found[i];
        }
        return packing(search.height(found), offsets);
      }

      private Packing packing(long size, long[] byBlock) {
        return new Packing(
            size,
            ImmutableIntArray.copyOf(in),
            ImmutableLongArray.copyOf(Arrays.stream(in).mapToLong(b -> byBlock[b])));
      }

      private FreeOffsets placed(int depth) {
        FreeOffsets layout = new FreeOffsets(problem, blocks, true);
        for (int b : fixed) {
          layout.placeIn(b, arena, Long.MAX_VALUE);
        }
        for (int i = 0; i < depth; i++) {
          layout.placeIn(order[i], arena, Long.MAX_VALUE);
        }
        return layout;
      }
    }

    private PlanningOutcome plan(int[] division) {
      FreeOffsets layout = new FreeOffsets(problem, blocks, true);
      int[] sets = new int[problem.arenaCount()];
      for (int i = 0; i < division.length; i++) {
        sets[division[i]] |= 1 << i;
      }
      for (int arena = 0; arena < sets.length; arena++) {
        Packing packing = packing(arena, sets[arena]);
        for (int i = 0; i < packing.blocks().length(); i++) {
          layout.put(packing.blocks().get(i), arena, packing.offsets().get(i));
        }
      }
      int[] order = IntStream.range(0, problem.bufferCount()).toArray();
      Bound bound = stopped ? Bound.NONE : new Bound(best, Bound.Kind.SEARCH);
      return layout.finish(order, /* listEmpty= */ true, bound);
    }

    private PlanningOutcome gaveUp() {
      return PlanningOutcome.gaveUp(
          Diagnostic.of(
                  Kinds.UNPLACEABLE,
                  Message.format(
                      "no plan was found among %,d placements tried",
                      context.get(NODES) - Math.max(0, nodesLeft)))
              .help("allow more with nodes="),
          problem);
    }

    private PlanningOutcome none() {
      return new PlanningOutcome.Infeasible(
          Diagnostic.of(
                  Kinds.UNPLACEABLE, "no plan can exist: all ways to place the buffers were tried")
              .help("enlarge a bank, or have less live at one time"));
    }
  }
}
