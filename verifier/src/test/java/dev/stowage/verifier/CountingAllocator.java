package dev.stowage.verifier;

import dev.stowage.memmap.DeviceAllocator;
import dev.stowage.memmap.DeviceMemoryException;
import dev.stowage.memmap.HostAllocator;
import java.nio.ByteBuffer;

/** The host's memory, and how much of it is in use. */
final class CountingAllocator implements DeviceAllocator {
  private final HostAllocator host = new HostAllocator();
  private int allocated;
  private int freed;

  /** How many blocks were allocated. */
  int allocated() {
    return allocated;
  }

  /** How many of them were not freed. */
  int held() {
    return allocated - freed;
  }

  @Override
  public String deviceType() {
    return host.deviceType();
  }

  @Override
  public long allocate(int deviceIndex, long sizeBytes, long alignment)
      throws DeviceMemoryException {
    allocated++;
    return host.allocate(deviceIndex, sizeBytes, alignment);
  }

  @Override
  public void free(int deviceIndex, long address) throws DeviceMemoryException {
    host.free(deviceIndex, address);
    freed++;
  }

  @Override
  public void copyHostToDevice(int deviceIndex, ByteBuffer source, long destination)
      throws DeviceMemoryException {
    host.copyHostToDevice(deviceIndex, source, destination);
  }

  @Override
  public void copyDeviceToHost(int deviceIndex, long source, ByteBuffer destination)
      throws DeviceMemoryException {
    host.copyDeviceToHost(deviceIndex, source, destination);
  }
}
