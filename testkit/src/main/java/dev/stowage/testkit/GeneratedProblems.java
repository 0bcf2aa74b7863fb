package dev.stowage.testkit;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.math.LongMath;
import dev.stowage.memmap.ReservedRange;
import dev.stowage.planning.Alignment;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Constraint;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.planning.PlanningProblem.Objective;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Random problems with chosen constraints. Each is made around a plan, so that there is one: fixed
 * offsets and capacities are those of that plan.
 */
final class GeneratedProblems {
  private static final int NOT_FIXED = -1;

  private final Random random;
  private final String name;
  private final ImmutableSet<Constraint> constraints;
  private final int alignment;
  private final List<Arena> arenas = new ArrayList<>();
  private final List<int[]> arenaSets = new ArrayList<>();
  private final List<Buffer> buffers = new ArrayList<>();
  private final List<int[]> separations = new ArrayList<>();

  private GeneratedProblems(long seed, ImmutableSet<Constraint> constraints) {
    random = new Random(seed);
    this.constraints = constraints;
    name = "generated " + (constraints.isEmpty() ? "plain" : words(constraints)) + " " + seed;
    alignment = new int[] {1, 4, 12, 16, 64}[random.nextInt(5)];
  }

  /**
   * A problem that has a plan.
   *
   * @param bytes sum of the arenas of a valid plan, which need not be a good one
   */
  record Feasible(PlanningProblem problem, long bytes) {}

  /** What is drawn for one buffer. */
  private static final class Buffer {
    private final long sizeBytes;
    private final int start;
    private final int end;
    private int base = PlanningProblem.NO_BASE;
    private long baseOffset;
    private int pin = -1;
    private boolean fixed;
    private int arenaSet;
    private int alignment = 1;
    private long overReadBytes;
    private int gapStart = -1;
    private long traffic;

    Buffer(long sizeBytes, int start, int end) {
      this.sizeBytes = sizeBytes;
      this.start = start;
      this.end = end;
    }
  }

  /** The problem of a seed, which has just the given constraints. */
  static Feasible of(long seed, ImmutableSet<Constraint> constraints) {
    GeneratedProblems generator = new GeneratedProblems(seed, constraints);
    generator.drawArenas();
    generator.drawBuffers();
    generator.drawConstraints();
    return generator.build();
  }

  /** Many buffers, of which each is live together with half of the others. */
  static PlanningProblem large(int count) {
    Random random = new Random(count);
    PlanningProblem.Builder builder = PlanningProblem.builder("generated large " + count);
    for (int i = 0; i < count; i++) {
      int start = random.nextInt(count);
      builder.addBuffer(1 + random.nextInt(1 << 20), start, start + count / 2);
    }
    return builder.build();
  }

  private static String words(ImmutableSet<Constraint> constraints) {
    TreeSet<String> words = new TreeSet<>();
    constraints.forEach(constraint -> words.add(Names.kebab(constraint)));
    return String.join("+", words);
  }

  private boolean has(Constraint constraint) {
    return constraints.contains(constraint);
  }

  /** Arena 1 is open and without a limit that anything could exceed, so there is always a plan. */
  private void drawArenas() {
    boolean several =
        has(Constraint.PINNED_ARENA)
            || has(Constraint.ARENA_SETS)
            || (!has(Constraint.FIXED_OFFSET) && random.nextInt(4) == 0);
    int count = several ? 2 + random.nextInt(2) : 1;
    for (int i = 0; i < count; i++) {
      Arena arena = Arena.of(i == 0 ? 1 : 2 * i + 1);
      if (has(Constraint.ARENA_ALIGNMENT) && (i == 0 || random.nextBoolean())) {
        arena = arena.withAlignment(alignment * (2 + random.nextInt(3)), 0);
      }
      if (has(Constraint.BASE_ADDRESS)) {
        int own = arena.alignment();
        long step = own == 0 ? alignment : own;
        arena = arena.withAlignment(own, step * (1 + random.nextInt(1_000)));
      }
      if (random.nextInt(4) == 0) {
        // A multiple of every alignment of arenas.
        arena = arena.withReserved(alignment * 12L * (1 + random.nextInt(3)), 0);
      }
      if (has(Constraint.MAX_ALLOCATION)) {
        arena = arena.withMaxAllocation(i == 0 ? 1 << 20 : 128 + random.nextInt(2_000));
      }
      if (has(Constraint.RESERVED_RANGES)) {
        arena =
            arena.withReservedRanges(
                ImmutableList.of(
                    new ReservedRange(random.nextInt(500), 1 + random.nextInt(100), "boot"),
                    new ReservedRange(700 + random.nextInt(500), 1 + random.nextInt(100), "dma")));
      }
      if (has(Constraint.OBJECTIVE)) {
        arena = arena.withCosts(1_000_000L * (1 + i), 2_000_000L * (1 + i));
      }
      arenas.add(arena);
    }
    if (count > 1 && has(Constraint.PINNED_ARENA) && random.nextBoolean()) {
      arenas.set(count - 1, arenas.get(count - 1).closed());
    }
    if (has(Constraint.ARENA_SETS)) {
      arenaSets.add(new int[] {count - 1, 0});
      arenaSets.add(new int[] {0});
    }
  }

