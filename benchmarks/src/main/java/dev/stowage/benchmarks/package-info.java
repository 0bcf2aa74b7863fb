/** Benchmarks of the strategies, the passes and the readers, and the tables of bytes. */
@NullMarked
package dev.stowage.benchmarks;

import org.jspecify.annotations.NullMarked;
