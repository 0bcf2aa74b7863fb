package dev.stowage.testkit;

import dev.stowage.planning.Arena;
import dev.stowage.planning.PlanningProblem;

/** Problems as text for messages: whatever a problem has, unlike file formats. */
final class ProblemText {
  private ProblemText() {}

  /** A line for the problem, each arena, and each buffer. */
  static String of(PlanningProblem problem) {
    StringBuilder text = new StringBuilder();
    text.append("alignment ").append(problem.alignment());
    text.append(", objective ").append(Names.kebab(problem.objective()));
    for (int a = 0; a < problem.arenaCount(); a++) {
      arena(text, problem.arena(a));
    }
    for (int i = 0; i < problem.bufferCount(); i++) {
      buffer(text, problem, i);
    }
    for (int gap = 0; gap < problem.gapCount(); gap++) {
      text.append("\nbuffer ").append(problem.gapBuffer(gap)).append(" is dead over [");
      text.append(problem.gapStart(gap)).append(", ").append(problem.gapEnd(gap)).append(']');
    }
    for (int pair = 0; pair < problem.separationCount(); pair++) {
      text.append("\nbuffers ").append(problem.separation(pair, 0)).append(" and ");
      text.append(problem.separation(pair, 1)).append(" must not share bytes");
    }
    return text.toString();
  }

  private static void arena(StringBuilder text, Arena arena) {
    text.append('\n').append(arena);
    unless(text, " capacity ", arena.capacityBytes(), Arena.UNLIMITED);
    unless(text, " reserved ", arena.reservedBytes(), 0);
    unless(text, " padding ", arena.paddingBytes(), 0);
    unless(text, " alignment ", arena.alignment(), 0);
    unless(text, " address ", arena.baseAddress(), 0);
    unless(text, " largest allocation ", arena.maxAllocationBytes(), Arena.UNLIMITED);
    text.append(arena.open() ? "" : " for pins only");
  }

  private static void buffer(StringBuilder text, PlanningProblem problem, int buffer) {
    text.append('\n').append(problem.describe(buffer)).append(": ");
    text.append(problem.sizeBytes(buffer)).append(" bytes [").append(problem.start(buffer));
    text.append(", ").append(problem.end(buffer)).append(']');
    if (problem.base(buffer) != PlanningProblem.NO_BASE) {
      text.append(" in ").append(problem.base(buffer));
      text.append('+').append(problem.baseOffset(buffer));
    }
    if (problem.pinnedArena(buffer) >= 0) {
      text.append(" pinned to ").append(problem.arena(problem.pinnedArena(buffer)));
    }
    unless(text, " at ", problem.fixedOffset(buffer), -1);
    unless(text, " in arena set ", problem.arenaSet(buffer), 0);
    unless(text, " alignment ", problem.bufferAlignment(buffer), 1);
    unless(text, " over-read ", problem.overReadBytes(buffer), 0);
  }

  private static void unless(StringBuilder text, String what, long value, long neutral) {
    if (value != neutral) {
      text.append(what).append(value);
    }
  }
}