  private void drawBuffers() {
    int count = 3 + random.nextInt(22);
    int steps = 2 + random.nextInt(20);
    for (int i = 0; i < count; i++) {
      long size = random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(1 << (3 + random.nextInt(9)));
      int start = random.nextInt(steps);
      int end = start + random.nextInt(random.nextInt(5) == 0 ? steps : 4);
      Buffer buffer = new Buffer(size, start, end);
      if (end - start > 2 && random.nextInt(4) == 0) {
        buffer.gapStart = start + 1;
      }
      buffers.add(buffer);
    }
    if (has(Constraint.STORAGE)) {
      int roots = buffers.size();
      for (int root = 0; root < roots; root++) {
        if (root == 0 || random.nextInt(3) == 0) {
          cut(root);
        }
      }
    }
  }

  /** Puts buffers into disjoint parts of one, and one into the first of those. */
  private void cut(int root) {
    Buffer base = buffers.get(root);
    long parts = Alignment.up(base.sizeBytes, alignment) / alignment;
    long from = 0;
    int first = -1;
    for (int i = 1 + random.nextInt(3); i > 0 && from <= parts; i--) {
      long length = (parts - from) / i;
      int part =
          addPart(root, from * alignment, length * alignment, base.start + random.nextInt(3));
      first = first < 0 ? part : first;
      from += Math.max(1, length);
    }
    if (random.nextBoolean()) {
      addPart(first, 0, buffers.get(first).sizeBytes, base.end);
    }
  }

  private int addPart(int base, long offset, long bytes, int start) {
    Buffer part = new Buffer(bytes, start, start + random.nextInt(3));
    part.base = base;
    part.baseOffset = offset;
    buffers.add(part);
    return buffers.size() - 1;
  }

  /** Each constraint concerns the first buffer, so that none is left out by chance. */
  private void drawConstraints() {
    int largestAlignment = has(Constraint.BUFFER_ALIGNMENT) ? 64 : 1;
    for (int i = 0; i < buffers.size(); i++) {
      Buffer buffer = buffers.get(i);
      if (buffer.base != PlanningProblem.NO_BASE) {
        continue;
      }
      if (has(Constraint.PINNED_ARENA) && chosen(i)) {
        int pin = random.nextInt(arenas.size());
        buffer.pin = holds(pin, buffer) ? pin : 0;
      }
      boolean placeable = !has(Constraint.PINNED_ARENA) || buffer.pin >= 0;
      buffer.fixed = has(Constraint.FIXED_OFFSET) && placeable && chosen(i);
      if (has(Constraint.ARENA_SETS) && (buffer.pin < 0 || i == 0) && chosen(i)) {
        // A pin is to an arena of the set: the first is the last arena and arena 0.
        buffer.pin = buffer.pin > 0 && buffer.pin < arenas.size() - 1 ? 0 : buffer.pin;
        buffer.arenaSet = buffer.pin > 0 ? 1 : 1 + random.nextInt(2);
      }
      if (has(Constraint.BUFFER_ALIGNMENT) && chosen(i)) {
        buffer.alignment = new int[] {8, 24, 32, largestAlignment}[random.nextInt(4)];
      }
      if (has(Constraint.OVER_READ) && chosen(i)) {
        buffer.overReadBytes = 1L + random.nextInt(64);
      }
      if (has(Constraint.OBJECTIVE)) {
        buffer.traffic = random.nextInt(1_000);
      }
      if (has(Constraint.SEPARATIONS) && i > 0 && chosen(i - 1)) {
        separations.add(new int[] {i - 1 - random.nextInt(i), i});
      }
    }
  }

  private boolean chosen(int buffer) {
    return buffer == 0 || random.nextInt(3) == 0;
  }

  private boolean holds(int arena, Buffer buffer) {
    return Alignment.up(buffer.sizeBytes, arenaAlignment(arena))
        <= arenas.get(arena).maxAllocationBytes();
  }

  private int arenaAlignment(int arena) {
    int own = arenas.get(arena).alignment();
    return own == 0 ? alignment : own;
  }

