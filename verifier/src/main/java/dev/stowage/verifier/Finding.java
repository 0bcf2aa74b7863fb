package dev.stowage.verifier;

import com.google.common.collect.ImmutableList;

/**
 * One thing that is wrong with a plan. It has a kind and no severity: what is an error under one
 * profile may be a warning under another.
 *
 * @param kind what is wrong
 * @param message with names, numbers and units, without a full stop
 * @param subjects the one or two tensors or buffers that it is about; empty for an arena
 * @param node id of the node at which it shows, or -1
 * @param count 1, or the number of pairs where they are only counted
 */
public record Finding(
    FindingKind kind, String message, ImmutableList<Subject> subjects, int node, long count) {

  /**
   * A tensor or buffer of a finding.
   *
   * @param number its number in the source, or the buffer's index
   * @param name label, may be empty
   * @param memId arena that it is claimed to be in, or -1
   * @param fromBytes first byte in the arena, inclusive
   * @param toBytes last byte, exclusive
   * @param first first step of its lifetime
   * @param last last step of its lifetime, inclusive
   */
  public record Subject(
      int number, String name, int memId, long fromBytes, long toBytes, int first, int last) {}

  /** A finding that is shown, not only counted. */
  public static Finding of(
      FindingKind kind, String message, int node, ImmutableList<Subject> subjects) {
    return new Finding(kind, message, subjects, node, 1);
  }
}
