package dev.stowage.formats.problem;

import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Device;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Suggestions;
import dev.stowage.base.json.JsonCursor;
import dev.stowage.base.json.JsonDocuments.Label;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Limits;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.PlanningProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads one problem from JSON. Members come in any order, so what refers to banks, arenas or later
 * buffers is resolved at the end.
 */
final class ProblemParser {
  static final int MAX_STEP = Integer.MAX_VALUE - 1;

  private static final ImmutableSet<String> MEMBERS =
      ImmutableSet.of(
          "name",
          "algorithm",
          "algorithms",
          "alignment",
          "allow_overlapping",
          "extra_padding",
          "reserved",
          "banks",
          "buffers");

  private static final ImmutableSet<String> BUFFER_MEMBERS =
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
          "not_banks",
          "alignment",
          "over_read",
          "must_not_share",
          "reads",
          "writes",
          "address",
          "requires",
          "owner",
          "scratch_of");

  private static final ImmutableSet<String> BANK_MEMBERS =
      ImmutableSet.of("name", "size", "mem_id", "alignment");

  /** Answers in recorded problems, which are not read. */
  private static final ImmutableSet<String> ANSWERS =
      ImmutableSet.of(
          "extended_lifetime",
          "result",
          "error",
          "oracle_defect",
          "kind",
          "executorch_cpu_seconds",
          "executorch_cpu_seconds_all",
          "shared_objects",
          "liveness_lower_bound");

  private final JsonCursor cursor;
  private final Label label;
  private final ProblemOptions options;
  private final PlanningProblem.Builder builder = PlanningProblem.builder("");
  private final Algorithms algorithms = new Algorithms();
  private OptionalInt alignment = OptionalInt.empty();
  private long paddingBytes;
  private long[] reserved = new long[0];
  private @Nullable MemoryMap map;

  /** By buffer; 0 where there is no pin. */
  private int[] pinnedMemIds = new int[0];

  /** Names of banks by buffer. */
  private final Map<Integer, Set<String>> notBanks = new LinkedHashMap<>();

  private final List<int[]> separations = new ArrayList<>();
  private final List<Integer> fixed = new ArrayList<>();
  private int highestBase = -1;
  private int bufferOfHighestBase = -1;

  ProblemParser(JsonCursor cursor, Label label, ProblemOptions options) {
    this.cursor = cursor;
    this.label = label;
    this.options = options;
  }

  ProblemDocument parse() {
    boolean hasBuffers = false;
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      if (ANSWERS.contains(member)) {
        cursor.skip();
      } else if (member.equals("buffers")) {
        readBuffers();
        hasBuffers = true;
      } else if (!MEMBERS.contains(member)) {
        throw cursor.unknownMember(member, MEMBERS);
      } else if (!cursor.isNull()) {
        readMember(member);
      }
    }
    if (!hasBuffers) {
      throw at("buffers", Kinds.INPUT_MEMBER, "the member 'buffers' is missing");
    }
    String fault = algorithms.fault();
    if (fault != null) {
      throw at("algorithms", Kinds.INPUT_MEMBER, fault);
    }
    return finish();
  }

  private void readMember(String member) {
    switch (member) {
      case "name" -> label.set(cursor.text());
      case "algorithm" -> algorithms.readAlgorithm(cursor);
      case "algorithms" -> algorithms.readMembers(cursor);
      case "alignment" -> alignment = OptionalInt.of(cursor.integer(1, Limits.MAX_ALIGNMENT));
      case "allow_overlapping" -> algorithms.readOverlap(cursor);
      case "extra_padding" -> paddingBytes = cursor.bytes();
      case "reserved" -> readReserved();
      case "banks" -> readBanks();
      default -> throw new AssertionError(member);
    }
  }

  private void readReserved() {
    int count = 0;
    cursor.beginArray();
    while (cursor.nextElement()) {
      if (count > Limits.MAX_MEM_ID) {
        throw cursor
            .error(Kinds.INPUT_VALUE, "there are no mem_ids above " + Limits.MAX_MEM_ID)
            .asException();
      }
      if (count == reserved.length) {
        reserved = Arrays.copyOf(reserved, Math.max(8, 2 * count));
      }
      reserved[count++] = cursor.bytes();
    }
  }

  private void readBanks() {
    List<Bank> banks = new ArrayList<>();
    cursor.beginArray();
    while (cursor.nextElement()) {
      banks.add(readBank());
    }
    try {
      map = MemoryMap.of(banks);
    } catch (DiagnosticException e) {
      throw cursor.relocated(e.diagnostic(), e.diagnostic().location().place()).asException();
    }
  }

  private Bank readBank() {
    String name = null;
    Long size = null;
    Integer memId = null;
    int own = 0;
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      switch (member) {
        case "name" -> name = cursor.text();
        // Numbers below 1 are the map's to refuse.
        case "size" ->
            size =
                cursor.isText() ? cursor.bytes() : cursor.integer(Long.MIN_VALUE, Long.MAX_VALUE);
        case "mem_id" -> memId = cursor.integer(Integer.MIN_VALUE, Limits.MAX_MEM_ID);
        case "alignment" -> own = cursor.isNull() ? 0 : bankAlignment();
        default -> throw cursor.unknownMember(member, BANK_MEMBERS);
      }
    }
    return Bank.builder(required(name, "name"), required(size, "size"), required(memId, "mem_id"))
        .alignment(own)
        .build();
  }

  private int bankAlignment() {
    int bytes = cursor.integer(Integer.MIN_VALUE, Limits.MAX_ALIGNMENT);
    if (bytes == 0) {
      // A bank says "none of its own" by null; the map knows only 0 for it.
      throw cursor
          .error(Kinds.MAP_VALUE, "alignment is 0, but must be 1 or more")
          .help("leave it out, or write null, for the plan's alignment")
          .asException();
    }
    return bytes;
  }

  private void readBuffers() {
    cursor.beginArray();
    while (cursor.nextElement()) {
      readBuffer();
    }
  }

  private void readBuffer() {
    Long bytes = null;
    int[] lifetime = null;
    int buffer = builder.bufferCount();
    BufferMembers members = new BufferMembers();
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      if (member.equals("bytes")) {
        bytes = cursor.bytes();
      } else if (member.equals("lifetime")) {
        lifetime = readLifetime();
      } else if (ANSWERS.contains(member)) {
        cursor.skip();
      } else if (!BUFFER_MEMBERS.contains(member)) {
        throw cursor.unknownMember(member, BUFFER_MEMBERS);
      } else if (!cursor.isNull()) {
        readBufferMember(buffer, member, members);
      }
    }
    int[] span = required(lifetime, "lifetime");
    builder.addBuffer(required(bytes, "bytes"), span[0], span[1]);
    if (members.base != null) {
      builder.storage(buffer, members.base, members.baseOffset);
    } else if (members.baseOffset != 0) {
      throw cursor
          .error(Kinds.INPUT_VALUE, "base_offset is " + members.baseOffset + " without a base")
          .asException();
    }
    if (members.readBytes != 0 || members.writeBytes != 0) {
      builder.traffic(buffer, members.readBytes, members.writeBytes);
    }
  }

  /** Members of a buffer that have a meaning only together. */
  private static final class BufferMembers {
    @Nullable Integer base;
    long baseOffset;
    long readBytes;
    long writeBytes;
  }

  private void readBufferMember(int buffer, String member, BufferMembers members) {
    switch (member) {
      case "mem_id" -> pin(buffer, cursor.integer(1, Limits.MAX_MEM_ID));
      case "base" -> members.base = readBase(buffer);
      case "base_offset" -> members.baseOffset = cursor.integer(Long.MIN_VALUE, Long.MAX_VALUE);
      case "name" -> builder.bufferName(buffer, cursor.text());
      case "shape" -> readShape();
      case "dtype" -> cursor.text();
      case "device" -> readDevice();
      case "initial_alignment" ->
          builder.oracleAlignment(buffer, cursor.integer(1, Limits.MAX_ALIGNMENT));
      case "offset" -> {
        builder.fixedOffset(buffer, cursor.bytes());
        fixed.add(buffer);
      }
      case "not_banks" -> notBanks.put(buffer, readNames());
      case "alignment" -> builder.bufferAlignment(buffer, cursor.integer(1, Limits.MAX_ALIGNMENT));
      case "over_read" -> builder.overRead(buffer, cursor.bytes());
      case "must_not_share" -> readSeparations(buffer);
      case "reads" -> members.readBytes = cursor.bytes();
      case "writes" -> members.writeBytes = cursor.bytes();
      default ->
          throw cursor
              .error(
                  Kinds.INPUT_UNSUPPORTED,
                  "this version cannot plan buffers with the member '" + member + "'")
              .asException();
    }
  }

  private int[] readLifetime() {
    cursor.beginArray();
    int[] lifetime = new int[2];
    int count = 0;
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

  private int readBase(int buffer) {
    long base = cursor.integer(Long.MIN_VALUE, Long.MAX_VALUE);
    if (base < 0 || base >= Integer.MAX_VALUE) {
      throw cursor
          .error(Kinds.INPUT_REFERENCE, "the storage base is buffer " + base + ", which is none")
          .asException();
    }
    if (base > highestBase) {
      highestBase = (int) base;
      bufferOfHighestBase = buffer;
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

  private void readDevice() {
    try {
      Device device = Device.parse(cursor.text());
      if (!device.isCpu()) {
        throw cursor
            .error(
                Kinds.INPUT_UNSUPPORTED,
                "this version cannot plan buffers on device '" + device + "'; only cpu")
            .asException();
      }
    } catch (IllegalArgumentException e) {
      throw cursor.error(Kinds.INPUT_MEMBER, String.valueOf(e.getMessage())).asException();
    }
  }

  private Set<String> readNames() {
    Set<String> names = new TreeSet<>();
    cursor.beginArray();
    while (cursor.nextElement()) {
      names.add(cursor.text());
    }
    return names;
  }

  private void readSeparations(int buffer) {
    cursor.beginArray();
    while (cursor.nextElement()) {
      int other = cursor.integer(0, Integer.MAX_VALUE - 1);
      if (other == buffer) {
        throw cursor
            .error(Kinds.INPUT_REFERENCE, "buffer " + buffer + " must not share with itself")
            .asException();
      }
      separations.add(new int[] {buffer, other});
    }
  }

  private void pin(int buffer, int memId) {
    if (buffer >= pinnedMemIds.length) {
      pinnedMemIds = Arrays.copyOf(pinnedMemIds, Math.max(16, buffer + (buffer >> 1) + 1));
    }
    pinnedMemIds[buffer] = memId;
  }

  private ProblemDocument finish() {
    builder.name(label.text());
    PlanRequest request = PlanRequest.DEFAULT;
    OptionalInt wanted = options.alignment().isPresent() ? options.alignment() : alignment;
    if (wanted.isPresent()) {
      builder.alignment(wanted.getAsInt());
      request = request.withAlignment(wanted.getAsInt());
    }
    Optional<MemoryMap> banks = Optional.ofNullable(map);
    request = algorithms.strategy(banks.isPresent()).map(request::withStrategy).orElse(request);
    resolveReferences(addArenas());
    return new ProblemDocument(label.text(), build(), request, banks);
  }

  /** Adds the arenas; gives their indices by mem_id. */
  private Map<Integer, Integer> addArenas() {
    Map<Integer, Integer> indices = new HashMap<>();
    if (map == null) {
      Arena arena = Arena.of(1);
      if (options.capacityBytes().isPresent()) {
        arena = arena.withCapacity(options.capacityBytes().getAsLong());
      }
      addArena(arena, indices);
    } else {
      for (Bank bank : map.banks()) {
        addArena(
            Arena.of(bank.memId())
                .withName(bank.name())
                .withCapacity(bank.sizeBytes())
                .withAlignment(bank.alignment(), 0),
            indices);
      }
    }
    TreeSet<Integer> others = new TreeSet<>();
    for (int memId : pinnedMemIds) {
      if (memId != 0) {
        others.add(memId);
      }
    }
    for (int memId = 1; memId < reserved.length; memId++) {
      if (reserved[memId] != 0) {
        others.add(memId);
      }
    }
    for (int memId : others) {
      if (!indices.containsKey(memId)) {
        addArena(Arena.of(memId).closed(), indices);
      }
    }
    return indices;
  }

  private void addArena(Arena arena, Map<Integer, Integer> indices) {
    int memId = arena.memId();
    long reservedBytes = memId < reserved.length ? reserved[memId] : 0;
    indices.put(memId, builder.addArena(arena.withReserved(reservedBytes, paddingBytes)));
  }

  private void resolveReferences(Map<Integer, Integer> arenas) {
    int count = builder.bufferCount();
    if (highestBase >= count) {
      throw at(
          "buffers[" + bufferOfHighestBase + "].base",
          Kinds.INPUT_REFERENCE,
          "the storage base is buffer " + highestBase + ", but there are only " + count);
    }
    for (int buffer = 0; buffer < Math.min(count, pinnedMemIds.length); buffer++) {
      if (pinnedMemIds[buffer] != 0) {
        builder.pin(buffer, arenas.getOrDefault(pinnedMemIds[buffer], -1));
      }
    }
    for (int buffer : fixed) {
      if (buffer >= pinnedMemIds.length || pinnedMemIds[buffer] == 0) {
        throw at(
            "buffers[" + buffer + "].offset",
            Kinds.INPUT_MEMBER,
            "a fixed offset needs a mem_id, which says in which arena it is meant");
      }
    }
    for (int[] pair : separations) {
      if (pair[1] >= count) {
        throw at(
            "buffers[" + pair[0] + "].must_not_share",
            Kinds.INPUT_REFERENCE,
            "there is no buffer " + pair[1] + ", only " + count);
      }
      builder.separate(pair[0], pair[1]);
    }
    restrictToBanks(arenas);
  }

  private void restrictToBanks(Map<Integer, Integer> arenas) {
    Map<Set<String>, Integer> sets = new HashMap<>();
    Map<String, Integer> byName = new LinkedHashMap<>();
    if (map != null) {
      map.banks().forEach(bank -> byName.put(bank.name(), arenas.getOrDefault(bank.memId(), -1)));
    }
    for (Map.Entry<Integer, Set<String>> entry : notBanks.entrySet()) {
      Set<String> excluded = entry.getValue();
      String path = "buffers[" + entry.getKey() + "].not_banks";
      for (String name : excluded) {
        if (!byName.containsKey(name)) {
          throw cursor
              .errorAt(Kinds.MAP_UNKNOWN_BANK, path, "there is no bank called '" + name + "'")
              .help(
                  byName.isEmpty()
                      ? "the problem has no banks"
                      : Suggestions.help(name, byName.keySet()))
              .asException();
        }
      }
      if (!excluded.isEmpty() && excluded.size() == byName.size()) {
        throw at(path, Kinds.INPUT_VALUE, "every bank is excluded, so there is no place left");
      }
      if (!excluded.isEmpty()) {
        Integer set = sets.get(excluded);
        if (set == null) {
          set =
              builder.addArenaSet(
                  byName.entrySet().stream()
                      .filter(bank -> !excluded.contains(bank.getKey()))
                      .mapToInt(Map.Entry::getValue)
                      .toArray());
          sets.put(excluded, set);
        }
        builder.arenaSet(entry.getKey(), set);
      }
    }
  }

  private PlanningProblem build() {
    try {
      return builder.build();
    } catch (DiagnosticException e) {
      int buffer = e.diagnostic().buffer();
      String path = buffer < 0 ? "buffers" : "buffers[" + buffer + "].base";
      throw cursor.relocated(e.diagnostic(), path).asException();
    }
  }

  private <T> T required(@Nullable T value, String member) {
    if (value == null) {
      throw cursor
          .error(Kinds.INPUT_MEMBER, "the member '" + member + "' is missing")
          .asException();
    }
    return value;
  }

  private DiagnosticException at(String path, DiagnosticKind kind, String message) {
    return cursor.errorAt(kind, path, message).asException();
  }
}
