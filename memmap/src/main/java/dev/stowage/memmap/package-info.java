/**
 * The memory of a target: {@link dev.stowage.memmap.Bank}s in a {@link
 * dev.stowage.memmap.MemoryMap}. A {@link dev.stowage.memmap.Target} is such a map with a name and
 * {@link dev.stowage.memmap.OperatorRule}s, brought by a {@link dev.stowage.memmap.TargetProvider}
 * and found in the {@link dev.stowage.memmap.TargetCatalog}.
 *
 * <p>{@link dev.stowage.memmap.TargetReader} reads a target from a file, {@link
 * dev.stowage.memmap.TargetWriter} writes one, and {@link dev.stowage.memmap.MemoryMapReader} reads
 * the banks of other files.
 *
 * <p>A {@link dev.stowage.memmap.DeviceAllocator} provides the memory of a type of device; {@link
 * dev.stowage.memmap.DeviceAllocators} finds it; {@link dev.stowage.memmap.HostAllocator} is that
 * of the host.
 */
@NullMarked
package dev.stowage.memmap;

import org.jspecify.annotations.NullMarked;
