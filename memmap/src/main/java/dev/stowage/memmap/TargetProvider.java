package dev.stowage.memmap;

import com.google.common.collect.ImmutableList;

/**
 * Brings targets. Implementations are found by {@link java.util.ServiceLoader}, and give the same
 * targets each time.
 */
public interface TargetProvider {
  /** The targets, in any order. */
  ImmutableList<Target> targets();
}
