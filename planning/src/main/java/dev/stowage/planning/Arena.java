package dev.stowage.planning;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * Where buffers may be placed: a bank of the target, a pool, or simply the one arena of a plan.
 *
 * <p>Immutable; the {@code with...} methods return changed copies.
 */
public final class Arena {
  /** The capacity of an arena that may grow as it likes. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  private final int memId;
  private final String name;
  private final long capacityBytes;
  private final long reservedBytes;
  private final long paddingBytes;
  private final int alignment;
  private final long baseAddress;
  private final long maxAllocationBytes;
  private final long readCost;
  private final long writeCost;
  private final boolean open;

  private Arena(
      int memId,
      String name,
      long capacityBytes,
      long reservedBytes,
      long paddingBytes,
      int alignment,
      long baseAddress,
      long maxAllocationBytes,
      long readCost,
      long writeCost,
      boolean open) {
    checkArgument(memId >= 1, "mem_id is below 1: %s", memId);
    checkArgument(capacityBytes >= 0, "capacity is negative: %s", capacityBytes);
    checkArgument(reservedBytes >= 0, "reserved bytes are negative: %s", reservedBytes);
    checkArgument(paddingBytes >= 0, "padding is negative: %s", paddingBytes);
    checkArgument(alignment >= 0, "alignment is negative: %s", alignment);
    checkArgument(baseAddress >= 0, "base address is negative: %s", baseAddress);
    checkArgument(maxAllocationBytes > 0, "largest allocation is below 1: %s", maxAllocationBytes);
    this.memId = memId;
    this.name = name;
    this.capacityBytes = capacityBytes;
    this.reservedBytes = reservedBytes;
    this.paddingBytes = paddingBytes;
    this.alignment = alignment;
    this.baseAddress = baseAddress;
    this.maxAllocationBytes = maxAllocationBytes;
    this.readCost = readCost;
    this.writeCost = writeCost;
    this.open = open;
  }

  /** An open arena without limits, called {@code arena N}. */
  public static Arena of(int memId) {
    return new Arena(
        memId, "arena " + memId, UNLIMITED, 0, 0, 0, 0, UNLIMITED, 0, 0, /* open= */ true);
  }

  /** The number that stands for it in plans; 0 is for constants, so 1 or more. */
  public int memId() {
    return memId;
  }

  /** The bank's name, or {@code arena N}. */
  public String name() {
    return name;
  }

  /** Bytes that it holds, or {@link #UNLIMITED}. */
  public long capacityBytes() {
    return capacityBytes;
  }

  /** Bytes at its start that are taken; any number, aligned or not. */
  public long reservedBytes() {
    return reservedBytes;
  }

  /** Bytes added at its end where it holds something. */
  public long paddingBytes() {
    return paddingBytes;
  }

  /** Its own alignment in bytes, a multiple of the plan's; 0 where it takes the plan's. */
  public int alignment() {
    return alignment;
  }

  /** The address of its first byte. */
  public long baseAddress() {
    return baseAddress;
  }

  /** The largest single allocation, in bytes, or {@link #UNLIMITED}. */
  public long maxAllocationBytes() {
    return maxAllocationBytes;
  }

  /** Cost of reading a byte, in millionths. */
  public long readCost() {
    return readCost;
  }

  /** Cost of writing a byte, in millionths. */
  public long writeCost() {
    return writeCost;
  }

  /** False where only what is pinned to it may be placed in it. */
  public boolean open() {
    return open;
  }

  /** A copy with another name. */
  public Arena withName(String newName) {
    return new Arena(
        memId,
        newName,
        capacityBytes,
        reservedBytes,
        paddingBytes,
        alignment,
        baseAddress,
        maxAllocationBytes,
        readCost,
        writeCost,
        open);
  }

  /** A copy with a capacity in bytes. */
  public Arena withCapacity(long newCapacityBytes) {
    return new Arena(
        memId,
        name,
        newCapacityBytes,
        reservedBytes,
        paddingBytes,
        alignment,
        baseAddress,
        maxAllocationBytes,
        readCost,
        writeCost,
        open);
  }

  /** A copy with bytes reserved at its start and padding at its end. */
  public Arena withReserved(long newReservedBytes, long newPaddingBytes) {
    return new Arena(
        memId,
        name,
        capacityBytes,
        newReservedBytes,
        newPaddingBytes,
        alignment,
        baseAddress,
        maxAllocationBytes,
        readCost,
        writeCost,
        open);
  }

  /** A copy with an alignment of its own and the address of its first byte. */
  public Arena withAlignment(int newAlignment, long newBaseAddress) {
    return new Arena(
        memId,
        name,
        capacityBytes,
        reservedBytes,
        paddingBytes,
        newAlignment,
        newBaseAddress,
        maxAllocationBytes,
        readCost,
        writeCost,
        open);
  }

  /** A copy with a limit on single allocations. */
  public Arena withMaxAllocation(long newMaxAllocationBytes) {
    return new Arena(
        memId,
        name,
        capacityBytes,
        reservedBytes,
        paddingBytes,
        alignment,
        baseAddress,
        newMaxAllocationBytes,
        readCost,
        writeCost,
        open);
  }

  /** A copy with costs of access, in millionths a byte. */
  public Arena withCosts(long newReadCost, long newWriteCost) {
    return new Arena(
        memId,
        name,
        capacityBytes,
        reservedBytes,
        paddingBytes,
        alignment,
        baseAddress,
        maxAllocationBytes,
        newReadCost,
        newWriteCost,
        open);
  }

  /** A copy that takes pins only. */
  public Arena closed() {
    return new Arena(
        memId,
        name,
        capacityBytes,
        reservedBytes,
        paddingBytes,
        alignment,
        baseAddress,
        maxAllocationBytes,
        readCost,
        writeCost,
        /* open= */ false);
  }

  @Override
  public String toString() {
    return name + " (mem_id " + memId + ")";
  }
}
