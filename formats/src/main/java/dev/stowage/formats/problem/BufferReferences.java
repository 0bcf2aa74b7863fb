package dev.stowage.formats.problem;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Device;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Suggestions;
import dev.stowage.base.json.JsonCursor;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.planning.PlanningProblem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What buffers say of banks and of one another, kept until all of these are known. */
final class BufferReferences {
  private final JsonCursor cursor;
  private final PlanningProblem.Builder builder;
  private final List<Diagnostic> faults = new ArrayList<>();

  /** Those that refer to something, in order; most buffers of a large problem do not. */
  private final List<Reference> references = new ArrayList<>();

  private final Map<Integer, Reference> byNumber = new HashMap<>();

  /** Numbers of the buffers that are not of the problem, in order. */
  private final List<Integer> leftOut = new ArrayList<>();

  private final TreeSet<Integer> memIds = new TreeSet<>();

  private Map<Integer, Integer> arenas = Map.of();
  private @Nullable MemoryMap map;
  private int count;
  private final Map<List<Integer>, Integer> sets = new HashMap<>();

  /** What one buffer says. */
  private record Reference(int buffer, int number, BufferParser.Draft draft) {}

  /**
   * Where a buffer must lie, with what lies in its bytes.
   *
   * @param memId 0 if any
   * @param offset -1 if any
   */
  private record Place(int memId, long offset) {
    static final Place ANY = new Place(0, -1);
  }

  BufferReferences(JsonCursor cursor, PlanningProblem.Builder builder) {
    this.cursor = cursor;
    this.builder = builder;
  }

  void add(int buffer, int number, BufferParser.Draft draft) {
    if (draft.memId != 0) {
      memIds.add(draft.memId);
    }
    if (draft.memId != 0
        || draft.base != null
        || draft.offset >= 0
        || draft.address >= 0
        || draft.mustNotShare.length > 0
        || !draft.notBanks.isEmpty()
        || !draft.requires.isEmpty()
        || draft.device != null) {
      Reference reference = new Reference(buffer, number, draft);
      references.add(reference);
      byNumber.put(number, reference);
    }
  }

  /** Says that a number is that of a buffer outside the problem. */
  void leaveOut(int number) {
    leftOut.add(number);
  }

  Set<Integer> pinnedMemIds() {
    return memIds;
  }

  List<Diagnostic> resolve(
      Map<Integer, Integer> arenaByMemId,
      @Nullable MemoryMap banks,
      int buffers,
      boolean asExecutorch) {
    arenas = arenaByMemId;
    map = banks;
    count = buffers;
    for (Reference it : references) {
      resolveBase(it);
      resolveSeparations(it);
    }
    for (Reference it : references) {
      // ExecuTorch overlooks pins of what has a base; a bare pin of that asks nothing of anybody.
      if (it.draft.base == null || asExecutorch) {
        place(it, at(it));
      } else {
        pinStorage(it);
      }
    }
    for (Reference it : references) {
      restrict(it);
    }
    return faults;
  }

  /** Index of a buffer by its number, or -1 if it is left out. */
  private int index(int number) {
    int at = Collections.binarySearch(leftOut, number);
    return at >= 0 ? -1 : number - (-at - 1);
  }

  private void resolveBase(Reference it) {
    Integer base = it.draft.base;
    if (base == null) {
      return;
    }
    if (base >= count) {
      fault(
          it,
          "base",
          Kinds.INPUT_REFERENCE,
          "the storage base is buffer " + base + ", but there are only " + count);
      return;
    }
    int index = index(base);
    builder.storage(
        it.buffer, index < 0 ? PlanningProblem.UNPLACED_BASE : index, it.draft.baseOffset);
  }

  private void resolveSeparations(Reference it) {
    for (int other : it.draft.mustNotShare) {
      if (other >= count) {
        fault(
            it,
            "must_not_share",
            Kinds.INPUT_REFERENCE,
            "there is no buffer " + other + ", only " + count);
      } else if (index(other) >= 0) {
        builder.separate(it.buffer, index(other));
      }
    }
  }