  private Feasible build() {
    long[] nothingFixed = new long[buffers.size()];
    Arrays.fill(nothingFixed, NOT_FIXED);
    PlanningProblem draft = problem(nothingFixed, ImmutableList.copyOf(arenas));
    int[] arenaOf = new int[buffers.size()];
    long[] offsets = firstFit(draft, arenaOf);
    long[] fixed = nothingFixed;
    long[] sizes = new long[arenas.size()];
    for (int i = 0; i < offsets.length; i++) {
      if (draft.base(i) == PlanningProblem.NO_BASE) {
        int arena = arenaOf[i];
        long end =
            offsets[i]
                + Math.max(
                    draft.allocatedBytes(i, arena), draft.sizeBytes(i) + draft.overReadBytes(i));
        sizes[arena] = Math.max(sizes[arena], Math.max(end, arenas.get(arena).reservedBytes()));
        if (buffers.get(i).fixed) {
          fixed[i] = offsets[i];
        }
      }
    }
    boolean bounded = random.nextInt(4) == 0;
    ImmutableList.Builder<Arena> built = ImmutableList.builder();
    for (int a = 0; a < arenas.size(); a++) {
      Arena arena = arenas.get(a);
      built.add(
          bounded
              ? arena.withCapacity(Math.max(1, Math.max(sizes[a], arena.reservedBytes())))
              : arena);
    }
    return new Feasible(problem(fixed, built.build()), Arrays.stream(sizes).sum());
  }

  private PlanningProblem problem(long[] fixedOffsets, ImmutableList<Arena> with) {
    PlanningProblem.Builder builder = PlanningProblem.builder(name).alignment(alignment);
    with.forEach(builder::addArena);
    arenaSets.forEach(builder::addArenaSet);
    if (has(Constraint.OBJECTIVE)) {
      builder.objective(alignment == 1 ? Objective.FIT : Objective.TRAFFIC);
    }
    for (int i = 0; i < buffers.size(); i++) {
      Buffer buffer = buffers.get(i);
      builder.addBuffer(buffer.sizeBytes, buffer.start, buffer.end);
      if (buffer.base != PlanningProblem.NO_BASE) {
        builder.storage(i, buffer.base, buffer.baseOffset);
      }
      if (buffer.pin >= 0) {
        builder.pin(i, buffer.pin);
      }
      if (fixedOffsets[i] != NOT_FIXED) {
        builder.fixedOffset(i, fixedOffsets[i]);
      }
      if (buffer.arenaSet > 0) {
        builder.arenaSet(i, buffer.arenaSet);
      }
      if (buffer.alignment > 1) {
        builder.bufferAlignment(i, buffer.alignment);
      }
      if (buffer.overReadBytes > 0) {
        builder.overRead(i, buffer.overReadBytes);
      }
      if (buffer.traffic > 0) {
        builder.traffic(i, buffer.traffic, buffer.traffic / 2);
      }
      if (buffer.gapStart >= 0) {
        builder.addGap(i, buffer.gapStart, buffer.end - 1);
      }
    }
    separations.forEach(pair -> builder.separate(pair[0], pair[1]));
    return builder.build();
  }

  /** Each buffer at the lowest offset that is free, in the first arena that may take it. */
  private long[] firstFit(PlanningProblem draft, int[] arenaOf) {
    long[] offsets = new long[draft.bufferCount()];
    for (int i = 0; i < offsets.length; i++) {
      if (draft.base(i) != PlanningProblem.NO_BASE) {
        continue;
      }
      Buffer buffer = buffers.get(i);
      int[] allowed =
          buffer.pin >= 0 ? new int[] {buffer.pin} : draft.arenaSetMembers(draft.arenaSet(i));
      int arena = IntStream.of(allowed).filter(a -> holds(a, buffer)).findFirst().orElse(0);
      arenaOf[i] = arena;
      long step = arenaAlignment(arena);
      long offset = Alignment.up(arenas.get(arena).reservedBytes(), step);
      while (!fits(draft, arenaOf, offsets, i, offset)) {
        offset += step;
      }
      offsets[i] = offset;
    }
    return offsets;
  }

  private boolean fits(
      PlanningProblem draft, int[] arenaOf, long[] offsets, int buffer, long offset) {
    long own = draft.bufferAlignment(buffer);
    if (LongMath.mod(arenas.get(arenaOf[buffer]).baseAddress() + offset, own) != 0) {
      return false;
    }
    long bytes = draft.allocatedBytes(buffer, arenaOf[buffer]);
    for (ReservedRange range : arenas.get(arenaOf[buffer]).reservedRanges()) {
      if (bytes > 0 && range.offsetBytes() < offset + bytes && offset < range.endBytes()) {
        return false;
      }
    }
    for (int other = 0; other < buffer; other++) {
      if (draft.base(other) == PlanningProblem.NO_BASE
          && arenaOf[other] == arenaOf[buffer]
          && (draft.overlapInTime(other, buffer) || separated(other, buffer))
          && offsets[other] < offset + bytes
          && offset < offsets[other] + draft.allocatedBytes(other, arenaOf[other])) {
        return false;
      }
    }
    return true;
  }

  private boolean separated(int one, int other) {
    return separations.stream()
        .anyMatch(
            pair -> (pair[0] == one && pair[1] == other) || (pair[0] == other && pair[1] == one));
  }
}
