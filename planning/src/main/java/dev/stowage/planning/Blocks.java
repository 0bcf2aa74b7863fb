package dev.stowage.planning;

import com.google.common.collect.HashMultimap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import com.google.common.math.LongMath;
import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What a strategy that lays buffers at free offsets has to place: the buffers with bytes of their
 * own, each with everything that is asked of it and of the buffers in its bytes.
 *
 * <p>A block is named by the index of that buffer. What is asked of a buffer inside it, such as a
 * fixed offset or an alignment, is asked of the block; a pin alone is not, as a storage-backed
 * buffer goes where its base goes.
 */
public final class Blocks {
  /** No offset will do. */
  public static final long NOWHERE = -1;

  private final PlanningProblem problem;
  private final int[] blocks;

  /** By buffer: the block in which it lies, and where; -1 where its base is not placed. */
  private final int[] blockOf;

  private final long[] offsetInBlock;

  /** By block: its parts that ask for more than the block itself does; few have any. */
  private final Map<Integer, ImmutableIntArray> parts = new HashMap<>();

  private final long[] fixedOffset;
  private final Map<Integer, ImmutableIntArray> arenas = new HashMap<>();
  private final ImmutableIntArray[] arenasOfSet;
  private final ImmutableIntArray[] onlyArena;
  private final SetMultimap<Integer, Integer> separated = HashMultimap.create();

  /** By block: where not the whole of two blocks must be kept apart, but parts of them. */
  private final SetMultimap<Integer, Apart> apart = LinkedHashMultimap.create();

  private Optional<Diagnostic> fault = Optional.empty();

  /** The blocks of a problem, in O(n) and the length of its chains of storage bases. */
  public Blocks(PlanningProblem problem) {
    this.problem = problem;
    int n = problem.bufferCount();
    blockOf = new int[n];
    offsetInBlock = new long[n];
    fixedOffset = new long[n];
    Arrays.fill(blockOf, -2);
    blocks =
        IntStream.range(0, n).filter(i -> problem.base(i) == PlanningProblem.NO_BASE).toArray();
    arenasOfSet = new ImmutableIntArray[problem.arenaSetCount()];
    Arrays.setAll(arenasOfSet, set -> ImmutableIntArray.copyOf(problem.arenaSetMembers(set)));
    onlyArena = new ImmutableIntArray[problem.arenaCount()];
    Arrays.setAll(onlyArena, ImmutableIntArray::of);
    for (int i = 0; i < n; i++) {
      fixedOffset[i] = problem.fixedOffset(i);
    }
    for (int i = 0; i < n; i++) {
      findBlock(i);
    }
    for (int block : blocks) {
      int pin = problem.pinnedArena(block);
      if (pin >= 0
          && problem.arenaSet(block) != 0
          && !arenasOfSet[problem.arenaSet(block)].contains(pin)) {
        fail(block, "it is pinned to " + problem.arena(pin) + ", which it may not go to");
      }
    }
    Map<Integer, List<Integer>> demanding = new HashMap<>();
    for (int i = 0; i < n; i++) {
      if (blockOf[i] >= 0 && blockOf[i] != i) {
        fold(i, demanding);
      }
    }
    demanding.forEach((block, members) -> parts.put(block, ImmutableIntArray.copyOf(members)));
    for (int s = 0; s < problem.separationCount(); s++) {
      separate(problem.separation(s, 0), problem.separation(s, 1));
    }
  }

  private void findBlock(int buffer) {
    List<Integer> chain = new ArrayList<>();
    int at = buffer;
    while (at >= 0 && blockOf[at] == -2 && problem.base(at) != PlanningProblem.NO_BASE) {
      chain.add(at);
      at = problem.base(at);
    }
    if (at >= 0 && blockOf[at] == -2) {
      blockOf[at] = at;
    }
    int block = at < 0 ? -1 : blockOf[at];
    long offset = at < 0 ? 0 : offsetInBlock[at];
    for (int i = chain.size() - 1; i >= 0; i--) {
      int member = chain.get(i);
      offset += problem.baseOffset(member);
      blockOf[member] = block;
      offsetInBlock[member] = offset;
    }
  }

