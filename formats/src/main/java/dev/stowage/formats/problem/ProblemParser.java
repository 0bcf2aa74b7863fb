package dev.stowage.formats.problem;

import com.google.common.collect.ImmutableSet;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.json.JsonCursor;
import dev.stowage.base.json.JsonDocuments.Label;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.memmap.MemoryMapReader;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Limits;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.PlanningProblem;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads one problem from JSON. Members come in any order, so what refers to banks, arenas or later
 * buffers is resolved at the end.
 */
final class ProblemParser {
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

  /** Answers in recorded problems, which are not read. */
  static final ImmutableSet<String> ANSWERS =
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
  private boolean hasBuffers;
  private boolean faultyBanks;
  private long[] reserved = new long[0];
  private @Nullable MemoryMap map;

  private final ReadingFaults faults;
  private final BufferParser buffers;

  ProblemParser(JsonCursor cursor, Label label, ProblemOptions options) {
    this.cursor = cursor;
    this.label = label;
    this.options = options;
    faults = new ReadingFaults(cursor);
    buffers = new BufferParser(cursor, builder, faults);
  }

  ProblemDocument parse() {
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      String name = member;
      faults.read(() -> readKnown(name));
    }
    if (!hasBuffers && faults.count() == 0) {
      faults.add(cursor.errorAt(Kinds.INPUT_MEMBER, "buffers", "the member 'buffers' is missing"));
    }
    String fault = algorithms.fault();
    if (fault != null) {
      faults.add(cursor.errorAt(Kinds.INPUT_MEMBER, "algorithms", fault));
    }
    return finish();
  }

  private void readKnown(String member) {
    if (ANSWERS.contains(member)) {
      cursor.skip();
    } else if (member.equals("buffers")) {
      hasBuffers = true;
      readBuffers();
    } else if (!MEMBERS.contains(member)) {
      throw cursor.unknownMember(member, MEMBERS);
    } else if (!cursor.isNull()) {
      readMember(member);
    }
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
      case "banks" -> {
        faultyBanks = true;
        map = MemoryMapReader.read(cursor);
        faultyBanks = false;
      }
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

  private void readBuffers() {
    cursor.beginArray();
    while (cursor.nextElement()) {
      faults.read(buffers::read);
    }
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
    boolean asExecutorch = algorithms.isNamed();
    if (!faultyBanks) {
      buffers.resolve(addArenas(), map, asExecutorch);
    }
    faults.throwIfAny();
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
        // What is on another device is kept to its banks, and nothing else may go there.
        addArena(bank.device().isCpu() ? Arena.of(bank) : Arena.of(bank).closed(), indices);
      }
    }
    TreeSet<Integer> others = new TreeSet<>(buffers.pinnedMemIds());
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

  private PlanningProblem build() {
    try {
      return builder.build();
    } catch (DiagnosticException e) {
      int buffer = e.diagnostic().buffer();
      String path = buffer < 0 ? "buffers" : "buffers[" + buffers.number(buffer) + "].base";
      throw cursor.relocated(e.diagnostic(), path).asException();
    }
  }
}
