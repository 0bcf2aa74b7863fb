/**
 * The {@link dev.stowage.benchmarks.GreedyBenchmark} of the greedy strategy on problems of several
 * sizes.
 */
@NullMarked
package dev.stowage.benchmarks;

import org.jspecify.annotations.NullMarked;
