/**
 * Facts about methods that passes ask for: {@link dev.stowage.passes.analysis.Schedule}, {@link
 * dev.stowage.passes.analysis.Aliases}, {@link dev.stowage.passes.analysis.Lifetimes} and {@link
 * dev.stowage.passes.analysis.Liveness}, computed on demand and cached by {@link
 * dev.stowage.passes.analysis.Analyses}.
 */
@NullMarked
package dev.stowage.passes.analysis;

import org.jspecify.annotations.NullMarked;