  /** Where the members of a buffer itself say that it lies. */
  private Place at(Reference it) {
    BufferParser.Draft draft = it.draft;
    if (draft.address >= 0) {
      return atAddress(it);
    }
    if (draft.offset >= 0 && draft.memId == 0) {
      fault(
          it,
          "offset",
          Kinds.INPUT_MEMBER,
          "a fixed offset needs a mem_id, which says in which arena it is meant");
      return Place.ANY;
    }
    return new Place(draft.memId, draft.offset);
  }

  private Place atAddress(Reference it) {
    long address = it.draft.address;
    if (it.draft.offset >= 0) {
      fault(it, "address", Kinds.INPUT_MEMBER, "an address and an offset are both given");
      return Place.ANY;
    }
    @Nullable Bank found = null;
    for (Bank bank : map == null ? ImmutableList.<Bank>of() : map.banks()) {
      long base = bank.baseAddress().orElse(-1);
      if (base >= 0
          && base <= address
          && address - base < bank.sizeBytes()
          && (it.draft.memId == 0 || it.draft.memId == bank.memId())
          // Banks of several devices may have one address; that of the buffer's own is meant.
          && (found == null || bank.device().equals(device(it)))) {
        found = bank;
      }
    }
    if (found != null) {
      return new Place(found.memId(), address - found.baseAddress().orElseThrow());
    }
    String where = it.draft.memId == 0 ? "no bank" : "the bank of mem_id " + it.draft.memId;
    fault(
        it,
        "address",
        Kinds.INPUT_REFERENCE,
        "address " + address + " is in " + (it.draft.memId == 0 ? where : "no part of " + where));
    return Place.ANY;
  }

  private void place(Reference it, Place place) {
    if (place.memId != 0) {
      checkDevice(it, place.memId);
      builder.pin(it.buffer, arenas.getOrDefault(place.memId, -1));
    }
    if (place.offset >= 0) {
      builder.fixedOffset(it.buffer, place.offset);
    }
  }

  /** A pin on what lies in another buffer's bytes is a pin on that one. */
  private void pinStorage(Reference it) {
    Place place = at(it);
    if (place.memId == 0) {
      return;
    }
    Reference root = it;
    long into = 0;
    int steps = 0;
    while (root.draft.base != null && steps++ <= references.size()) {
      try {
        into = Math.addExact(into, root.draft.baseOffset);
      } catch (ArithmeticException e) {
        return; // The problem says so.
      }
      Reference base = byNumber.get(root.draft.base);
      if (base == null) {
        int index = root.draft.base < count ? index(root.draft.base) : -1;
        if (index < 0) {
          return; // It has no place in this plan.
        }
        base = new Reference(index, root.draft.base, new BufferParser.Draft());
        byNumber.put(base.number, base);
      }
      root = base;
    }
    if (root.draft.base != null) {
      return; // A cycle, which the problem reports.
    }
    Place of = at(root);
    long offset = place.offset < 0 ? -1 : place.offset - into;
    if ((of.memId != 0 && of.memId != place.memId)
        || (of.offset >= 0 && offset >= 0 && of.offset != offset)
        || (place.offset >= 0 && offset < 0)) {
      fault(
          it,
          it.draft.address >= 0 ? "address" : place.offset >= 0 ? "offset" : "mem_id",
          Kinds.CONSTRAINTS_CONFLICT,
          "buffer "
              + it.number
              + " is pinned to "
              + describe(place)
              + ", but lies "
              + into
              + " bytes into buffer "
              + root.number
              + ", which is pinned to "
              + describe(of));
      return;
    }
    root.draft.memId = place.memId;
    root.draft.offset = Math.max(of.offset, offset);
    root.draft.address = -1;
    place(root, new Place(root.draft.memId, root.draft.offset));
  }

  private static String describe(Place place) {
    return place.memId == 0
        ? "nothing"
        : "mem_id " + place.memId + (place.offset < 0 ? "" : ", offset " + place.offset);
  }

  /** The buffer in whose bytes one lies, as far as it says anything; itself without a base. */
  private @Nullable Reference root(Reference it) {
    @Nullable Reference root = it;
    for (int steps = 0; root != null && root.draft.base != null; steps++) {
      // A cycle is for the problem to report.
      root = steps > references.size() ? null : byNumber.get(root.draft.base);
    }
    return root;
  }

