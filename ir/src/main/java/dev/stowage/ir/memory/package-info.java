/**
 * What planning knows about tensors and their bytes, as {@link dev.stowage.ir.AnnotationKey}s:
 * {@link dev.stowage.ir.memory.MemoryKeys} lists them.
 */
@NullMarked
package dev.stowage.ir.memory;

import org.jspecify.annotations.NullMarked;
