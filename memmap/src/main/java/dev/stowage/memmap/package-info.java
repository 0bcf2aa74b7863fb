/**
 * The memory of a target: {@link dev.stowage.memmap.Bank}s in a {@link
 * dev.stowage.memmap.MemoryMap}.
 */
@NullMarked
package dev.stowage.memmap;

import org.jspecify.annotations.NullMarked;