  private void fold(int part, Map<Integer, List<Integer>> demanding) {
    int block = blockOf[part];
    if (problem.bufferAlignment(part) > 1 || problem.overReadBytes(part) > 0) {
      demanding.computeIfAbsent(block, b -> new ArrayList<>()).add(part);
    }
    if (problem.fixedOffset(part) >= 0) {
      long wanted = problem.fixedOffset(part) - offsetInBlock[part];
      if (wanted < 0 || (fixedOffset[block] >= 0 && fixedOffset[block] != wanted)) {
        fail(
            part,
            Message.format(
                "it is fixed at %,d and lies %,d bytes into %s, which is fixed at %,d",
                problem.fixedOffset(part),
                offsetInBlock[part],
                problem.describe(block),
                Math.max(0, fixedOffset[block])));
      }
      fixedOffset[block] = wanted;
      if (problem.pinnedArena(part) >= 0) {
        keep(block, part, onlyArena[problem.pinnedArena(part)]);
      }
    }
    if (problem.arenaSet(part) != 0) {
      keep(block, part, arenasOfSet[problem.arenaSet(part)]);
    }
  }

  private void keep(int block, int part, ImmutableIntArray members) {
    ImmutableIntArray kept =
        ImmutableIntArray.copyOf(arenas(block).stream().filter(members::contains));
    if (kept.isEmpty()) {
      fail(
          part,
          "it may go to no arena that is open to "
              + problem.describe(block)
              + ", in which it lies");
    }
    arenas.put(block, kept);
  }

  private void separate(int one, int other) {
    int a = blockOf[one];
    int b = blockOf[other];
    if (a < 0 || b < 0) {
      return;
    }
    if (a == b) {
      long from = Math.max(offsetInBlock[one], offsetInBlock[other]);
      long to =
          Math.min(
              offsetInBlock[one] + problem.allocatedBytes(one),
              offsetInBlock[other] + problem.allocatedBytes(other));
      if (from < to) {
        fail(
            one,
            "it must not share bytes with "
                + problem.describe(other)
                + ", but both lie in "
                + problem.describe(a));
      }
      return;
    }
    if (a == one && b == other) {
      separated.put(a, b);
      separated.put(b, a);
    } else {
      apart.put(a, new Apart(one, b, other));
      apart.put(b, new Apart(other, a, one));
    }
  }

  /**
   * A part of a block that must not share bytes with a part of another block.
   *
   * @param part of the block, which may be all of it
   * @param other the other block
   * @param otherPart of that one, which may be all of it
   */
  private record Apart(int part, int other, int otherPart) {}

  private void fail(int buffer, String message) {
    if (fault.isEmpty()) {
      fault =
          Optional.of(
              Diagnostic.of(
                      Kinds.CONSTRAINTS_CONFLICT, Location.at(problem.describe(buffer)), message)
                  .aboutBuffer(buffer)
                  .help("change one of the two"));
    }
  }

  /** What is asked of one buffer and contradicts what is asked of another in the same bytes. */
  public Optional<Diagnostic> fault() {
    return fault;
  }

  /** The blocks, in the order of their buffers. */
  public ImmutableIntArray all() {
    return ImmutableIntArray.copyOf(blocks);
  }

  /** The block in whose bytes a buffer lies, itself for a block; -1 if its base is not placed. */
  public int blockOf(int buffer) {
    return blockOf[buffer];
  }

  /** Where in its block a buffer lies, in bytes. */
  public long offsetInBlock(int buffer) {
    return offsetInBlock[buffer];
  }

  /** The arenas that a block may go to, in order of preference. */
  public ImmutableIntArray arenas(int block) {
    ImmutableIntArray own = arenas.get(block);
    if (own != null) {
      return own;
    }
    int pin = problem.pinnedArena(block);
    return pin >= 0 ? onlyArena[pin] : arenasOfSet[problem.arenaSet(block)];
  }

  /** The offset at which a block must lie, or -1. */
  public long fixedOffset(int block) {
    return fixedOffset[block];
  }

  /** Bytes from the start of a block that must lie in an arena that holds it. */
  public long extentBytes(int block, int arena) {
    long extent = problem.extentBytes(block, arena);
    ImmutableIntArray members = parts.get(block);
    if (members != null) {
      for (int i = 0; i < members.length(); i++) {
        int part = members.get(i);
        extent = Math.max(extent, offsetInBlock[part] + problem.extentBytes(part, arena));
      }
    }
    return extent;
  }

  /** True if two blocks must not share bytes, none of one with none of the other. */
  public boolean conflict(int one, int other) {
    return problem.overlapInTime(one, other) || separated.containsEntry(one, other);
  }

  /** The blocks of which parts must not share bytes with parts of a block. */
  public ImmutableSet<Integer> apartFrom(int block) {
    return apart.get(block).stream().map(Apart::other).collect(ImmutableSet.toImmutableSet());
  }

