package dev.stowage.memmap;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.ByteSize;
import dev.stowage.base.Device;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Finds everything that is wrong with a list of banks, in this order: no banks, names, mem_ids,
 * then the values bank by bank, then overlaps. The place of a fault is the member that has it, such
 * as {@code banks[2].size}.
 */
final class MapFaults {
  private static final Pattern KEBAB = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

  private final ImmutableList<Bank> banks;
  private final ImmutableList.Builder<Diagnostic> faults = ImmutableList.builder();

  private MapFaults(ImmutableList<Bank> banks) {
    this.banks = banks;
  }

  static ImmutableList<Diagnostic> of(ImmutableList<Bank> banks) {
    MapFaults found = new MapFaults(banks);
    found.findAll();
    return found.faults.build();
  }

  private void findAll() {
    if (banks.stream().noneMatch(Bank::planned)) {
      faults.add(
          Diagnostic.of(
              Kinds.MAP_EMPTY,
              Location.at("banks"),
              banks.isEmpty()
                  ? "a memory map needs at least one bank"
                  : "a memory map needs at least one bank that does not hold constants only"));
    }
    findDuplicates();
    for (int i = 0; i < banks.size(); i++) {
      checkValues(i, banks.get(i));
      checkReserved(i, banks.get(i));
    }
    findOverlaps();
  }

