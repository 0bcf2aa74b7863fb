import dev.stowage.memmap.DeviceAllocator;
import dev.stowage.memmap.TargetProvider;
import dev.stowage.memmap.catalogue.BundledTargets;

/** Banks, memory maps, targets, and who provides the memory of devices. */
module dev.stowage.memmap {
  requires transitive dev.stowage.base;
  requires static transitive org.jspecify;

  exports dev.stowage.memmap;

  uses DeviceAllocator;
  uses TargetProvider;

  provides TargetProvider with
      BundledTargets;
}