  /**
   * The offset of a block at which a part of it is clear of a part of another block, both in one
   * arena: the given one if no two parts share bytes that must not, else the lowest above it at
   * which the first two that do would not.
   */
  public long clearOf(int block, long at, int other, long otherAt, int arena) {
    for (Apart it : apart.get(block)) {
      if (it.other == other) {
        long from = at + offsetInBlock[it.part];
        long to = from + problem.allocatedBytes(it.part, arena);
        long otherFrom = otherAt + offsetInBlock[it.otherPart];
        long otherTo = otherFrom + problem.allocatedBytes(it.otherPart, arena);
        if (from < to && otherFrom < otherTo && from < otherTo && otherFrom < to) {
          return at + (otherTo - from);
        }
      }
    }
    return at;
  }

  /**
   * The lowest offset, from one on, at which the block and its parts are aligned as they, the plan,
   * the arena and its base address want it; {@link #NOWHERE} if there is none.
   */
  public long alignedOffset(int block, int arena, long fromBytes) {
    // The congruences are merged one by one: offset = residue (mod step).
    long step = problem.arenaAlignment(arena);
    long residue = 0;
    int own = problem.bufferAlignment(block);
    ImmutableIntArray members = parts.get(block);
    if (own > 1 || members != null) {
      long address = problem.arena(arena).baseAddress();
      long merged = merge(step, residue, own, address % own);
      if (merged == NOWHERE) {
        return NOWHERE;
      }
      residue = merged;
      step = lcm(step, own);
      for (int i = 0; members != null && i < members.length(); i++) {
        int part = members.get(i);
        int alignment = problem.bufferAlignment(part);
        merged =
            merge(
                step, residue, alignment, (address % alignment + offsetInBlock[part]) % alignment);
        if (merged == NOWHERE) {
          return NOWHERE;
        }
        residue = merged;
        step = lcm(step, alignment);
      }
    }
    if (step == Long.MAX_VALUE) {
      return fromBytes <= residue ? residue : NOWHERE;
    }
    long behind = Math.floorMod(residue - fromBytes, step);
    return behind > Long.MAX_VALUE - fromBytes ? NOWHERE : fromBytes + behind;
  }

  /** True if a block has an offset in an arena at which it and its parts are aligned. */
  boolean isAlignable(int block, int arena) {
    return alignedOffset(block, arena, 0) != NOWHERE;
  }

  /** The error for a block that has no aligned offset in any arena that it may go to. */
  public Diagnostic unalignable(int block) {
    Diagnostic diagnostic =
        Diagnostic.of(
                Kinds.CONSTRAINTS_CONFLICT,
                Location.at(problem.describe(block)),
                "no offset of an arena that it may go to is aligned as it and the arena want it")
            .aboutBuffer(block);
    for (int arena : arenas(block).asList()) {
      diagnostic =
          diagnostic.note(
              Message.format(
                  "%s: offsets are multiples of %d, and the first byte is at address %,d",
                  problem.arena(arena),
                  problem.arenaAlignment(arena),
                  problem.arena(arena).baseAddress()));
    }
    return diagnostic.help("no size of a bank changes that: ask for another alignment");
  }

  /** The least x = residue (mod step) with x + shift = 0 (mod alignment), or NOWHERE. */
  private static long merge(long step, long residue, int alignment, long shift) {
    long missing = Math.floorMod(-(residue % alignment + shift), (long) alignment);
    long divisor = LongMath.gcd(step, alignment);
    if (missing % divisor != 0) {
      return NOWHERE;
    }
    long modulus = alignment / divisor;
    long steps = missing / divisor % modulus * inverse(step / divisor % modulus, modulus) % modulus;
    // A step that stands for more than all offsets leaves the first only.
    return steps > 0 && (step == Long.MAX_VALUE || steps > (Long.MAX_VALUE - residue) / step)
        ? NOWHERE
        : residue + steps * step;
  }

  /** What a number without a common divisor is multiplied by to be 1, by a modulus below 2^31. */
  private static long inverse(long number, long modulus) {
    return modulus == 1
        ? 0
        : BigInteger.valueOf(number).modInverse(BigInteger.valueOf(modulus)).longValueExact();
  }

  /** The least common multiple; what is larger than all offsets stands for itself. */
  private static long lcm(long a, long b) {
    return LongMath.saturatedMultiply(a / LongMath.gcd(a, b), b);
  }
}
