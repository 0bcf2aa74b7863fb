package dev.stowage.verifier;

import java.util.List;

/**
 * The bytes of a plan's arenas during a replay. Implementations differ in how they keep them and
 * give the same answers.
 */
interface ArenaBytes {
  /** Begins a run: nothing that was written before counts. */
  void begin();

  /** Writes what a stamp says, {@code to} exclusive. */
  void write(int memId, long from, long to, Stamp stamp);

  /** Makes bytes unlike all that a stamp could say. */
  void poison(int memId, long from, long to);

  /**
   * The parts of a range, in order, that do not hold what a stamp says; they do not touch one
   * another.
   */
  List<Part> differences(int memId, long from, long to, Stamp expected);

  /** Bytes from one, inclusive, to another, exclusive. */
  record Part(long from, long to) {}
}
