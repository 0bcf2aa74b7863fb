package dev.stowage.formats.problem;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Device;
import dev.stowage.base.Kinds;
import dev.stowage.base.json.JsonCursor;
import dev.stowage.memmap.Addresses;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.planning.Limits;
import dev.stowage.planning.PlanningProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads the buffers of one problem. What refers to banks or to other buffers is kept by {@link
 * BufferReferences} until all are known.
 *
 * <p>A buffer that somebody else provides ({@code owner}) is no buffer of the problem. So a buffer
 * has a number, by which the file counts, and an index in the problem.
 */
final class BufferParser {
  static final int MAX_STEP = Integer.MAX_VALUE - 1;

  private static final ImmutableSet<String> MEMBERS =
      ImmutableSet.of(
          "bytes",
          "lifetime",
          "mem_id",
          "base",
          "base_offset",
          "name",
          "shape",
          "dtype",
          "device",
          "initial_alignment",
          "offset",
          "address",
          "not_banks",
          "requires",
          "alignment",
          "over_read",
          "must_not_share",
          "owner",
          "scratch_of",
          "reads",
          "writes");

  private static final ImmutableSet<String> OWNERS = ImmutableSet.of("plan", "caller", "runtime");

  private final JsonCursor cursor;
  private final PlanningProblem.Builder builder;
  private final BufferReferences references;
  private final ReadingFaults faults;

  /** Number of each buffer of the problem; as long as all are of the problem, none is kept. */
  private int[] numbers = new int[0];

  private int read;

  BufferParser(JsonCursor cursor, PlanningProblem.Builder builder, ReadingFaults faults) {
    this.cursor = cursor;
    this.builder = builder;
    this.faults = faults;
    references = new BufferReferences(cursor, builder);
  }

  /** What the members of one buffer say. */
  static final class Draft {
    /** The line in which the buffer begins. */
    int line;

    @Nullable Long bytes;
    int @Nullable [] lifetime;
    @Nullable String name;
    int memId;
    @Nullable Integer base;
    long baseOffset;
    @Nullable Device device;
    int initialAlignment;
    long offset = -1;
    long address = -1;
    ImmutableList<String> notBanks = ImmutableList.of();
    ImmutableList<String> requires = ImmutableList.of();
    int alignment = 1;
    long overRead;
    int[] mustNotShare = new int[0];
    boolean provided;
    int scratchOf = -1;
    long reads;
    long writes;
  }

