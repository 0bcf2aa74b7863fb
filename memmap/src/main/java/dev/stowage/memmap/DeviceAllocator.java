package dev.stowage.memmap;

import java.nio.ByteBuffer;

/**
 * Provides the memory of all devices of one type. Implementations are found by {@link
 * java.util.ServiceLoader}, one for each type, and may be called from many threads at a time.
 *
 * <p>Memory is named by an address: the number that {@link #allocate} returns, or one of the bytes
 * after it, in the device's own terms. It means something only together with the index of the
 * device. Every call can fail, as a checked exception, and an index that there is not is such a
 * failure.
 */
public interface DeviceAllocator {
  /**
   * The type of its devices, as in {@link dev.stowage.base.Device#type}, such as {@code CUDA}. The
   * same each time.
   */
  String deviceType();

  /**
   * Allocates memory, which is the caller's until it frees it.
   *
   * @param deviceIndex which device of the type, from 0 on
   * @param sizeBytes how much, 0 or more
   * @param alignment what the address is a multiple of, in bytes, a power of two
   * @return the address of its first byte
   * @throws DeviceMemoryException if there is no such device or not so much memory left, or the
   *     alignment is no power of two or more than the device can do
   */
  long allocate(int deviceIndex, long sizeBytes, long alignment) throws DeviceMemoryException;

  /**
   * Gives memory back.
   *
   * @param deviceIndex as when it was allocated
   * @param address what {@link #allocate} returned
   * @throws DeviceMemoryException if nothing is allocated at just this address, such as the second
   *     time
   */
  void free(int deviceIndex, long address) throws DeviceMemoryException;

  /**
   * Copies all that remains in a buffer of the host to a device.
   *
   * @param deviceIndex the device that is copied to
   * @param source on the host; its position is at its limit afterwards
   * @param destination address of the first byte to write
   * @throws DeviceMemoryException if the copy would reach beyond what is allocated there, or fails
   */
  void copyHostToDevice(int deviceIndex, ByteBuffer source, long destination)
      throws DeviceMemoryException;

  /**
   * Copies from a device until a buffer of the host has nothing remaining.
   *
   * @param deviceIndex the device that is copied from
   * @param source address of the first byte to read
   * @param destination on the host; its position is at its limit afterwards
   * @throws DeviceMemoryException if the copy would reach beyond what is allocated there, or fails
   */
  void copyDeviceToHost(int deviceIndex, long source, ByteBuffer destination)
      throws DeviceMemoryException;
}
