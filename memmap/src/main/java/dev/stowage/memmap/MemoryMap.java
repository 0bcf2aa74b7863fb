package dev.stowage.memmap;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import java.util.HashSet;
import java.util.Set;

/**
 * The banks of a target in order of preference, the fastest first. The order is preference only: a
 * bank is identified by its mem_id, and mem_ids may be sparse.
 */
public final class MemoryMap {
  private final ImmutableList<Bank> banks;

  private MemoryMap(ImmutableList<Bank> banks) {
    this.banks = banks;
  }

  /**
   * A map of the banks.
   *
   * @throws dev.stowage.base.DiagnosticException of a kind {@code map-*}, which names every fault
   */
  public static MemoryMap of(Iterable<Bank> banks) {
    MemoryMap map = new MemoryMap(ImmutableList.copyOf(banks));
    ImmutableList<Diagnostic> faults = map.faults();
    if (!faults.isEmpty()) {
      Diagnostic all = faults.get(0);
      for (Diagnostic other : faults.subList(1, faults.size())) {
        all = all.note("also: " + other.location().place() + ": " + other.message());
      }
      throw all.asException();
    }
    return map;
  }

  /** The banks, the preferred one first. */
  public ImmutableList<Bank> banks() {
    return banks;
  }

  private ImmutableList<Diagnostic> faults() {
    ImmutableList.Builder<Diagnostic> faults = ImmutableList.builder();
    if (banks.isEmpty()) {
      faults.add(
          Diagnostic.of(
              Kinds.MAP_EMPTY, Location.at("banks"), "a memory map needs at least one bank"));
    }
    Set<String> names = new HashSet<>();
    Set<Integer> memIds = new HashSet<>();
    for (int i = 0; i < banks.size(); i++) {
      Bank bank = banks.get(i);
      Location where = Location.at("banks[" + i + "]");
      if (!names.add(bank.name())) {
        faults.add(
            Diagnostic.of(
                Kinds.MAP_DUPLICATE, where, "another bank is called '" + bank.name() + "'"));
      }
      if (!memIds.add(bank.memId())) {
        faults.add(
            Diagnostic.of(Kinds.MAP_DUPLICATE, where, "another bank has mem_id " + bank.memId()));
      }
      if (bank.sizeBytes() < 1) {
        faults.add(belowOne(where, "size", bank.sizeBytes()));
      }
      if (bank.memId() < 1) {
        faults.add(belowOne(where, "mem_id", bank.memId()));
      }
      if (bank.alignment() < 0) {
        faults.add(belowOne(where, "alignment", bank.alignment()));
      }
    }
    return faults.build();
  }

  private static Diagnostic belowOne(Location where, String what, long value) {
    return Diagnostic.of(Kinds.MAP_VALUE, where, what + " is " + value + ", but must be 1 or more");
  }
}
