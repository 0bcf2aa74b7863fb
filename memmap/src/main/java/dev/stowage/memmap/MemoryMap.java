package dev.stowage.memmap;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import dev.stowage.base.ByteSize;
import dev.stowage.base.Device;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Suggestions;
import java.util.Comparator;

/**
 * The banks of a target in order of preference, the fastest first. The order is preference only: a
 * bank is identified by its mem_id, and mem_ids may be sparse.
 *
 * <p>A map may declare a part of the target's arenas only. What it does not declare is not its to
 * fill: a tensor gets there only where somebody pins it.
 *
 * <p>Banks that hold constants only are on the map, but not among {@link #banks}.
 */
public final class MemoryMap {
  private final ImmutableList<Bank> all;
  private final ImmutableList<Bank> planned;

  private MemoryMap(ImmutableList<Bank> all) {
    this.all = all;
    planned = all.stream().filter(Bank::planned).collect(ImmutableList.toImmutableList());
  }

  /**
   * A map of the banks.
   *
   * @throws DiagnosticException of a kind {@code map-*}, which names every fault
   */
  public static MemoryMap of(Iterable<Bank> banks) {
    ImmutableList<Bank> all = ImmutableList.copyOf(banks);
    ImmutableList<Diagnostic> faults = MapFaults.of(all);
    if (!faults.isEmpty()) {
      throw Diagnostic.joined(faults).asException();
    }
    return new MemoryMap(all);
  }

  /** Begins a map. */
  public static Builder builder() {
    return new Builder();
  }

  /** The banks in which tensors may be placed, the preferred one first; at least one. */
  public ImmutableList<Bank> banks() {
    return planned;
  }

  /** The banks that may hold constants, the preferred one first; perhaps none. */
  public ImmutableList<Bank> constantBanks() {
    return all.stream().filter(Bank::constants).collect(ImmutableList.toImmutableList());
  }

  /** All banks, also those that hold constants only, in the order of the declaration. */
  public ImmutableList<Bank> allBanks() {
    return all;
  }

  /** The mem_ids of {@link #banks}, in order of preference. */
  public ImmutableList<Integer> memIds() {
    return planned.stream().map(Bank::memId).collect(ImmutableList.toImmutableList());
  }

  /** True if a bank has this mem_id. */
  public boolean manages(int memId) {
    return planned.stream().anyMatch(bank -> bank.memId() == memId);
  }

  /**
   * The bank of a mem_id.
   *
   * @throws DiagnosticException of kind {@code map-unknown-bank}
   */
  public Bank bank(int memId) {
    for (Bank bank : planned) {
      if (bank.memId() == memId) {
        return bank;
      }
    }
    throw Diagnostic.of(Kinds.MAP_UNKNOWN_BANK, "the memory map has no bank with mem_id " + memId)
        .help("it has " + this)
        .asException();
  }

  /**
   * The bank of a name.
   *
   * @throws DiagnosticException of kind {@code map-unknown-bank}, with the nearest name
   */
  public Bank bank(String name) {
    for (Bank bank : planned) {
      if (bank.name().equals(name)) {
        return bank;
      }
    }
    boolean constantsOnly = all.stream().anyMatch(bank -> bank.name().equals(name));
    throw Diagnostic.of(
            Kinds.MAP_UNKNOWN_BANK,
            constantsOnly
                ? "no tensors are placed in bank '" + name + "', which holds constants only"
                : "the memory map has no bank '" + name + "'")
        .help(
            Suggestions.help(
                name, planned.stream().map(Bank::name).collect(ImmutableList.toImmutableList())))
        .asException();
  }

  /** The devices that have banks for tensors, the host first. */
  public ImmutableSortedSet<Device> devices() {
    return planned.stream()
        .map(Bank::device)
        .collect(ImmutableSortedSet.toImmutableSortedSet(Comparator.naturalOrder()));
  }

  /** The banks for tensors of a device, the preferred one first; none if it has none. */
  public ImmutableList<Bank> banksOf(Device device) {
    return planned.stream()
        .filter(bank -> bank.device().equals(device))
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MemoryMap map && all.equals(map.all);
  }

  @Override
  public int hashCode() {
    return all.hashCode();
  }

  /** All banks with their sizes, for people: {@code dtcm 128KiB, sram 512KiB}. */
  public String describe() {
    return all.stream()
        .map(bank -> bank.name() + " " + ByteSize.compact(bank.sizeBytes()))
        .collect(joining(", "));
  }

  /** {@code dtcm(mem_id=2, size=131072), sram(mem_id=1, size=524288)}. */
  @Override
  public String toString() {
    return all.stream().map(Bank::toString).collect(joining(", "));
  }

  /** Puts a map together. */
  public static final class Builder {
    private final ImmutableList.Builder<Bank> banks = ImmutableList.builder();

    private Builder() {}

    /** Adds a bank, which is less preferred than those added before. */
    public Builder add(Bank bank) {
      banks.add(bank);
      return this;
    }

    /**
     * The map.
     *
     * @throws DiagnosticException of a kind {@code map-*}, which names every fault
     */
    public MemoryMap build() {
      return of(banks.build());
    }
  }
}