  /** The device of a buffer: its own, or without one that of what it lies in, or the CPU. */
  private Device device(Reference it) {
    if (it.draft.device != null) {
      return it.draft.device;
    }
    Reference root = root(it);
    return root == null || root.draft.device == null ? Device.CPU : root.draft.device;
  }

  /** True if a buffer is pinned, by itself or with what it lies in, to what no bank is. */
  private boolean isOutsideOfBanks(Reference it) {
    Reference root = root(it);
    int memId = root == null ? 0 : root.draft.memId;
    return map != null && memId != 0 && !map.manages(memId);
  }

  private void checkDevice(Reference it, int memId) {
    Device device = device(it);
    if (map != null && map.manages(memId) && !map.bank(memId).device().equals(device)) {
      fault(
          it,
          "mem_id",
          Kinds.INPUT_REFERENCE,
          "the buffer is on device "
              + device
              + ", but bank '"
              + map.bank(memId).name()
              + "' is on "
              + map.bank(memId).device());
    }
  }

  /** Keeps a buffer to the banks that it may go to. */
  private void restrict(Reference it) {
    BufferParser.Draft draft = it.draft;
    Device device = device(it);
    if (map == null) {
      if (!device.isCpu()) {
        fault(
            it,
            "device",
            Kinds.INPUT_UNSUPPORTED,
            "without banks this version cannot plan buffers on device '" + device + "'; only cpu");
      }
      if (!draft.requires.isEmpty()) {
        fault(it, "requires", Kinds.MAP_UNKNOWN_BANK, "the problem has no banks");
      }
      if (!draft.notBanks.isEmpty()) {
        fault(
            it,
            "not_banks",
            Kinds.MAP_UNKNOWN_BANK,
            "there is no bank called '" + draft.notBanks.get(0) + "'; the problem has no banks");
      }
      return;
    }
    ImmutableSet<String> names =
        map.banks().stream().map(Bank::name).collect(ImmutableSet.toImmutableSet());
    int before = faults.size();
    for (String name : draft.notBanks) {
      if (!names.contains(name)) {
        faults.add(
            cursor
                .errorAt(
                    Kinds.MAP_UNKNOWN_BANK,
                    it.draft.line,
                    path(it, "not_banks"),
                    "there is no bank called '" + name + "'")
                .help(Suggestions.help(name, names)));
      }
    }
    Set<String> known = new HashSet<>();
    map.banks().forEach(bank -> known.addAll(bank.attributes()));
    for (String attribute : draft.requires) {
      if (!known.contains(attribute)) {
        faults.add(
            cursor
                .errorAt(
                    Kinds.MAP_UNKNOWN_BANK,
                    it.draft.line,
                    path(it, "requires"),
                    "no bank has the attribute '" + attribute + "'")
                .help(
                    known.isEmpty()
                        ? "no bank has any attributes"
                        : Suggestions.help(attribute, new TreeSet<>(known))));
      }
    }
    if (faults.size() > before) {
      return;
    }
    Reference root = root(it);
    Device ofRoot = root == null ? Device.CPU : device(root);
    if (!device.equals(ofRoot)) {
      fault(
          it,
          "device",
          Kinds.INPUT_REFERENCE,
          "the buffer is on device "
              + device
              + ", but the buffer in whose bytes it lies is on "
              + ofRoot);
      return;
    }
    if (device.isCpu()
        && draft.requires.isEmpty()
        && (draft.notBanks.isEmpty() || isOutsideOfBanks(it))) {
      return;
    }
    List<Integer> members =
        map.banks().stream()
            .filter(bank -> bank.device().equals(device))
            .filter(bank -> !draft.notBanks.contains(bank.name()))
            .filter(bank -> bank.attributes().containsAll(draft.requires))
            .map(bank -> Objects.requireNonNull(arenas.get(bank.memId())))
            .collect(Collectors.toList());
    builder.arenaSet(
        it.buffer,
        sets.computeIfAbsent(
            members, m -> builder.addArenaSet(m.stream().mapToInt(a -> a).toArray())));
  }

  private void fault(Reference it, String member, DiagnosticKind kind, String message) {
    faults.add(cursor.errorAt(kind, it.draft.line, path(it, member), message));
  }

  private static String path(Reference it, String member) {
    return "buffers[" + it.number + "]." + member;
  }
}
