/** Banks, memory maps, access costs, the target catalogue and device allocators. */
@NullMarked
package dev.stowage.memmap;

import org.jspecify.annotations.NullMarked;
