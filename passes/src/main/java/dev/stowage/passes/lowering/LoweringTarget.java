package dev.stowage.passes.lowering;

import dev.stowage.memmap.MemoryMap;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a method is lowered for.
 *
 * @param alignment of offsets and sizes, in bytes
 * @param map the banks; without one there is a single arena
 * @param capacity of the single arena in bytes, where there is no map
 */
public record LoweringTarget(int alignment, Optional<MemoryMap> map, OptionalLong capacity) {}
