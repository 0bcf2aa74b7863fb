package dev.stowage.memmap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Device;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A sized region of a target: where it is, what it can do, and how much of it may be used.
 *
 * <p>A bank by itself is not checked; that is done where it becomes part of a {@link MemoryMap},
 * which reports all faults of all its banks at once. Immutable.
 */
public final class Bank {
  /** The largest alignment that a bank may have, in bytes. */
  public static final int MAX_ALIGNMENT = 1 << 30;

  /** The largest mem_id that a bank may have. */
  public static final int MAX_MEM_ID = 65_535;

  /** The largest single allocation of a bank that does not limit it. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  /** What the costs are counted in: so many make up 1. */
  public static final int COST_UNIT = 1_000_000;

  private final Builder values;

  private Bank(Builder values) {
    this.values = values;
  }

  /**
   * Begins a bank in which tensors may be placed.
   *
   * @param name unique in its map
   * @param sizeBytes capacity, at least 1; for a budget smaller than the region, the budget
   * @param memId the arena number that stands for it in plans, at least 1, unique in its map
   */
  public static Builder builder(String name, long sizeBytes, int memId) {
    return new Builder(name, sizeBytes).memId(memId);
  }

  /**
   * Begins a bank that holds constants only, such as flash. It has no mem_id, and nothing is
   * planned there.
   *
   * @param name unique in its map
   * @param sizeBytes capacity, at least 1
   */
  public static Builder constantsOnly(String name, long sizeBytes) {
    return new Builder(name, sizeBytes).constantsOnly();
  }

  /** Begins a bank that is like this one. */
  public Builder toBuilder() {
    return new Builder(values);
  }

  /** What it is called; unique in its map. */
  public String name() {
    return values.name;
  }

  /** Capacity in bytes. */
  public long sizeBytes() {
    return values.sizeBytes;
  }

  /** The arena number that stands for it in plans; 0 for a bank that holds constants only. */
  public int memId() {
    return values.memId;
  }

  /** Bytes that offsets are multiples of; 0 where it has none of its own and takes the plan's. */
  public int alignment() {
    return values.alignment;
  }

  /** The device whose tensors may be placed in it. */
  public Device device() {
    return values.device;
  }

  /** The address of its first byte, 0 or more; empty where it is not known, such as with paging. */
  public OptionalLong baseAddress() {
    return values.baseAddress;
  }

  /** What it costs to read a byte, in millionths of whatever the map counts in; 0 if unknown. */
  public long readCost() {
    return values.readCost;
  }

  /** What it costs to write a byte, in millionths of whatever the map counts in; 0 if unknown. */
  public long writeCost() {
    return values.writeCost;
  }

  /** What it can do: words in kebab-case, such as those in {@link BankAttributes}. */
  public ImmutableSet<String> attributes() {
    return values.attributes;
  }

  /** The parts of it that somebody else owns, in any order. */
  public ImmutableList<ReservedRange> reserved() {
    return values.reserved;
  }

  /** The largest single allocation in bytes, or {@link #UNLIMITED}. */
  public long maxAllocationBytes() {
    return values.maxAllocationBytes;
  }

  /** True if constants, such as weights, may live there. */
  public boolean constants() {
    return values.constants;
  }

  /** True if tensors may be placed in it: all but those that hold constants only. */
  public boolean planned() {
    return values.planned;
  }

  /** The section of the linker script that stands for it. */
  public Optional<String> section() {
    return values.section;
  }

  /** Where its figures come from, such as a section of a manual; empty if that is not said. */
  public Optional<String> source() {
    return values.source;
  }

  private List<Object> fields() {
    return ImmutableList.of(
        name(),
        sizeBytes(),
        memId(),
        alignment(),
        device(),
        baseAddress(),
        readCost(),
        writeCost(),
        attributes(),
        reserved(),
        maxAllocationBytes(),
        constants(),
        planned(),
        section(),
        source());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bank bank && fields().equals(bank.fields());
  }

  @Override
  public int hashCode() {
    return fields().hashCode();
  }

