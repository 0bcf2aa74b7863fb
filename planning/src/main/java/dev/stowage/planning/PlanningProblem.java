package dev.stowage.planning;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.base.Preconditions.checkElementIndex;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.memmap.ReservedRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Buffers with sizes and lifetimes, and the arenas that they may go to: numbers only, read by
 * index.
 *
 * <p>Sizes and offsets are bytes; lifetimes are inclusive at both ends. The order of the buffers
 * matters, as strategies break ties by it. Every field has a neutral default; what is not neutral
 * is listed by {@link #constraints()}.
 *
 * <p>{@link Builder#build} has refused cycles of storage bases, references to nothing, and every
 * sum that could overflow after rounding, and has widened the lifetime of each storage base over
 * all that it backs, without gaps. So nothing here needs a check in a hot loop, and a strategy that
 * knows nothing of storage cannot place a buffer over a live child.
 */
public final class PlanningProblem {
  /** No storage base: the buffer has bytes of its own. */
  public static final int NO_BASE = -1;

  /** The storage base is a tensor that the plan does not place. */
  public static final int UNPLACED_BASE = -2;

  /** What is to be least. */
  public enum Objective {
    TOTAL_BYTES,
    FIT,
    TRAFFIC,
  }

  private final String name;
  private final String noun;
  private final int firstStep;
  private final int bufferCount;
  private final long[] sizeBytes;
  private final int[] start;
  private final int[] end;
  private final int @Nullable [] base;
  private final long @Nullable [] baseOffset;
  private final int @Nullable [] chosenPart;
  private final int @Nullable [] pinnedArena;
  private final long @Nullable [] fixedOffset;
  private final int @Nullable [] arenaSet;
  private final int @Nullable [] bufferAlignment;
  private final long @Nullable [] overReadBytes;
  private final long @Nullable [] readBytes;
  private final long @Nullable [] writeBytes;
  private final int @Nullable [] oracleAlignment;
  private final @Nullable String @Nullable [] bufferName;
  private final int @Nullable [] bufferNumber;
  private final int[] gapBuffer;
  private final int[] gapStart;
  private final int[] gapEnd;

  /** Index of the first gap of each buffer, and one past the last gap; null without gaps. */
  private final int @Nullable [] firstGap;

  private final int[] separations;
  private final int[][] arenaSets;
  private final ImmutableList<Arena> arenas;
  private final int alignment;
  private final int horizon;
  private final Objective objective;
  private final ImmutableSet<Constraint> constraints;

  private PlanningProblem(Builder b, int[] widenedStart, int[] widenedEnd, int[] keptGaps) {
    name = b.name;
    noun = b.noun;
    firstStep = b.firstStep;
    bufferCount = b.count;
    sizeBytes = Arrays.copyOf(b.sizeBytes, b.count);
    start = widenedStart;
    end = widenedEnd;
    base = b.base.toArray(b.count);
    baseOffset = b.baseOffset.toArray(b.count);
    chosenPart = b.chosenPart.toArray(b.count);
    pinnedArena = b.pinnedArena.toArray(b.count);
    fixedOffset = b.fixedOffset.toArray(b.count);
    arenaSet = b.arenaSet.toArray(b.count);
    bufferAlignment = b.bufferAlignment.toArray(b.count);
    overReadBytes = b.overReadBytes.toArray(b.count);
    readBytes = b.readBytes.toArray(b.count);
    writeBytes = b.writeBytes.toArray(b.count);
    oracleAlignment = b.oracleAlignment.toArray(b.count);
    bufferNumber = b.bufferNumber.toArray(b.count);
    bufferName = b.bufferName == null ? null : Arrays.copyOf(b.bufferName, b.count);
    gapBuffer = Arrays.stream(keptGaps).map(gap -> b.gapBuffer[gap]).toArray();
    gapStart = Arrays.stream(keptGaps).map(gap -> b.gapStart[gap]).toArray();
    gapEnd = Arrays.stream(keptGaps).map(gap -> b.gapEnd[gap]).toArray();
    separations = Arrays.copyOf(b.separations, 2 * b.separationCount);
    arenaSets = b.arenaSets.toArray(int[][]::new);
    arenas = ImmutableList.copyOf(b.arenas);
    alignment = b.alignment;
    int last = 0;
    for (int i = 0; i < bufferCount; i++) {
      last = Math.max(last, end[i]);
    }
    horizon = last;
    objective = b.objective;
    firstGap = gapBuffer.length == 0 ? null : firstGaps();
    constraints = findConstraints();
  }

  /** A copy with other arenas; all else is shared, as nothing of it ever changes. */
  private PlanningProblem(PlanningProblem other, ImmutableList<Arena> arenas) {
    this.arenas = arenas;
    name = other.name;
    noun = other.noun;
    firstStep = other.firstStep;
    bufferCount = other.bufferCount;
    sizeBytes = other.sizeBytes;
    start = other.start;
    end = other.end;
    base = other.base;
    baseOffset = other.baseOffset;
    chosenPart = other.chosenPart;
    pinnedArena = other.pinnedArena;
    fixedOffset = other.fixedOffset;
    arenaSet = other.arenaSet;
    bufferAlignment = other.bufferAlignment;
    overReadBytes = other.overReadBytes;
    readBytes = other.readBytes;
    writeBytes = other.writeBytes;
    oracleAlignment = other.oracleAlignment;
    bufferName = other.bufferName;
    bufferNumber = other.bufferNumber;
    gapBuffer = other.gapBuffer;
    gapStart = other.gapStart;
    gapEnd = other.gapEnd;
    firstGap = other.firstGap;
    separations = other.separations;
    arenaSets = other.arenaSets;
    alignment = other.alignment;
    horizon = other.horizon;
    objective = other.objective;
    constraints = other.constraints;
  }

  /** Starts a problem. */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  /** What the problem is called; a label. */
  public String name() {
    return name;
  }

  /** How many buffers there are. */
  public int bufferCount() {
    return bufferCount;
  }

  /** Size of a buffer before rounding. */
  public long sizeBytes(int buffer) {
    return sizeBytes[buffer];
  }

  /** Size of a buffer rounded up to the plan's alignment; a chosen part is not rounded. */
  public long allocatedBytes(int buffer) {
    return isChosenPart(buffer) ? sizeBytes[buffer] : Alignment.up(sizeBytes[buffer], alignment);
  }

  /**
   * Size of a buffer rounded up to the alignment in force in an arena; a storage-backed buffer
   * keeps the plan's alignment everywhere.
   */
  public long allocatedBytes(int buffer, int arena) {
    return base(buffer) == NO_BASE
        ? Alignment.up(sizeBytes[buffer], arenaAlignment(arena))
        : allocatedBytes(buffer);
  }

  /**
   * Bytes from the start of a buffer that must lie in an arena that holds it: what is allocated, or
   * what is read beyond its end where that is more.
   */
  public long extentBytes(int buffer, int arena) {
    return Math.max(allocatedBytes(buffer, arena), sizeBytes[buffer] + overReadBytes(buffer));
  }

  /** First step at which the buffer is live. */
  public int start(int buffer) {
    return start[buffer];
  }

  /** Last step at which the buffer is live, inclusive. */
  public int end(int buffer) {
    return end[buffer];
  }

  /** True if two buffers are both live at some step; a buffer is dead in its gaps. */
  public boolean overlapInTime(int a, int b) {
    return start[a] <= end[b] && start[b] <= end[a] && (firstGap == null || meetOutsideGaps(a, b));
  }

  /** Goes through the live spans of both, in the order of their starts. */
  private boolean meetOutsideGaps(int a, int b) {
    int[] first = requireNonNull(firstGap);
    int gapOfA = first[a];
    int gapOfB = first[b];
    int fromA = start[a];
    int fromB = start[b];
    while (true) {
      int toA = gapOfA < first[a + 1] ? gapStart[gapOfA] - 1 : end[a];
      int toB = gapOfB < first[b + 1] ? gapStart[gapOfB] - 1 : end[b];
      if (Math.max(fromA, fromB) <= Math.min(toA, toB)) {
        return true;
      }
      if (toA <= toB) {
        if (gapOfA == first[a + 1]) {
          return false;
        }
        fromA = gapEnd[gapOfA++] + 1;
      } else {
        if (gapOfB == first[b + 1]) {
          return false;
        }
        fromB = gapEnd[gapOfB++] + 1;
      }
    }
  }

  /** The buffer in whose bytes this one lies, {@link #NO_BASE} or {@link #UNPLACED_BASE}. */
  public int base(int buffer) {
    return base == null ? NO_BASE : base[buffer];
  }

  /** Offset in the storage base; as given, so it may be wrong (negative, or past its end). */
  public long baseOffset(int buffer) {
    return baseOffset == null ? 0 : baseOffset[buffer];
  }

  /**
   * True for a storage-backed buffer that a pass has put into its base, by what it knows of the
   * program: neither its size nor its offset is bound to the plan's alignment, and it may overlap
   * other parts of the base. A strategy that knows nothing of it is only stricter.
   */
  public boolean isChosenPart(int buffer) {
    return chosenPart != null && chosenPart[buffer] != 0;
  }

  /** Index of the arena that the buffer is pinned to, or -1. */
  public int pinnedArena(int buffer) {
    return pinnedArena == null ? -1 : pinnedArena[buffer];
  }

  /** Offset at which the buffer must lie in its arena, or -1. */
  public long fixedOffset(int buffer) {
    return fixedOffset == null ? -1 : fixedOffset[buffer];
  }

  /** Index of the set of arenas that the buffer may go to; set 0 is all open arenas. */
  public int arenaSet(int buffer) {
    return arenaSet == null ? 0 : arenaSet[buffer];
  }

  /** Alignment that the buffer itself asks for, in bytes; 1 if none. */
  public int bufferAlignment(int buffer) {
    return bufferAlignment == null ? 1 : bufferAlignment[buffer];
  }

  /** Bytes after the buffer's end that kernels may read, though they use nothing of them. */
  public long overReadBytes(int buffer) {
    return overReadBytes == null ? 0 : overReadBytes[buffer];
  }

  /** Bytes read from the buffer in one run. */
  public long readBytes(int buffer) {
    return readBytes == null ? 0 : readBytes[buffer];
  }

  /** Bytes written to the buffer in one run. */
  public long writeBytes(int buffer) {
    return writeBytes == null ? 0 : writeBytes[buffer];
  }

  /**
   * The alignment that ExecuTorch's planner has on the buffer before it plans: its greedy sorts by
   * sizes rounded to this, whatever the plan's alignment is.
   */
  public int oracleAlignment(int buffer) {
    return oracleAlignment == null ? Builder.ORACLE_ALIGNMENT : oracleAlignment[buffer];
  }

  /** A label for messages, or null. */
  public @Nullable String bufferName(int buffer) {
    return bufferName == null ? null : bufferName[buffer];
  }

  /** The number of a buffer where it came from, for messages and files; its index unless set. */
  public int bufferNumber(int buffer) {
    int number = bufferNumber == null ? -1 : bufferNumber[buffer];
    return number < 0 ? buffer : number;
  }

  /** True if buffers have numbers other than their indices. */
  public boolean hasNumbers() {
    return bufferNumber != null;
  }

  /** {@code buffer 3}, or {@code tensor 3 (conv1)}, by number. */
  public String describe(int buffer) {
    return describe(noun, bufferNumber(buffer), bufferName(buffer));
  }

  private static String describe(String noun, int number, @Nullable String label) {
    String known = noun + " " + number;
    return label == null || label.isEmpty() ? known : known + " (" + label + ")";
  }

  /** What a step is called where the problem came from; itself unless set. */
  public int stepNumber(int step) {
    return step + firstStep;
  }

  /** How many gaps there are: spans inside a lifetime in which the buffer is dead. */
  public int gapCount() {
    return gapBuffer.length;
  }

  /** The buffer of a gap; gaps are ordered by buffer, then by start. */
  public int gapBuffer(int gap) {
    return gapBuffer[gap];
  }

  /** First step of a gap. */
  public int gapStart(int gap) {
    return gapStart[gap];
  }

  /** Last step of a gap, inclusive. */
  public int gapEnd(int gap) {
    return gapEnd[gap];
  }

  /** How many pairs of buffers may not share bytes, whatever their lifetimes. */
  public int separationCount() {
    return separations.length / 2;
  }

  /** One buffer of such a pair: side 0 or 1. */
  public int separation(int pair, int side) {
    return separations[2 * pair + checkElementIndex(side, 2)];
  }

  /** How many sets of arenas there are; set 0 is all open arenas. */
  public int arenaSetCount() {
    return arenaSets.length;
  }

  /** The arenas of a set, in order of preference. */
  public int[] arenaSetMembers(int set) {
    return arenaSets[set].clone();
  }

  /** The arenas, in order of preference. */
  public ImmutableList<Arena> arenas() {
    return arenas;
  }

  /**
   * The same problem with an arena of another capacity.
   *
   * @param arena its index
   * @param bytes 0 or more, or {@link Arena#UNLIMITED}
   */
  public PlanningProblem withCapacity(int arena, long bytes) {
    ImmutableList.Builder<Arena> changed = ImmutableList.builder();
    for (int i = 0; i < arenas.size(); i++) {
      changed.add(i == arena ? arenas.get(i).withCapacity(bytes) : arenas.get(i));
    }
    return new PlanningProblem(this, changed.build());
  }

  /** How many arenas there are. */
  public int arenaCount() {
    return arenas.size();
  }

  /** The arena of an index. */
  public Arena arena(int index) {
    return arenas.get(index);
  }

  /** Index of the arena with a mem_id, or -1. */
  public int arenaOfMemId(int memId) {
    for (int i = 0; i < arenas.size(); i++) {
      if (arenas.get(i).memId() == memId) {
        return i;
      }
    }
    return -1;
  }

  /** The alignment in force in an arena, in bytes. */
  public int arenaAlignment(int arena) {
    int own = arenas.get(arena).alignment();
    return own == 0 ? alignment : own;
  }

  /**
   * The only arena that a buffer may go to: its pin, or the only open arena there is; -1 where it
   * has a choice. A storage-backed buffer goes where its base goes.
   */
  public int forcedArena(int buffer) {
    if (pinnedArena(buffer) >= 0) {
      return pinnedArena(buffer);
    }
    int[] open = arenaSets[arenaSet(buffer)];
    return open.length == 1 ? open[0] : -1;
  }

  /** Alignment of offsets and sizes, in bytes. */
  public int alignment() {
    return alignment;
  }

  /** The last step at which anything is live; 0 without buffers. */
  public int horizon() {
    return horizon;
  }

  /** What is to be least. */
  public Objective objective() {
    return objective;
  }

  /** What this problem asks of a strategy beyond disjoint placement. */
  public ImmutableSet<Constraint> constraints() {
    return constraints;
  }

  private int[] firstGaps() {
    int[] first = new int[bufferCount + 1];
    int gap = 0;
    for (int buffer = 0; buffer < bufferCount; buffer++) {
      first[buffer] = gap;
      while (gap < gapBuffer.length && gapBuffer[gap] == buffer) {
        gap++;
      }
    }
    first[bufferCount] = gap;
    return first;
  }

  private ImmutableSet<Constraint> findConstraints() {
    EnumSet<Constraint> found = EnumSet.noneOf(Constraint.class);
    addIf(found, base != null, Constraint.STORAGE);
    addIf(found, pinnedArena != null, Constraint.PINNED_ARENA);
    addIf(found, fixedOffset != null, Constraint.FIXED_OFFSET);
    addIf(found, arenaSet != null, Constraint.ARENA_SETS);
    addIf(found, bufferAlignment != null, Constraint.BUFFER_ALIGNMENT);
    addIf(found, overReadBytes != null, Constraint.OVER_READ);
    addIf(found, separations.length > 0, Constraint.SEPARATIONS);
    addIf(found, objective != Objective.TOTAL_BYTES, Constraint.OBJECTIVE);
    for (Arena arena : arenas) {
      addIf(found, arena.alignment() != 0, Constraint.ARENA_ALIGNMENT);
      addIf(found, arena.baseAddress() != 0, Constraint.BASE_ADDRESS);
      addIf(found, arena.maxAllocationBytes() != Arena.UNLIMITED, Constraint.MAX_ALLOCATION);
      addIf(found, !arena.reservedRanges().isEmpty(), Constraint.RESERVED_RANGES);
    }
    return ImmutableSet.copyOf(found);
  }

  private static void addIf(EnumSet<Constraint> found, boolean condition, Constraint constraint) {
    if (condition) {
      found.add(constraint);
    }
  }

  /** Collects a problem; not thread-safe. */
  public static final class Builder {
    static final int ORACLE_ALIGNMENT = 16;

    private String name;
    private String noun = "buffer";
    private int firstStep;
    private int count;
    private long[] sizeBytes = new long[16];
    private int[] start = new int[16];
    private int[] end = new int[16];
    private final IntColumn base = new IntColumn(NO_BASE);
    private final IntColumn chosenPart = new IntColumn(0);
    private final LongColumn baseOffset = new LongColumn(0);
    private final IntColumn pinnedArena = new IntColumn(-1);
    private final LongColumn fixedOffset = new LongColumn(-1);
    private final IntColumn arenaSet = new IntColumn(0);
    private final IntColumn bufferAlignment = new IntColumn(1);
    private final LongColumn overReadBytes = new LongColumn(0);
    private final LongColumn readBytes = new LongColumn(0);
    private final LongColumn writeBytes = new LongColumn(0);
    private final IntColumn oracleAlignment = new IntColumn(ORACLE_ALIGNMENT);
    private @Nullable String @Nullable [] bufferName;
    private final IntColumn bufferNumber = new IntColumn(-1);
    private int[] gapBuffer = new int[0];
    private int[] gapStart = new int[0];
    private int[] gapEnd = new int[0];
    private int gapCount;
    private int[] separations = new int[0];
    private int separationCount;
    private final ArrayList<int[]> arenaSets = new ArrayList<>();
    private final ArrayList<Arena> arenas = new ArrayList<>();
    private final HashSet<Integer> memIds = new HashSet<>();
    private int alignment = Limits.DEFAULT_ALIGNMENT;
    private Objective objective = Objective.TOTAL_BYTES;

    private Builder(String name) {
      this.name = name;
      arenaSets.add(new int[0]);
    }

    /** Sets what the problem is called, for readers that learn it late. */
    public Builder name(String newName) {
      name = newName;
      return this;
    }

    /**
     * Says how messages speak of a problem that was made from something else.
     *
     * @param newNoun what its buffers are there, such as {@code tensor}
     * @param newFirstStep what step 0 is called there
     */
    public Builder speakOf(String newNoun, int newFirstStep) {
      noun = newNoun;
      firstStep = newFirstStep;
      return this;
    }

    /**
     * Adds a buffer.
     *
     * @param newSizeBytes 0 or more
     * @param newStart first live step, 0 or more
     * @param newEnd last live step, inclusive, not before {@code newStart}
     * @return its index
     */
    public int addBuffer(long newSizeBytes, int newStart, int newEnd) {
      checkArgument(newSizeBytes >= 0, "size is negative: %s", newSizeBytes);
      checkArgument(newStart >= 0, "lifetime starts before 0: %s", newStart);
      checkArgument(newEnd >= newStart, "lifetime [%s, %s] ends early", newStart, newEnd);
      if (count == sizeBytes.length) {
        int capacity = count + (count >> 1);
        sizeBytes = Arrays.copyOf(sizeBytes, capacity);
        start = Arrays.copyOf(start, capacity);
        end = Arrays.copyOf(end, capacity);
      }
      sizeBytes[count] = newSizeBytes;
      start[count] = newStart;
      end[count] = newEnd;
      return count++;
    }

    /** How many buffers there are so far. */
    public int bufferCount() {
      return count;
    }

    /** Puts a buffer into another's bytes; the base may be added later. */
    public Builder storage(int buffer, int baseBuffer, long offsetBytes) {
      base.set(buffer, baseBuffer);
      baseOffset.set(buffer, offsetBytes);
      return this;
    }

    /** Says that a pass has put a storage-backed buffer into its base. */
    public Builder chosenPart(int buffer) {
      chosenPart.set(buffer, 1);
      return this;
    }

    /** Pins a buffer to an arena, by its index. */
    public Builder pin(int buffer, int arena) {
      pinnedArena.set(buffer, arena);
      return this;
    }

    /** Fixes a buffer's offset in the arena it is pinned to. */
    public Builder fixedOffset(int buffer, long offsetBytes) {
      checkArgument(offsetBytes >= 0, "offset is negative: %s", offsetBytes);
      fixedOffset.set(buffer, offsetBytes);
      return this;
    }

    /** Keeps a buffer to a set of arenas, from {@link #addArenaSet}. */
    public Builder arenaSet(int buffer, int set) {
      arenaSet.set(buffer, set);
      return this;
    }

    /** Asks for an alignment of the buffer's own. */
    public Builder bufferAlignment(int buffer, int bytes) {
      checkArgument(bytes >= 1, "alignment is below 1: %s", bytes);
      bufferAlignment.set(buffer, bytes);
      return this;
    }

    /** Declares that kernels read past the buffer's end. */
    public Builder overRead(int buffer, long bytes) {
      checkArgument(bytes >= 0, "over-read is negative: %s", bytes);
      overReadBytes.set(buffer, bytes);
      return this;
    }

    /** Says how much is read and written in a run. */
    public Builder traffic(int buffer, long bytesRead, long bytesWritten) {
      readBytes.set(buffer, bytesRead);
      writeBytes.set(buffer, bytesWritten);
      return this;
    }

    /** Sets {@link PlanningProblem#oracleAlignment}. */
    public Builder oracleAlignment(int buffer, int bytes) {
      checkArgument(bytes >= 1, "alignment is below 1: %s", bytes);
      oracleAlignment.set(buffer, bytes);
      return this;
    }

    /** Says what number a buffer has where it came from. */
    public Builder bufferNumber(int buffer, int number) {
      checkArgument(number >= 0, "number is negative: %s", number);
      bufferNumber.set(buffer, number);
      return this;
    }

    /** Labels a buffer for messages. */
    public Builder bufferName(int buffer, String label) {
      @Nullable String[] names = bufferName == null ? new String[16] : bufferName;
      if (buffer >= names.length) {
        names = Arrays.copyOf(names, Math.max(buffer + 1, names.length + (names.length >> 1)));
      }
      names[buffer] = label;
      bufferName = names;
      return this;
    }

    /**
     * Adds a span of steps, inclusive, in which the buffer is dead; in order of buffer and start.
     * Gaps of a buffer that turns out to be the storage base of another are left out.
     */
    public Builder addGap(int buffer, int gapFrom, int gapTo) {
      if (gapCount == gapBuffer.length) {
        int capacity = Math.max(16, gapCount * 2);
        gapBuffer = Arrays.copyOf(gapBuffer, capacity);
        gapStart = Arrays.copyOf(gapStart, capacity);
        gapEnd = Arrays.copyOf(gapEnd, capacity);
      }
      gapBuffer[gapCount] = buffer;
      gapStart[gapCount] = gapFrom;
      gapEnd[gapCount] = gapTo;
      gapCount++;
      return this;
    }

    /** Forbids two buffers to share bytes. */
    public Builder separate(int one, int other) {
      if (2 * separationCount == separations.length) {
        separations = Arrays.copyOf(separations, Math.max(16, separations.length * 2));
      }
      separations[2 * separationCount] = one;
      separations[2 * separationCount + 1] = other;
      separationCount++;
      return this;
    }

    /** Adds an arena, the preferred one first, and returns its index. */
    public int addArena(Arena arena) {
      checkArgument(memIds.add(arena.memId()), "two arenas have mem_id %s", arena.memId());
      arenas.add(arena);
      return arenas.size() - 1;
    }

    /** Adds a set of arenas in order of preference and returns its index, 1 or more. */
    public int addArenaSet(int... members) {
      arenaSets.add(members.clone());
      return arenaSets.size() - 1;
    }

    /** Sets the alignment of offsets and sizes; {@link Limits#DEFAULT_ALIGNMENT} unless set. */
    public Builder alignment(int bytes) {
      checkArgument(bytes >= 1, "alignment is below 1: %s", bytes);
      alignment = bytes;
      return this;
    }

    /** Sets what is to be least; total bytes unless set. */
    public Builder objective(Objective newObjective) {
      objective = newObjective;
      return this;
    }

    /**
     * The problem, checked as a whole.
     *
     * @throws IllegalArgumentException if it refers to a buffer or arena that does not exist
     * @throws dev.stowage.base.DiagnosticException of kind {@code storage-cycle} or {@code
     *     input-overflow}
     */
    public PlanningProblem build() {
      if (arenas.isEmpty()) {
        arenas.add(Arena.of(1));
      }
      arenaSets.set(0, openArenas());
      checkReferences();
      int[] widenedStart = Arrays.copyOf(start, count);
      int[] widenedEnd = Arrays.copyOf(end, count);
      StorageBases bases = new StorageBases(count, base, this::describe);
      bases.widen(widenedStart, widenedEnd);
      checkOverflow();
      return new PlanningProblem(this, widenedStart, widenedEnd, keptGaps(bases));
    }

    private String describe(int buffer) {
      int number = bufferNumber.get(buffer);
      @Nullable String[] names = bufferName;
      return PlanningProblem.describe(
          noun,
          number < 0 ? buffer : number,
          names == null || buffer >= names.length ? null : names[buffer]);
    }

    /** The gaps to keep: in those of a base, something in its bytes may be live. */
    private int[] keptGaps(StorageBases bases) {
      return IntStream.range(0, gapCount).filter(gap -> !bases.isBase(gapBuffer[gap])).toArray();
    }

    private int[] openArenas() {
      int[] open = new int[arenas.size()];
      int found = 0;
      for (int i = 0; i < open.length; i++) {
        if (arenas.get(i).open()) {
          open[found++] = i;
        }
      }
      return Arrays.copyOf(open, found);
    }

    private void checkReferences() {
      for (int[] set : arenaSets) {
        for (int arena : set) {
          checkElementIndex(arena, arenas.size(), "arena");
        }
      }
      for (int i = 0; i < count; i++) {
        int b = base.get(i);
        checkArgument(
            b >= UNPLACED_BASE && b < count, "storage base of buffer %s does not exist: %s", i, b);
        int pin = pinnedArena.get(i);
        checkArgument(
            pin >= -1 && pin < arenas.size(), "arena of buffer %s does not exist: %s", i, pin);
        int set = arenaSet.get(i);
        checkArgument(
            set >= 0 && set < arenaSets.size(),
            "arena set of buffer %s does not exist: %s",
            i,
            set);
      }
      for (int i = 0; i < 2 * separationCount; i++) {
        checkElementIndex(separations[i], count, "buffer of a separation");
      }
      for (int i = 0; i < gapCount; i++) {
        int b = checkElementIndex(gapBuffer[i], count, "buffer of a gap");
        checkArgument(
            gapStart[i] >= start[b] && gapStart[i] <= gapEnd[i] && gapEnd[i] <= end[b],
            "gap [%s, %s] of buffer %s is not inside its lifetime",
            gapStart[i],
            gapEnd[i],
            b);
        checkArgument(
            i == 0
                || gapBuffer[i - 1] < b
                || (gapBuffer[i - 1] == b && gapEnd[i - 1] < gapStart[i]),
            "gaps of buffer %s are out of order or overlap",
            b);
      }
    }

    private void checkOverflow() {
      try {
        long largestAlignment = alignment;
        long total = 0;
        for (Arena arena : arenas) {
          largestAlignment = Math.max(largestAlignment, arena.alignment());
          total = Math.addExact(total, Math.addExact(arena.reservedBytes(), arena.paddingBytes()));
          for (ReservedRange range : arena.reservedRanges()) {
            total = Math.addExact(total, range.endBytes());
          }
        }
        for (int i = 0; i < count; i++) {
          // A buffer's own alignment and the arena's are combined by their least common multiple.
          long own =
              Math.max(
                  oracleAlignment.get(i),
                  Math.multiplyExact(largestAlignment, bufferAlignment.get(i)));
          total = Math.addExact(total, Math.addExact(sizeBytes[i], own));
          total = Math.addExact(total, overReadBytes.get(i));
          // Bounds of the sum along a chain of bases, whatever the signs.
          total = Math.addExact(total, Math.absExact(baseOffset.get(i)));
          total = Math.addExact(total, Math.max(0, fixedOffset.get(i)));
        }
      } catch (ArithmeticException e) {
        throw Diagnostic.of(
                Kinds.INPUT_OVERFLOW,
                "sizes, offsets and reserved bytes add up to more than 2^63 - 1 bytes")
            .asException();
      }
    }
  }
}
