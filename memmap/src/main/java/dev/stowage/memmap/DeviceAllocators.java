package dev.stowage.memmap;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.base.Preconditions.checkNotNull;

import com.google.common.collect.ImmutableSortedMap;
import dev.stowage.base.Device;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.PluginRegistry;
import dev.stowage.base.Plugins;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The device allocators by type of device, one for each. Immutable, so safe on many threads. */
public final class DeviceAllocators {
  private final ImmutableSortedMap<String, DeviceAllocator> byType;

  /**
   * Registers allocators.
   *
   * @throws NullPointerException if one is null
   * @throws PluginFailedException if one does not say its type, or says what is none
   * @throws dev.stowage.base.DiagnosticException of kind {@code plugin-clash} if two are for one
   *     type
   */
  public DeviceAllocators(Iterable<DeviceAllocator> allocators) {
    Map<String, DeviceAllocator> registered = new TreeMap<>();
    for (DeviceAllocator allocator : allocators) {
      checkNotNull(allocator, "a device allocator is null");
      String type =
          PluginFailedException.guard(
              "device allocator",
              allocator.getClass().getName(),
              allocator.getClass(),
              () -> typeOf(allocator));
      DeviceAllocator other = registered.putIfAbsent(type, allocator);
      if (other != null) {
        throw PluginRegistry.clash("device allocator", type, other.getClass(), allocator.getClass())
            .asException();
      }
    }
    byType = ImmutableSortedMap.copyOf(registered);
  }

  private static String typeOf(DeviceAllocator allocator) {
    String type = checkNotNull(allocator.deviceType(), "it has no type of device");
    // The index makes sure that the type has none itself.
    checkArgument(
        Device.parse(type + ":0").type().equalsIgnoreCase(type), "not a type of device: %s", type);
    return type.toUpperCase(Locale.ROOT);
  }

  /**
   * The allocators that are found on the class path and module path, and in plug-ins.
   *
   * @throws PluginFailedException if one cannot be loaded, or does not say its type
   * @throws dev.stowage.base.DiagnosticException of kind {@code plugin-clash} if two are for one
   *     type
   */
  public static DeviceAllocators withAllocatorsOf(Plugins plugins) {
    return new DeviceAllocators(
        plugins.providers(loader -> ServiceLoader.load(DeviceAllocator.class, loader)));
  }

  /**
   * The allocator for a type of device, in any case; empty if none is registered.
   *
   * @param deviceType such as {@code CUDA}
   */
  public Optional<DeviceAllocator> get(String deviceType) {
    return Optional.ofNullable(byType.get(deviceType.toUpperCase(Locale.ROOT)));
  }

  /** All allocators by type of device, in upper case, sorted. */
  public ImmutableSortedMap<String, DeviceAllocator> all() {
    return byType;
  }
}
