package dev.stowage.planning;

import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import java.util.Optional;

/**
 * Whether the offsets of a plan are aligned as its problem states it. ExecuTorch's planners begin
 * where the reserved bytes end, whether that is aligned or not.
 */
final class OffsetAlignment {
  private OffsetAlignment() {}

  /** The first buffer of a plan that is not aligned. */
  static Optional<Diagnostic> fault(PlanningProblem problem, MemoryPlan plan, Call call) {
    for (int i = 0; i < plan.bufferCount(); i++) {
      int arena = plan.arena(i);
      Arena it = problem.arena(arena);
      int alignment =
          problem.base(i) == PlanningProblem.NO_BASE
              ? problem.arenaAlignment(arena)
              : problem.alignment();
      int own = problem.bufferAlignment(i);
      boolean aligned = plan.offsetBytes(i) % alignment == 0;
      boolean ownAligned = (it.baseAddress() % own + plan.offsetBytes(i) % own) % own == 0;
      if (!aligned || !ownAligned) {
        return Optional.of(
            Diagnostic.of(
                    Kinds.UNPLACEABLE,
                    Location.at(problem.describe(i)),
                    Message.format(
                        "strategy %s puts it at %,d of %s, which is not aligned to %d",
                        call.name(), plan.offsetBytes(i), it, aligned ? own : alignment))
                .aboutBuffer(i)
                .note(Message.format("%,d bytes are reserved before it", it.reservedBytes()))
                .help("another strategy may align it"));
      }
    }
    return Optional.empty();
  }
}
