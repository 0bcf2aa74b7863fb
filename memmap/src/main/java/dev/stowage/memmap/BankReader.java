package dev.stowage.memmap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Device;
import dev.stowage.base.Kinds;
import dev.stowage.base.json.JsonCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reads the list of banks of a file. */
final class BankReader {
  private static final ImmutableSet<String> MEMBERS =
      ImmutableSet.of(
          "name",
          "size",
          "mem_id",
          "alignment",
          "device",
          "base_address",
          "read_cost",
          "write_cost",
          "attributes",
          "reserved",
          "max_allocation",
          "constants",
          "section",
          "source",
          "remove");

  private static final ImmutableSet<String> RESERVED_MEMBERS =
      ImmutableSet.of("offset", "size", "owner");

  /** Digits after the point of a cost, which is kept in millionths. */
  private static final int COST_DIGITS = 6;

  private final JsonCursor cursor;
  private final Faults faults;

  BankReader(JsonCursor cursor, Faults faults) {
    this.cursor = cursor;
    this.faults = faults;
  }

  /** The drafts of the banks; where the value at the cursor is no list, a fault and none. */
  ImmutableList<BankDraft> read() {
    ImmutableList.Builder<BankDraft> drafts = ImmutableList.builder();
    faults.read(
        "banks",
        () -> {
          cursor.beginArray();
          for (int i = 0; cursor.nextElement(); i++) {
            BankDraft draft = new BankDraft("banks[" + i + "]");
            drafts.add(draft);
            int before = faults.count();
            faults.read(draft.path, () -> readBank(draft));
            draft.faulty = faults.count() > before;
          }
          return true;
        });
    return drafts.build();
  }

  private boolean readBank(BankDraft draft) {
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      draft.members++;
      String path = draft.path + "." + member;
      if (!MEMBERS.contains(member)) {
        faults.unknownMember(member, MEMBERS);
        continue;
      }
      Consumer<Bank.Builder> edit = faults.read(path, () -> readMember(draft, path));
      if (edit != null) {
        draft.edits.add(edit);
      }
    }
    return true;
  }

  /** Reads a member; gives what it does to a bank, beside what the draft keeps of it. */
  private Consumer<Bank.Builder> readMember(BankDraft draft, String path) {
    String member = path.substring(path.lastIndexOf('.') + 1);
    switch (member) {
      case "name" -> draft.name = cursor.text();
      // Numbers below 1 are the map's to refuse.
      case "size" ->
          draft.sizeBytes =
              cursor.isText() ? cursor.bytes() : cursor.integer(Long.MIN_VALUE, Long.MAX_VALUE);
      case "mem_id" -> draft.memId = cursor.integer(Integer.MIN_VALUE, Integer.MAX_VALUE);
      default -> {
        return optional(draft, path, member);
      }
    }
    return bank -> {};
  }

  private Consumer<Bank.Builder> optional(BankDraft draft, String path, String member) {
    if (cursor.isNull() && !member.equals("alignment")) {
      return bank -> {};
    }
    switch (member) {
      case "alignment" -> {
        int bytes = cursor.isNull() ? 0 : alignment();
        return bank -> bank.alignment(bytes);
      }
      case "device" -> {
        Device device = device();
        return bank -> bank.device(device);
      }
      case "base_address" -> {
        // Numbers below 0 are the map's to refuse.
        long address =
            cursor.isText()
                ? Addresses.read(cursor)
                : cursor.integer(Long.MIN_VALUE, Long.MAX_VALUE);
        return bank -> bank.baseAddress(address);
      }
      case "read_cost" -> {
        long cost = cursor.fixedPoint(COST_DIGITS);
        return bank -> bank.readCost(cost);
      }
      case "write_cost" -> {
        long cost = cursor.fixedPoint(COST_DIGITS);
        return bank -> bank.writeCost(cost);
      }
      case "attributes" -> {
        List<String> words = faults.readTexts(path);
        return bank -> bank.attributes(words);
      }
      case "reserved" -> {
        List<ReservedRange> ranges = reserved(path);
        return bank -> bank.reserved(ranges);
      }
      case "max_allocation" -> {
        long bytes =
            cursor.isText() ? cursor.bytes() : cursor.integer(Long.MIN_VALUE, Long.MAX_VALUE);
        return bank -> bank.maxAllocation(bytes);
      }
      case "constants" -> {
        return constants(draft);
      }
      case "section" -> {
        String section = cursor.text();
        return bank -> bank.section(section);
      }
      case "source" -> {
        String source = cursor.text();
        return bank -> bank.source(source);
      }
      case "remove" -> {
        draft.removed = cursor.bool();
        return bank -> {};
      }
      default -> throw new AssertionError(member);
    }
  }

  private int alignment() {
    int bytes = cursor.integer(Integer.MIN_VALUE, Integer.MAX_VALUE);
    if (bytes == 0) {
      // A bank says "none of its own" by null; the map knows only 0 for it.
      throw cursor
          .error(Kinds.MAP_VALUE, "alignment is 0, but must be 1 or more")
          .help("leave it out, or write null, for the plan's alignment")
          .asException();
    }
    return bytes;
  }

  private Device device() {
    try {
      return Device.parse(cursor.text());
    } catch (IllegalArgumentException e) {
      throw cursor.error(Kinds.INPUT_MEMBER, String.valueOf(e.getMessage())).asException();
    }
  }

  private Consumer<Bank.Builder> constants(BankDraft draft) {
    if (cursor.isText()) {
      if (!cursor.text().equals("only")) {
        throw cursor.unknownWord("word", cursor.text(), ImmutableSet.of("only"));
      }
      draft.constantsOnly = true;
      return Bank.Builder::constantsOnly;
    }
    boolean allowed = cursor.bool();
    return bank -> bank.constants(allowed);
  }

  private List<ReservedRange> reserved(String path) {
    List<ReservedRange> ranges = new ArrayList<>();
    cursor.beginArray();
    for (int i = 0; cursor.nextElement(); i++) {
      String range = path + "[" + i + "]";
      int before = faults.count();
      ReservedRange read = faults.read(range, () -> range(range));
      if (read != null && faults.count() == before) {
        ranges.add(read);
      }
    }
    return ranges;
  }

  private ReservedRange range(String path) {
    Long offset = null;
    Long size = null;
    String owner = null;
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      String where = path + "." + member;
      switch (member) {
        case "offset" -> offset = faults.read(where, cursor::bytes);
        case "size" -> size = faults.read(where, cursor::bytes);
        case "owner" -> owner = faults.read(where, cursor::text);
        default -> faults.unknownMember(member, RESERVED_MEMBERS);
      }
    }
    faults.checkPresent(path, "offset");
    faults.checkPresent(path, "size");
    faults.checkPresent(path, "owner");
    return new ReservedRange(
        offset == null ? 0 : offset, size == null ? 0 : size, owner == null ? "" : owner);
  }
}
