package dev.stowage.memmap;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Device;
import dev.stowage.base.Message;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The memory of the host itself: one device, of index 0. Addresses are numbers of its own, never 0.
 * Safe on many threads.
 */
public final class HostAllocator implements DeviceAllocator {
  private static final int PIECE_BYTES = 1 << 30;

  private final NavigableMap<Long, Block> blocksByAddress = new TreeMap<>();
  private long next = 1;

  /** What was allocated at once, in pieces that a buffer can hold. */
  private record Block(long sizeBytes, ImmutableList<ByteBuffer> pieces) {}

  @Override
  public String deviceType() {
    return Device.CPU.type();
  }

  @Override
  public synchronized long allocate(int deviceIndex, long sizeBytes, long alignment)
      throws DeviceMemoryException {
    checkIndex(deviceIndex);
    if (sizeBytes < 0) {
      throw new DeviceMemoryException(Message.format("%,d bytes are asked for", sizeBytes));
    }
    if (alignment < 1 || Long.bitCount(alignment) != 1) {
      throw new DeviceMemoryException(
          Message.format("alignment %,d is no power of two", alignment));
    }
    long address;
    long end;
    try {
      address = Math.addExact(next, alignment - 1) & -alignment;
      // A byte that is nobody's, so that no copy runs from one block into another.
      end = Math.addExact(Math.addExact(address, sizeBytes), 1);
    } catch (ArithmeticException e) {
      throw new DeviceMemoryException(
          Message.format("there are no addresses left for %,d bytes", sizeBytes), e);
    }
    blocksByAddress.put(address, new Block(sizeBytes, pieces(sizeBytes)));
    next = end;
    return address;
  }

  private static ImmutableList<ByteBuffer> pieces(long sizeBytes) throws DeviceMemoryException {
    Runtime runtime = Runtime.getRuntime();
    long left = runtime.maxMemory() - (runtime.totalMemory() - runtime.freeMemory());
    OutOfMemoryError reason = null;
    // Asked first: to run out of memory takes others along.
    if (sizeBytes <= left) {
      ImmutableList.Builder<ByteBuffer> pieces = ImmutableList.builder();
      try {
        for (long before = 0; before < sizeBytes; before += PIECE_BYTES) {
          pieces.add(ByteBuffer.allocate((int) Math.min(PIECE_BYTES, sizeBytes - before)));
        }
        return pieces.build();
      } catch (OutOfMemoryError e) {
        reason = e;
      }
    }
    String message =
        Message.format("%,d bytes are asked for and about %,d left on the heap", sizeBytes, left);
    throw reason == null
        ? new DeviceMemoryException(message)
        : new DeviceMemoryException(message, reason);
  }

  @Override
  public synchronized void free(int deviceIndex, long address) throws DeviceMemoryException {
    checkIndex(deviceIndex);
    if (blocksByAddress.remove(address) == null) {
      throw new DeviceMemoryException(
          Message.format("nothing is allocated at address %,d", address));
    }
  }

  @Override
  public synchronized void copyHostToDevice(int deviceIndex, ByteBuffer source, long destination)
      throws DeviceMemoryException {
    Map.Entry<Long, Block> block = block(deviceIndex, destination, source.remaining());
    long at = destination - block.getKey();
    while (source.hasRemaining()) {
      ByteBuffer piece = piece(block.getValue(), at, source.remaining());
      int bytes = piece.remaining();
      piece.put(source.slice(source.position(), bytes));
      source.position(source.position() + bytes);
      at += bytes;
    }
  }

  @Override
  public synchronized void copyDeviceToHost(int deviceIndex, long source, ByteBuffer destination)
      throws DeviceMemoryException {
    Map.Entry<Long, Block> block = block(deviceIndex, source, destination.remaining());
    long at = source - block.getKey();
    while (destination.hasRemaining()) {
      ByteBuffer piece = piece(block.getValue(), at, destination.remaining());
      at += piece.remaining();
      destination.put(piece);
    }
  }

  private Map.Entry<Long, Block> block(int deviceIndex, long address, int bytes)
      throws DeviceMemoryException {
    checkIndex(deviceIndex);
    Map.Entry<Long, Block> block = blocksByAddress.floorEntry(address);
    if (block == null || address - block.getKey() > block.getValue().sizeBytes() - bytes) {
      throw new DeviceMemoryException(
          Message.format("%,d bytes at address %,d are not all allocated", bytes, address));
    }
    return block;
  }

  /** The bytes of a block from one on, as many as are asked for and the piece has. */
  private static ByteBuffer piece(Block block, long at, int bytes) {
    ByteBuffer piece = block.pieces().get((int) (at / PIECE_BYTES));
    int from = (int) (at % PIECE_BYTES);
    return piece.slice(from, Math.min(bytes, piece.capacity() - from));
  }

  private static void checkIndex(int deviceIndex) throws DeviceMemoryException {
    if (deviceIndex != 0) {
      throw new DeviceMemoryException("there is no device CPU:" + deviceIndex);
    }
  }
}
