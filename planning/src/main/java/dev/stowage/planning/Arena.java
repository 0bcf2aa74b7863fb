package dev.stowage.planning;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Comparator.comparingLong;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Message;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.ReservedRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

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
  private final ImmutableList<ReservedRange> reservedRanges;

  private Arena(Draft draft) {
    checkArgument(draft.memId >= 1, "mem_id is below 1: %s", draft.memId);
    checkArgument(draft.capacityBytes >= 0, "capacity is negative: %s", draft.capacityBytes);
    checkArgument(draft.reservedBytes >= 0, "reserved bytes are negative: %s", draft.reservedBytes);
    checkArgument(draft.paddingBytes >= 0, "padding is negative: %s", draft.paddingBytes);
    checkArgument(draft.alignment >= 0, "alignment is negative: %s", draft.alignment);
    checkArgument(draft.baseAddress >= 0, "base address is negative: %s", draft.baseAddress);
    checkArgument(
        draft.maxAllocationBytes > 0,
        "largest allocation is below 1: %s",
        draft.maxAllocationBytes);
    memId = draft.memId;
    name = draft.name;
    capacityBytes = draft.capacityBytes;
    reservedBytes = draft.reservedBytes;
    paddingBytes = draft.paddingBytes;
    alignment = draft.alignment;
    baseAddress = draft.baseAddress;
    maxAllocationBytes = draft.maxAllocationBytes;
    readCost = draft.readCost;
    writeCost = draft.writeCost;
    open = draft.open;
    reservedRanges = draft.reservedRanges;
  }

  /** An open arena without limits, called {@code arena N}. */
  public static Arena of(int memId) {
    return new Arena(new Draft(memId));
  }

  /** A bank of a target as an open arena, with everything but its device and its attributes. */
  public static Arena of(Bank bank) {
    return of(bank.memId())
        .withName(bank.name())
        .withCapacity(bank.sizeBytes())
        .withAlignment(bank.alignment(), bank.baseAddress().orElse(0))
        .withMaxAllocation(bank.maxAllocationBytes())
        .withCosts(bank.readCost(), bank.writeCost())
        .withReservedRanges(bank.reserved());
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

  /**
   * Where buffers must end: the capacity without the padding, 0 or more, or {@link #UNLIMITED}.
   * What is only read past their ends may lie in the padding.
   */
  public long usableEndBytes() {
    return capacityBytes == UNLIMITED ? UNLIMITED : Math.max(0, capacityBytes - paddingBytes);
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

  /** True if a plan answers for its size: it is open, or a bank with a capacity. */
  public boolean managed() {
    return open || capacityBytes != UNLIMITED;
  }

  /** Ranges in which nothing may be placed, in the order of their offsets; they do not overlap. */
  public ImmutableList<ReservedRange> reservedRanges() {
    return reservedRanges;
  }

  /** A copy with another name. */
  public Arena withName(String newName) {
    return changed(draft -> draft.name = newName);
  }

  /** A copy with a capacity in bytes. */
  public Arena withCapacity(long newCapacityBytes) {
    return changed(draft -> draft.capacityBytes = newCapacityBytes);
  }

  /** A copy with bytes reserved at its start and padding at its end. */
  public Arena withReserved(long newReservedBytes, long newPaddingBytes) {
    return changed(
        draft -> {
          draft.reservedBytes = newReservedBytes;
          draft.paddingBytes = newPaddingBytes;
        });
  }

  /** A copy with an alignment of its own and the address of its first byte. */
  public Arena withAlignment(int newAlignment, long newBaseAddress) {
    return changed(
        draft -> {
          draft.alignment = newAlignment;
          draft.baseAddress = newBaseAddress;
        });
  }

  /** A copy with a limit on single allocations, in bytes. */
  public Arena withMaxAllocation(long newMaxAllocationBytes) {
    return changed(draft -> draft.maxAllocationBytes = newMaxAllocationBytes);
  }

  /** A copy with costs of access, in millionths a byte. */
  public Arena withCosts(long newReadCost, long newWriteCost) {
    return changed(
        draft -> {
          draft.readCost = newReadCost;
          draft.writeCost = newWriteCost;
        });
  }

  /**
   * A copy with ranges in which nothing may be placed.
   *
   * @throws IllegalArgumentException if one is empty or ends above 2^63 - 1, or two overlap
   */
  public Arena withReservedRanges(Iterable<ReservedRange> ranges) {
    ImmutableList<ReservedRange> sorted =
        ImmutableList.sortedCopyOf(comparingLong(ReservedRange::offsetBytes), ranges);
    for (ReservedRange range : sorted) {
      checkArgument(
          range.offsetBytes() >= 0
              && range.sizeBytes() >= 1
              && range.sizeBytes() <= Long.MAX_VALUE - range.offsetBytes(),
          "no range of bytes: %s",
          range);
    }
    for (int i = 1; i < sorted.size(); i++) {
      checkArgument(
          sorted.get(i - 1).endBytes() <= sorted.get(i).offsetBytes(),
          "reserved ranges overlap at %s",
          sorted.get(i).offsetBytes());
    }
    return changed(draft -> draft.reservedRanges = sorted);
  }

  /** A copy that takes pins only. */
  public Arena closed() {
    return changed(draft -> draft.open = false);
  }

  /**
   * What of it is not for buffers, as a clause for messages: what is reserved and for whom, and the
   * padding. Empty if nothing is, or if it has no capacity.
   */
  public Optional<String> describeTaken() {
    List<String> taken = new ArrayList<>();
    if (reservedBytes > 0) {
      taken.add(Message.format("%,d reserved at its start", reservedBytes));
    }
    for (ReservedRange range : reservedRanges) {
      long end = Math.min(range.endBytes(), capacityBytes);
      if (range.offsetBytes() < end) {
        taken.add(Message.format("%,d reserved for %s", end - range.offsetBytes(), range.owner()));
      }
    }
    if (paddingBytes > 0) {
      taken.add(Message.format("%,d padding", paddingBytes));
    }
    return taken.isEmpty() || capacityBytes == UNLIMITED
        ? Optional.empty()
        : Optional.of(
            Message.format(
                "%s has %,d bytes, of which are: %s",
                this, capacityBytes, String.join(", ", taken)));
  }

  private Arena changed(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return new Arena(draft);
  }

  @Override
  public String toString() {
    return name + " (mem_id " + memId + ")";
  }

  /** The fields of an arena before they are checked. */
  private static final class Draft {
    private final int memId;
    private String name;
    private long capacityBytes = UNLIMITED;
    private long reservedBytes;
    private long paddingBytes;
    private int alignment;
    private long baseAddress;
    private long maxAllocationBytes = UNLIMITED;
    private long readCost;
    private long writeCost;
    private boolean open = true;
    private ImmutableList<ReservedRange> reservedRanges = ImmutableList.of();

    Draft(int memId) {
      this.memId = memId;
      name = "arena " + memId;
    }

    Draft(Arena arena) {
      memId = arena.memId;
      name = arena.name;
      capacityBytes = arena.capacityBytes;
      reservedBytes = arena.reservedBytes;
      paddingBytes = arena.paddingBytes;
      alignment = arena.alignment;
      baseAddress = arena.baseAddress;
      maxAllocationBytes = arena.maxAllocationBytes;
      readCost = arena.readCost;
      writeCost = arena.writeCost;
      open = arena.open;
      reservedRanges = arena.reservedRanges;
    }
  }
}
