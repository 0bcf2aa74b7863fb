/**
 * Facts about methods that passes ask for: {@link dev.stowage.passes.analysis.Schedule}, {@link
 * dev.stowage.passes.analysis.Aliases}, {@link dev.stowage.passes.analysis.Uses}, {@link
 * dev.stowage.passes.analysis.Lifetimes} and {@link dev.stowage.passes.analysis.Liveness}. They are
 * never stored: {@link dev.stowage.passes.analysis.Analyses} computes them on demand and caches
 * them by the identity of what they read. An {@link dev.stowage.passes.analysis.Analysis} says how
 * one is computed; anybody may add more.
 */
@NullMarked
package dev.stowage.passes.analysis;

import org.jspecify.annotations.NullMarked;
