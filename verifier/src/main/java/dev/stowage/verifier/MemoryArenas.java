package dev.stowage.verifier;

import static java.util.Objects.requireNonNull;

import dev.stowage.memmap.DeviceAllocator;
import dev.stowage.memmap.DeviceMemoryException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Arenas in real memory. The byte at an address is {@code (key + address - origin) mod prime}, with
 * a key for each write, so it depends on the position and two different stamps differ in all bytes
 * or in none.
 *
 * <p>Implementation note. A single byte tells only 251 stamps apart, so each arena is there four
 * times, with keys and primes of its own; bytes are the same if all four are. Two of 3.4 billion
 * pairs of stamps are taken for the same then.
 */
final class MemoryArenas implements ArenaBytes, AutoCloseable {
  /** Largest primes first that leave room for the two bytes that no stamp has. */
  private static final int[] PRIMES = {251, 241, 239, 233};

  private static final byte POISON = (byte) 254;
  private static final byte UNWRITTEN = (byte) 255;
  private static final int CHUNK_BYTES = 1 << 16;
  private static final int DEVICE = 0;
  private static final long ALIGNMENT = 64;

  private final DeviceAllocator allocator;
  private final Map<Integer, long[]> addressesByMemId = new HashMap<>();
  private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);

  /** A failure of the allocator, which the caller of the verifier gets to see as it is. */
  static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final DeviceMemoryException reason;

    Failure(DeviceMemoryException reason) {
      super(reason);
      this.reason = reason;
    }

    DeviceMemoryException reason() {
      return reason;
    }
  }

  /**
   * Allocates arenas.
   *
   * @param sizeByMemId sizes in bytes
   * @throws Failure if there is not so much memory
   */
  MemoryArenas(DeviceAllocator allocator, Map<Integer, Long> sizeByMemId) {
    this.allocator = allocator;
    try {
      for (Map.Entry<Integer, Long> arena : sizeByMemId.entrySet()) {
        allocate(arena.getKey(), arena.getValue());
      }
    } catch (DeviceMemoryException e) {
      close();
      throw new Failure(e);
    }
  }

  private void allocate(int memId, long sizeBytes) throws DeviceMemoryException {
    long[] addresses = new long[PRIMES.length];
    int allocated = 0;
    try {
      for (; allocated < addresses.length; allocated++) {
        addresses[allocated] = allocator.allocate(DEVICE, sizeBytes, ALIGNMENT);
      }
      for (long address : addresses) {
        fill(address, sizeBytes, UNWRITTEN);
      }
    } catch (DeviceMemoryException e) {
      for (int i = 0; i < allocated; i++) {
        allocator.free(DEVICE, addresses[i]);
      }
      throw e;
    }
    addressesByMemId.put(memId, addresses);
  }

  @Override
  public void begin() {
    // Stamps of earlier runs are of other writes, so none of their bytes is taken for a new one.
  }

  @Override
  public void write(int memId, long from, long to, Stamp stamp) {
    try {
      for (int copy = 0; copy < PRIMES.length; copy++) {
        long start = address(memId, copy);
        for (long at = from; at < to; at += chunk.limit()) {
          pattern(at, to, stamp, copy);
          allocator.copyHostToDevice(DEVICE, chunk, start + at);
        }
      }
    } catch (DeviceMemoryException e) {
      throw new Failure(e);
    }
  }

  @Override
  public void poison(int memId, long from, long to) {
    try {
      for (int copy = 0; copy < PRIMES.length; copy++) {
        fill(address(memId, copy) + from, to - from, POISON);
      }
    } catch (DeviceMemoryException e) {
      throw new Failure(e);
    }
  }

  @Override
  public List<Part> differences(int memId, long from, long to, Stamp expected) {
    ByteBuffer found = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, to - from));
    List<Part> parts = new ArrayList<>();
    long differentFrom = -1;
    try {
      for (long at = from; at < to; at += found.limit()) {
        found.clear().limit((int) Math.min(found.capacity(), to - at));
        boolean[] different = new boolean[found.limit()];
        for (int copy = 0; copy < PRIMES.length; copy++) {
          pattern(at, to, expected, copy);
          found.rewind();
          allocator.copyDeviceToHost(DEVICE, address(memId, copy) + at, found);
          for (int i = 0; i < different.length; i++) {
            different[i] |= found.get(i) != chunk.get(i);
          }
        }
        for (int i = 0; i < different.length; i++) {
          if (different[i] && differentFrom < 0) {
            differentFrom = at + i;
          } else if (!different[i] && differentFrom >= 0) {
            parts.add(new Part(differentFrom, at + i));
            differentFrom = -1;
          }
        }
      }
    } catch (DeviceMemoryException e) {
      throw new Failure(e);
    }
    if (differentFrom >= 0) {
      parts.add(new Part(differentFrom, to));
    }
    return parts;
  }

  /** Frees all arenas. */
  @Override
  public void close() {
    for (long[] addresses : addressesByMemId.values()) {
      for (long address : addresses) {
        try {
          allocator.free(DEVICE, address);
        } catch (DeviceMemoryException e) {
          throw new Failure(e);
        }
      }
    }
    addressesByMemId.clear();
  }

  private long address(int memId, int copy) {
    return requireNonNull(addressesByMemId.get(memId))[copy];
  }

  private void fill(long address, long bytes, byte value) throws DeviceMemoryException {
    chunk.clear();
    while (chunk.hasRemaining()) {
      chunk.put(value);
    }
    for (long done = 0; done < bytes; done += chunk.limit()) {
      chunk.clear().limit((int) Math.min(CHUNK_BYTES, bytes - done));
      allocator.copyHostToDevice(DEVICE, chunk, address + done);
    }
  }

  /** Puts into the chunk what a stamp says from an address on, as much as it holds. */
  private void pattern(long from, long to, Stamp stamp, int copy) {
    int prime = PRIMES[copy];
    // Golden ratio and xor-shift: keys of writes that follow one another have nothing in common.
    long key = (stamp.write().number() + 1L) * 0x9E3779B97F4A7C15L + copy;
    key = (key ^ (key >>> 29)) * 0xBF58476D1CE4E5B9L;
    int value =
        (Math.floorMod(key ^ (key >>> 32), prime) + Math.floorMod(from - stamp.origin(), prime))
            % prime;
    chunk.clear().limit((int) Math.min(CHUNK_BYTES, to - from));
    for (int i = 0; i < chunk.limit(); i++) {
      chunk.put(i, (byte) value);
      value = value == prime - 1 ? 0 : value + 1;
    }
  }
}
