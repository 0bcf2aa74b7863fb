package dev.stowage.planning.strategies;

import com.google.common.primitives.Ints;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.planning.Blocks;
import dev.stowage.planning.PlanningContext;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.planning.PlanningStrategy;
import dev.stowage.planning.StrategySpec;
import java.util.Optional;

/**
 * ExecuTorch's greedy planner, bit for bit ({@code greedy} in its {@code exir/memory_planning.py},
 * 1.5.1): buffers by size, largest first and later before earlier among equals, each into the first
 * shared object of its arena that takes it, else into a new one.
 *
 * <p>It differs where that planner stops with "not sorted" (alignments below 16): an object that is
 * too small is skipped. Sizes are rounded exactly, also above 2^53. Where a problem asks for what
 * that planner does not know, such as fixed offsets, the buffers are taken in the same order and
 * put at the lowest free offset.
 */
public final class GreedyStrategy implements PlanningStrategy {
  static final OptionSpec<Boolean> OVERLAP =
      OptionSpec.of(
          "overlap",
          "share an object between buffers live at one time, at other offsets",
          OptionType.BOOLEAN,
          true);

  private static final StrategySpec SPEC =
      StrategySpec.named("greedy")
          .summary("ExecuTorch's greedy: largest first into shared objects")
          .options(OVERLAP)
          .honours(Constraints.ALL_BUT_OBJECTIVE)
          .build();

  @Override
  public StrategySpec spec() {
    return SPEC;
  }

  @Override
  public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
    int defaultArena = defaultArena(problem);
    if (!Constraints.areThoseOfExecutorch(problem.constraints())) {
      return FreeOffsetPlanning.plan(
          problem,
          new Blocks(problem),
          PlacementOrder.bySizeDescendingLastFirst(problem),
          context,
          FreeOffsetPlanning.Rule.DEFAULT_ARENA);
    }
    boolean overlap = context.get(OVERLAP);
    ObjectLayout layout = new ObjectLayout(problem);
    int[] order = PlacementOrder.bySizeDescendingLastFirst(problem);
    for (int buffer : order) {
      if (context.expired()) {
        return PlanningOutcome.outOfTime(problem);
      }
      if (problem.base(buffer) == PlanningProblem.NO_BASE) {
        int pin = problem.pinnedArena(buffer);
        int arena = pin >= 0 ? pin : defaultArena;
        if (arena < 0) {
          return noOpenArena(problem, buffer);
        }
        long size = problem.allocatedBytes(buffer, arena);
        if (!layout.reuse(buffer, arena, size, overlap)) {
          layout.open(buffer, arena, size);
        }
      }
    }
    Optional<Diagnostic> fault = layout.resolveStorage(order);
    return fault.isPresent()
        ? PlanningOutcome.gaveUp(fault.get(), problem)
        : PlanningOutcome.planned(layout.build(/* listEmpty= */ false));
  }

  /** No plan, as a buffer without a pin may go nowhere. */
  static PlanningOutcome noOpenArena(PlanningProblem problem, int buffer) {
    return PlanningOutcome.gaveUp(
        Diagnostic.of(
                Kinds.UNPLACEABLE,
                Location.at(problem.describe(buffer)),
                "it is pinned to no arena, and every arena is for what is pinned to it")
            .aboutBuffer(buffer)
            .help("pin it to one of them"),
        problem);
  }

  /**
   * Where buffers without a pin go: arena 1, or the preferred one where that is not open to them;
   * -1 where none is.
   */
  static int defaultArena(PlanningProblem problem) {
    int[] open = problem.arenaSetMembers(0);
    int first = problem.arenaOfMemId(1);
    return Ints.contains(open, first) ? first : open.length > 0 ? open[0] : -1;
  }
}