  /** Reads the buffer at which the cursor stands; one with faults stays as an empty one. */
  void read() {
    Draft draft = new Draft();
    draft.line = cursor.line();
    int before = faults.count();
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      String name = member;
      faults.read(() -> readKnown(draft, name));
    }
    if (faults.count() == before) {
      faults.note(() -> add(draft));
    }
    if (faults.count() > before && !draft.provided) {
      setNumber(builder.addBuffer(0, 0, 0));
    }
    read++;
  }

  private void readKnown(Draft draft, String member) {
    if (ProblemParser.ANSWERS.contains(member)) {
      cursor.skip();
    } else if (!MEMBERS.contains(member)) {
      throw cursor.unknownMember(member, MEMBERS);
    } else if (member.equals("bytes") || !cursor.isNull()) {
      readMember(draft, member);
    }
  }

  private void readMember(Draft draft, String member) {
    switch (member) {
      case "bytes" -> draft.bytes = cursor.bytes();
      case "lifetime" -> draft.lifetime = readLifetime();
      case "mem_id" -> draft.memId = cursor.integer(1, Limits.MAX_MEM_ID);
      case "base" -> draft.base = readBase();
      case "base_offset" -> draft.baseOffset = cursor.integer(Long.MIN_VALUE, Long.MAX_VALUE);
      case "name" -> draft.name = cursor.text();
      case "shape" -> readShape();
      case "dtype" -> cursor.text();
      case "device" -> draft.device = readDevice();
      case "initial_alignment" -> draft.initialAlignment = cursor.integer(1, Limits.MAX_ALIGNMENT);
      case "offset" -> draft.offset = cursor.bytes();
      case "address" -> draft.address = Addresses.read(cursor);
      case "not_banks" -> draft.notBanks = readNames();
      case "requires" -> draft.requires = readNames();
      case "alignment" -> draft.alignment = cursor.integer(1, Limits.MAX_ALIGNMENT);
      case "over_read" -> draft.overRead = cursor.bytes();
      case "must_not_share" -> draft.mustNotShare = readNumbers();
      case "owner" -> draft.provided = readOwner();
      case "scratch_of" -> draft.scratchOf = cursor.integer(0, MAX_STEP);
      case "reads" -> draft.reads = cursor.bytes();
      case "writes" -> draft.writes = cursor.bytes();
      default -> throw new AssertionError(member);
    }
  }

  private void add(Draft draft) {
    int[] span = lifetime(draft);
    long bytes = required(draft.bytes, "bytes");
    if (draft.base == null && draft.baseOffset != 0) {
      throw cursor
          .error(Kinds.INPUT_VALUE, "base_offset is " + draft.baseOffset + " without a base")
          .asException();
    }
    if (draft.provided) {
      leaveOut();
      return;
    }
    int buffer = builder.addBuffer(bytes, span[0], span[1]);
    setNumber(buffer);
    if (draft.name != null) {
      builder.bufferName(buffer, draft.name);
    }
    if (draft.initialAlignment > 0) {
      builder.oracleAlignment(buffer, draft.initialAlignment);
    }
    if (draft.alignment > 1) {
      builder.bufferAlignment(buffer, draft.alignment);
    }
    if (draft.overRead > 0) {
      builder.overRead(buffer, draft.overRead);
    }
    if (draft.reads != 0 || draft.writes != 0) {
      builder.traffic(buffer, draft.reads, draft.writes);
    }
    references.add(buffer, read, draft);
  }

  /** The lifetime, which for the scratch of a node may be left out: it is that node's step. */
  private int[] lifetime(Draft draft) {
    if (draft.scratchOf < 0) {
      return required(draft.lifetime, "lifetime");
    }
    int step = draft.scratchOf;
    if (draft.lifetime != null && (draft.lifetime[0] != step || draft.lifetime[1] != step)) {
      throw cursor
          .error(
              Kinds.INPUT_VALUE,
              "the scratch of step "
                  + step
                  + " lives at that step only, but its lifetime is "
                  + Arrays.toString(draft.lifetime))
          .help("leave the lifetime out")
          .asException();
    }
    return new int[] {step, step};
  }

  private void leaveOut() {
    if (numbers.length == 0) {
      numbers = new int[Math.max(16, builder.bufferCount())];
      Arrays.setAll(numbers, i -> i);
      for (int i = 0; i < builder.bufferCount(); i++) {
        builder.bufferNumber(i, i);
      }
    }
    references.leaveOut(read);
  }

  private void setNumber(int buffer) {
    if (numbers.length == 0) {
      return;
    }
    if (buffer >= numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * buffer);
    }
    numbers[buffer] = read;
    builder.bufferNumber(buffer, read);
  }

  /** The number of a buffer of the problem, as the file counts. */
  int number(int buffer) {
    return buffer < numbers.length ? numbers[buffer] : buffer;
  }

  /** The mem_ids that buffers are pinned to. */
  Set<Integer> pinnedMemIds() {
    return references.pinnedMemIds();
  }

  /**
   * Adds to the problem what could not be said before all buffers and banks were known.
   *
   * @param arenas indices by mem_id
   * @param asExecutorch whether pins of storage-backed buffers are overlooked, as ExecuTorch's
   *     planners do, and not moved to their storage
   */
  void resolve(Map<Integer, Integer> arenas, @Nullable MemoryMap map, boolean asExecutorch) {
    references.resolve(arenas, map, read, asExecutorch).forEach(faults::add);
  }

  private int[] readLifetime() {
    int[] lifetime = new int[2];
    int count = 0;
    cursor.beginArray();
    while (cursor.nextElement()) {
      if (count < 2) {
        lifetime[count] = cursor.integer(0, MAX_STEP);
      } else {
        cursor.skip();
      }
      count++;
    }
    if (count != 2) {
      throw cursor
          .error(
              Kinds.INPUT_MEMBER,
              "a lifetime is a list of two steps, first and last, but this one has " + count)
          .asException();
    }
    if (lifetime[1] < lifetime[0]) {
      throw cursor
          .error(
              Kinds.INPUT_VALUE,
              "the lifetime ends at step " + lifetime[1] + ", before it starts at " + lifetime[0])
          .asException();
    }
    return lifetime;
  }

  private int readBase() {
    long base = cursor.integer(Long.MIN_VALUE, Long.MAX_VALUE);
    if (base < 0 || base >= Integer.MAX_VALUE) {
      throw cursor
          .error(Kinds.INPUT_REFERENCE, "the storage base is buffer " + base + ", which is none")
          .asException();
    }
    return (int) base;
  }

  private void readShape() {
    cursor.beginArray();
    while (cursor.nextElement()) {
      if (!cursor.isText()) {
        cursor.integer(0L, Long.MAX_VALUE);
      }
    }
  }

  private Device readDevice() {
    try {
      return Device.parse(cursor.text());
    } catch (IllegalArgumentException e) {
      throw cursor.error(Kinds.INPUT_MEMBER, String.valueOf(e.getMessage())).asException();
    }
  }

  private ImmutableList<String> readNames() {
    Set<String> names = new TreeSet<>();
    cursor.beginArray();
    while (cursor.nextElement()) {
      names.add(cursor.text());
    }
    return ImmutableList.copyOf(names);
  }

  private int[] readNumbers() {
    List<Integer> numbers = new ArrayList<>();
    cursor.beginArray();
    while (cursor.nextElement()) {
      int other = cursor.integer(0, Integer.MAX_VALUE - 1);
      if (other == read) {
        throw cursor
            .error(Kinds.INPUT_REFERENCE, "buffer " + read + " must not share with itself")
            .asException();
      }
      numbers.add(other);
    }
    return numbers.stream().mapToInt(i -> i).toArray();
  }

  private boolean readOwner() {
    String owner = cursor.text();
    if (!OWNERS.contains(owner)) {
      throw cursor.unknownWord("owner", owner, OWNERS);
    }
    return !owner.equals("plan");
  }

  private <T> T required(@Nullable T value, String member) {
    if (value == null) {
      throw cursor
          .error(Kinds.INPUT_MEMBER, "the member '" + member + "' is missing")
          .asException();
    }
    return value;
  }
}
