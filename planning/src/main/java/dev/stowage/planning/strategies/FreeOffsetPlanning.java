package dev.stowage.planning.strategies;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Blocks;
import dev.stowage.planning.Bound;
import dev.stowage.planning.PlanningContext;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import java.util.Optional;

/**
 * Plans in which each buffer lies at a free offset: what first-fit does, and what greedy,
 * banked-greedy and naive do where a problem asks for more than ExecuTorch's planners know.
 *
 * <p>Fixed places come first, as nothing else can give way to them, then what has one arena only,
 * then the rest.
 */
final class FreeOffsetPlanning {
  /** Into which arena a block goes. */
  enum Rule {
    /** The first, in order of preference, that has room. */
    FIRST_WITH_ROOM,
    /** Arena 1 if it may go there, else the first that it may go to, however full. */
    DEFAULT_ARENA,
    /** As {@link #DEFAULT_ARENA}, behind everything that is there. */
    APART
  }

  private final PlanningProblem problem;
  private final Blocks blocks;
  private final Rule rule;
  private final FreeOffsets layout;

  private FreeOffsetPlanning(PlanningProblem problem, Blocks blocks, Rule rule) {
    this.problem = problem;
    this.blocks = blocks;
    this.rule = rule;
    layout = new FreeOffsets(problem, blocks, rule != Rule.APART);
  }

  /**
   * Places all blocks.
   *
   * @param order of all buffers
   */
  static PlanningOutcome plan(
      PlanningProblem problem, Blocks blocks, int[] order, PlanningContext context, Rule rule) {
    Optional<Diagnostic> fault = blocks.fault();
    if (fault.isPresent()) {
      return PlanningOutcome.gaveUp(fault.get(), problem);
    }
    return new FreeOffsetPlanning(problem, blocks, rule).plan(order, context);
  }

  private PlanningOutcome plan(int[] order, PlanningContext context) {
    for (int phase = 0; phase < 3; phase++) {
      for (int buffer : order) {
        if (problem.base(buffer) != PlanningProblem.NO_BASE || phase(buffer) != phase) {
          continue;
        }
        if (context.expired()) {
          return PlanningOutcome.outOfTime(problem);
        }
        if (!place(buffer)) {
          return PlanningOutcome.gaveUp(noRoom(buffer), problem);
        }
      }
    }
    return layout.finish(order, /* listEmpty= */ rule == Rule.FIRST_WITH_ROOM, Bound.NONE);
  }

  private int phase(int block) {
    if (blocks.fixedOffset(block) >= 0) {
      return 0;
    }
    return isPinned(block) ? 1 : 2;
  }

  private boolean isPinned(int block) {
    return problem.pinnedArena(block) >= 0 || blocks.arenas(block).length() == 1;
  }

  private boolean place(int block) {
    if (rule == Rule.FIRST_WITH_ROOM) {
      return layout.placeInFirst(block);
    }
    int preferred = GreedyStrategy.defaultArena(problem);
    // Whether the arena is large enough is judged when the plan is there.
    return (blocks.arenas(block).contains(preferred)
            && layout.placeIn(block, preferred, Arena.UNLIMITED))
        || blocks.arenas(block).stream()
            .anyMatch(arena -> layout.placeIn(block, arena, Arena.UNLIMITED));
  }

  private Diagnostic noRoom(int block) {
    if (!blocks.arenas(block).isEmpty()
        && blocks.arenas(block).stream()
            .allMatch(a -> blocks.alignedOffset(block, a, 0) == Blocks.NOWHERE)) {
      return blocks.unalignable(block);
    }
    // Other constraints than a pin may leave one arena, or a rule of an operator.
    boolean pinned = problem.pinnedArena(block) >= 0 || blocks.fixedOffset(block) >= 0;
    DiagnosticKind kind = pinned ? Kinds.PIN_DOES_NOT_FIT : Kinds.UNPLACEABLE;
    Diagnostic diagnostic =
        Diagnostic.of(
                kind,
                Location.at(problem.describe(block)),
                Message.format(
                    blocks.fixedOffset(block) >= 0
                        ? "%,d bytes do not fit at their fixed offset"
                        : "%,d bytes fit in none of the arenas that they may go to",
                    problem.sizeBytes(block)))
            .aboutBuffer(block);
    for (int arena : blocks.arenas(block).asList()) {
      Arena it = problem.arena(arena);
      diagnostic =
          diagnostic.note(
              blocks.fixedOffset(block) >= 0
                  ? Message.format("%s: offset %,d", it, blocks.fixedOffset(block))
                  : Message.format(
                      "%s has at most %,d of %,d bytes free in one piece over steps %d..%d",
                      it,
                      layout.largestGap(block, arena),
                      it.capacityBytes(),
                      problem.stepNumber(problem.start(block)),
                      problem.stepNumber(problem.end(block))));
    }
    return diagnostic.help("enlarge a bank, or ask for less of this buffer");
  }
}