  private void findDuplicates() {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < banks.size(); i++) {
      if (!names.add(banks.get(i).name())) {
        add(Kinds.MAP_DUPLICATE, i, "name", "another bank is called '" + banks.get(i).name() + "'");
      }
    }
    Set<Integer> memIds = new HashSet<>();
    for (int i = 0; i < banks.size(); i++) {
      Bank bank = banks.get(i);
      if (bank.planned() && !memIds.add(bank.memId())) {
        add(Kinds.MAP_DUPLICATE, i, "mem_id", "another bank has mem_id " + bank.memId());
      }
    }
  }

  private void checkValues(int i, Bank bank) {
    if (bank.name().isBlank()) {
      add(Kinds.MAP_VALUE, i, "name", "a bank needs a name");
    }
    checkAtLeast(i, "size", bank.sizeBytes(), 1);
    // 0 is how a bank says that it has none of its own.
    checkRange(i, "alignment", bank.alignment() == 0 ? 1 : bank.alignment(), Bank.MAX_ALIGNMENT);
    if (bank.planned()) {
      checkRange(i, "mem_id", bank.memId(), Bank.MAX_MEM_ID);
    } else if (bank.memId() != 0) {
      add(
          Kinds.MAP_VALUE,
          i,
          "mem_id",
          "mem_id is " + bank.memId() + ", but a bank that holds constants only has none");
    }
    checkAtLeast(i, "read_cost", bank.readCost(), 0);
    checkAtLeast(i, "write_cost", bank.writeCost(), 0);
    checkAtLeast(i, "max_allocation", bank.maxAllocationBytes(), 1);
    for (String attribute : bank.attributes()) {
      if (!KEBAB.matcher(attribute).matches()) {
        add(
            Kinds.MAP_VALUE,
            i,
            "attributes",
            "the attribute '" + attribute + "' is no word in kebab-case, such as dma");
      }
    }
    if (bank.baseAddress().isPresent()) {
      long base = bank.baseAddress().getAsLong();
      checkAtLeast(i, "base_address", base, 0);
      if (base > 0 && bank.sizeBytes() > Long.MAX_VALUE - base) {
        add(
            Kinds.MAP_VALUE,
            i,
            "base_address",
            "the address "
                + hex(base)
                + " and the size "
                + bank.sizeBytes()
                + " add up to more than 2^63 - 1");
      }
    }
  }

  private void checkReserved(int i, Bank bank) {
    List<ReservedRange> inside = new ArrayList<>();
    for (int r = 0; r < bank.reserved().size(); r++) {
      ReservedRange range = bank.reserved().get(r);
      String member = "reserved[" + r + "]";
      checkAtLeast(i, member + ".offset", range.offsetBytes(), 0);
      checkAtLeast(i, member + ".size", range.sizeBytes(), 1);
      if (range.owner().isBlank()) {
        add(Kinds.MAP_VALUE, i, member + ".owner", "a reserved range needs an owner");
      }
      if (range.offsetBytes() < 0 || range.sizeBytes() < 1) {
        continue;
      }
      if (bank.sizeBytes() >= 1
          && (range.sizeBytes() > bank.sizeBytes()
              || range.offsetBytes() > bank.sizeBytes() - range.sizeBytes())) {
        add(
            Kinds.MAP_OVERLAP,
            i,
            member,
            "the range "
                + range
                + " leaves the bank, which has "
                + ByteSize.exact(bank.sizeBytes())
                + " bytes");
        continue;
      }
      inside.add(range);
    }
    inside.sort(Comparator.comparingLong(ReservedRange::offsetBytes));
    for (int r = 1; r < inside.size(); r++) {
      ReservedRange before = inside.get(r - 1);
      ReservedRange after = inside.get(r);
      if (after.offsetBytes() - before.offsetBytes() < before.sizeBytes()) {
        add(
            Kinds.MAP_OVERLAP,
            i,
            "reserved",
            "the ranges " + before + " and " + after + " overlap");
      }
    }
  }

  /**
   * Banks of a device that have bytes in common with one before them, by their addresses. In order
   * of address, it is enough to compare each with the one before that reaches furthest.
   */
  private void findOverlaps() {
    Comparator<Integer> byAddress = Comparator.comparingLong(i -> base(banks.get(i)));
    Map<Device, Integer> furthest = new HashMap<>();
    IntStream.range(0, banks.size())
        .filter(i -> hasKnownBytes(banks.get(i)))
        .boxed()
        .sorted(byAddress)
        .forEach(
            i -> {
              Bank bank = banks.get(i);
              Integer other = furthest.get(bank.device());
              if (other != null
                  && base(bank) - base(banks.get(other)) < banks.get(other).sizeBytes()) {
                add(
                    Kinds.MAP_OVERLAP,
                    i,
                    "base_address",
                    "the bytes "
                        + bytes(bank)
                        + " overlap those of bank '"
                        + banks.get(other).name()
                        + "', "
                        + bytes(banks.get(other)));
              }
              if (other == null || end(bank) > end(banks.get(other))) {
                furthest.put(bank.device(), i);
              }
            });
  }

  private static boolean hasKnownBytes(Bank bank) {
    return bank.baseAddress().isPresent()
        && base(bank) >= 0
        && bank.sizeBytes() >= 1
        && bank.sizeBytes() <= Long.MAX_VALUE - base(bank);
  }

  private static long end(Bank bank) {
    return base(bank) + bank.sizeBytes();
  }

  private static String bytes(Bank bank) {
    return hex(base(bank)) + " to " + hex(end(bank) - 1);
  }

  private static long base(Bank bank) {
    return bank.baseAddress().orElseThrow();
  }

  private static String hex(long address) {
    return "0x" + Long.toHexString(address);
  }

  private void checkAtLeast(int i, String member, long value, int least) {
    if (value < least) {
      add(Kinds.MAP_VALUE, i, member, below(member, value, least));
    }
  }

  private void checkRange(int i, String member, int value, int most) {
    checkAtLeast(i, member, value, 1);
    if (value > most) {
      add(Kinds.MAP_VALUE, i, member, member + " is " + value + ", but must be from 1 to " + most);
    }
  }

  private static String below(String member, long value, int least) {
    String word = member.substring(member.lastIndexOf('.') + 1);
    return word + " is " + value + ", but must be " + least + " or more";
  }

  private void add(DiagnosticKind kind, int bank, String member, String message) {
    faults.add(Diagnostic.of(kind, Location.at("banks[" + bank + "]." + member), message));
  }
}