  /** {@code dtcm(mem_id=2, size=131072)}. */
  @Override
  public String toString() {
    return name()
        + "("
        + (planned() ? "mem_id=" + memId() : "constants")
        + ", size="
        + sizeBytes()
        + ")";
  }

  /** Puts a bank together. */
  public static final class Builder {
    private final String name;
    private long sizeBytes;
    private int memId;
    private int alignment;
    private Device device = Device.CPU;
    private OptionalLong baseAddress = OptionalLong.empty();
    private long readCost;
    private long writeCost;
    private ImmutableSet<String> attributes = ImmutableSet.of();
    private ImmutableList<ReservedRange> reserved = ImmutableList.of();
    private long maxAllocationBytes = UNLIMITED;
    private boolean constants;
    private boolean planned = true;
    private Optional<String> section = Optional.empty();
    private Optional<String> source = Optional.empty();

    private Builder(String name, long sizeBytes) {
      this.name = name;
      this.sizeBytes = sizeBytes;
    }

    private Builder(Builder other) {
      name = other.name;
      sizeBytes = other.sizeBytes;
      memId = other.memId;
      alignment = other.alignment;
      device = other.device;
      baseAddress = other.baseAddress;
      readCost = other.readCost;
      writeCost = other.writeCost;
      attributes = other.attributes;
      reserved = other.reserved;
      maxAllocationBytes = other.maxAllocationBytes;
      constants = other.constants;
      planned = other.planned;
      section = other.section;
      source = other.source;
    }

    /** Capacity in bytes, at least 1. */
    public Builder size(long bytes) {
      sizeBytes = bytes;
      return this;
    }

    /** The arena number, at least 1. */
    public Builder memId(int number) {
      memId = number;
      return this;
    }

    /** Bytes that offsets are multiples of; 0, as without it, to take the plan's. */
    public Builder alignment(int bytes) {
      alignment = bytes;
      return this;
    }

    /** The device whose tensors may be placed in it; {@link Device#CPU} without it. */
    public Builder device(Device newDevice) {
      device = newDevice;
      return this;
    }

    /** The address of its first byte, 0 or more. */
    public Builder baseAddress(long address) {
      baseAddress = OptionalLong.of(address);
      return this;
    }

    /** Where its bytes are is not known, and so what of them is reserved is not either. */
    Builder withoutBytes() {
      baseAddress = OptionalLong.empty();
      reserved = ImmutableList.of();
      return this;
    }

    /** What it costs to read a byte, in millionths, 0 or more. */
    public Builder readCost(long millionths) {
      readCost = millionths;
      return this;
    }

    /** What it costs to write a byte, in millionths, 0 or more. */
    public Builder writeCost(long millionths) {
      writeCost = millionths;
      return this;
    }

    /** What it can do: words in kebab-case, in place of those so far. */
    public Builder attributes(Iterable<String> words) {
      attributes = ImmutableSet.copyOf(words);
      return this;
    }

    /** The parts that somebody else owns, in place of those so far. */
    public Builder reserved(Iterable<ReservedRange> ranges) {
      reserved = ImmutableList.copyOf(ranges);
      return this;
    }

    /** The largest single allocation in bytes, at least 1. */
    public Builder maxAllocation(long bytes) {
      maxAllocationBytes = bytes;
      return this;
    }

    /** Whether constants may live there, beside tensors. */
    public Builder constants(boolean allowed) {
      constants = allowed;
      planned = true;
      return this;
    }

    /** Constants may live there, and tensors may not; then it has no mem_id. */
    Builder constantsOnly() {
      constants = true;
      planned = false;
      memId = 0;
      return this;
    }

    /** The section of the linker script that stands for it. */
    public Builder section(String newSection) {
      section = Optional.of(newSection);
      return this;
    }

    /** Where its figures come from. */
    public Builder source(String newSource) {
      source = Optional.of(newSource);
      return this;
    }

    /** The bank, not checked yet. */
    public Bank build() {
      return new Bank(new Builder(this));
    }
  }
}
