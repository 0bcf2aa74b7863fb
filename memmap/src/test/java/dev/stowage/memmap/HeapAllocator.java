package dev.stowage.memmap;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Devices of a type whose memory is the heap: shows that the interface can be implemented. */
final class HeapAllocator implements DeviceAllocator {
  private final String type;
  private final long capacityBytes;
  private final Map<Integer, NavigableMap<Long, byte[]>> allocated = new HashMap<>();
  private long next = 1;

  HeapAllocator(String type, int devices, long capacityBytes) {
    this.type = type;
    this.capacityBytes = capacityBytes;
    for (int i = 0; i < devices; i++) {
      allocated.put(i, new TreeMap<>());
    }
  }

  @Override
  public String deviceType() {
    return type;
  }

  @Override
  public synchronized long allocate(int deviceIndex, long sizeBytes, long alignment)
      throws DeviceMemoryException {
    NavigableMap<Long, byte[]> device = device(deviceIndex);
    if (Long.bitCount(alignment) != 1) {
      throw new DeviceMemoryException("alignment " + alignment + " is no power of two");
    }
    long used = device.values().stream().mapToLong(bytes -> bytes.length).sum();
    if (sizeBytes > capacityBytes - used) {
      throw new DeviceMemoryException(
          sizeBytes + " bytes are asked for and " + (capacityBytes - used) + " left");
    }
    long address = (next + alignment - 1) / alignment * alignment;
    next = address + sizeBytes + 1;
    device.put(address, new byte[(int) sizeBytes]);
    return address;
  }

  @Override
  public synchronized void free(int deviceIndex, long address) throws DeviceMemoryException {
    if (device(deviceIndex).remove(address) == null) {
      throw new DeviceMemoryException("nothing is allocated at " + address);
    }
  }

  @Override
  public synchronized void copyHostToDevice(int deviceIndex, ByteBuffer source, long destination)
      throws DeviceMemoryException {
    Map.Entry<Long, byte[]> at = at(deviceIndex, destination, source.remaining());
    source.get(at.getValue(), (int) (destination - at.getKey()), source.remaining());
  }

  @Override
  public synchronized void copyDeviceToHost(int deviceIndex, long source, ByteBuffer destination)
      throws DeviceMemoryException {
    Map.Entry<Long, byte[]> at = at(deviceIndex, source, destination.remaining());
    destination.put(at.getValue(), (int) (source - at.getKey()), destination.remaining());
  }

  private Map.Entry<Long, byte[]> at(int deviceIndex, long address, int count)
      throws DeviceMemoryException {
    Map.Entry<Long, byte[]> at = device(deviceIndex).floorEntry(address);
    if (at == null || address - at.getKey() + count > at.getValue().length) {
      throw new DeviceMemoryException(count + " bytes at " + address + " are not allocated");
    }
    return at;
  }

  private NavigableMap<Long, byte[]> device(int index) throws DeviceMemoryException {
    NavigableMap<Long, byte[]> device = allocated.get(index);
    if (device == null) {
      throw new DeviceMemoryException("there is no " + type + ":" + index);
    }
    return device;
  }
}
