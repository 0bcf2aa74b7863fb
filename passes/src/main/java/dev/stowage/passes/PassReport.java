package dev.stowage.passes;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Diagnostic;
import dev.stowage.ir.Program;
import dev.stowage.passes.analysis.Analyses.Computation;

/**
 * What became of one pass.
 *
 * @param before what it was given
 * @param after what it made of that; the same object if nothing changed
 * @param elapsedNanos by the clock, for all methods together
 * @param runs its runs on the program, on each method, or on each graph, in order
 * @param computations what it had analyses compute, method by method
 * @param statistics what it counted, in the order declared, 0 included
 * @param warnings what it warned of
 */
public record PassReport(
    Program before,
    Program after,
    long elapsedNanos,
    ImmutableList<Run> runs,
    ImmutableList<Computation> computations,
    ImmutableMap<Statistic, Long> statistics,
    ImmutableList<Diagnostic> warnings) {
  /**
   * One run.
   *
   * @param subject the method, {@code method/graph}, or nothing for the whole program
   * @param elapsedNanos the time that it took
   */
  public record Run(String subject, long elapsedNanos) {}

  /** True if the pass changed something. */
  @SuppressWarnings("ReferenceEquality") // passes return the same object where nothing changed
  public boolean changed() {
    return before != after;
  }
}
