package dev.stowage.planning.strategies;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Blocks;
import dev.stowage.planning.PlanningContext;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.planning.PlanningStrategy;
import dev.stowage.planning.StrategySpec;
import java.util.Optional;

/**
 * ExecuTorch's greedy planner for sized banks, bit for bit ({@code exir/banked_memory_planning.py},
 * 1.5.1): pins first, in their own banks; then each other buffer into the first bank, in order of
 * preference, that has an object for it or room for a new one.
 *
 * <p>A buffer that rides in an object that is there already costs its bank nothing, which is why
 * pins go first. Arenas that are not open take pins only, and are laid out without a budget. Where
 * a problem asks for what that planner does not know, such as forbidden banks, the buffers are
 * taken in the same order and put at the lowest free offset.
 */
public final class BankedGreedyStrategy implements PlanningStrategy {
  private static final StrategySpec SPEC =
      StrategySpec.named("banked-greedy")
          .summary("ExecuTorch's greedy over banks, fastest first, spilling to the next")
          .options(GreedyStrategy.OVERLAP)
          .honours(Constraints.ALL_BUT_OBJECTIVE)
          .build();

  @Override
  public StrategySpec spec() {
    return SPEC;
  }

  @Override
  public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
    if (!Constraints.areThoseOfExecutorch(problem.constraints())) {
      return FreeOffsetPlanning.plan(
          problem,
          new Blocks(problem),
          PlacementOrder.bySizeDescendingLastFirst(problem),
          context,
          FreeOffsetPlanning.Rule.FIRST_WITH_ROOM);
    }
    return new Banks(problem, context).plan();
  }

  /** The banks while they fill up. */
  private static final class Banks {
    private final PlanningProblem problem;
    private final PlanningContext context;
    private final boolean overlap;
    private final ObjectLayout layout;

    /** Bytes not yet used, by arena. */
    private final long[] left;

    Banks(PlanningProblem problem, PlanningContext context) {
      this.problem = problem;
      this.context = context;
      overlap = context.get(GreedyStrategy.OVERLAP);
      layout = new ObjectLayout(problem);
      left = new long[problem.arenaCount()];
      for (int a = 0; a < left.length; a++) {
        Arena arena = problem.arena(a);
        left[a] =
            arena.capacityBytes() == Arena.UNLIMITED
                ? Arena.UNLIMITED
                : arena.capacityBytes() - arena.reservedBytes();
      }
    }

    PlanningOutcome plan() {
      int[] order = PlacementOrder.bySizeDescendingLastFirst(problem);
      for (int buffer : order) {
        if (context.expired()) {
          return PlanningOutcome.outOfTime(problem);
        }
        int pin = problem.pinnedArena(buffer);
        if (problem.base(buffer) == PlanningProblem.NO_BASE && pin >= 0 && !placeIn(buffer, pin)) {
          return PlanningOutcome.gaveUp(pinDoesNotFit(buffer, pin), problem);
        }
      }
      for (int buffer : order) {
        if (context.expired()) {
          return PlanningOutcome.outOfTime(problem);
        }
        if (problem.base(buffer) == PlanningProblem.NO_BASE
            && problem.pinnedArena(buffer) < 0
            && !placeInFirst(buffer)) {
          return PlanningOutcome.gaveUp(unplaceable(buffer), problem);
        }
      }
      Optional<Diagnostic> fault = layout.resolveStorage(order);
      return fault.isPresent()
          ? PlanningOutcome.gaveUp(fault.get(), problem)
          : PlanningOutcome.planned(layout.build(/* listEmpty= */ true));
    }

    private boolean placeInFirst(int buffer) {
      for (int a = 0; a < left.length; a++) {
        if (problem.arena(a).open() && placeIn(buffer, a)) {
          return true;
        }
      }
      return false;
    }

    private boolean placeIn(int buffer, int arena) {
      long size = problem.allocatedBytes(buffer, arena);
      if (layout.reuse(buffer, arena, size, overlap)) {
        return true;
      }
      // Padding is paid once, by the first object of the bank.
      long padding = layout.isEmpty(arena) ? problem.arena(arena).paddingBytes() : 0;
      if (size > left[arena] - padding) {
        return false;
      }
      layout.open(buffer, arena, size);
      if (left[arena] != Arena.UNLIMITED) {
        left[arena] -= size + padding;
      }
      return true;
    }

    private Diagnostic pinDoesNotFit(int buffer, int arena) {
      return Diagnostic.of(
              Kinds.PIN_DOES_NOT_FIT,
              Location.at(problem.describe(buffer)),
              Message.format(
                  "%,d bytes are pinned to %s, which has %,d of %,d bytes left",
                  problem.allocatedBytes(buffer, arena),
                  problem.arena(arena),
                  left[arena],
                  problem.arena(arena).capacityBytes()))
          .aboutBuffer(buffer)
          .note(liveNote(buffer))
          .help("a pinned buffer has no other bank: enlarge this one, or pin less to it");
    }

    private Diagnostic unplaceable(int buffer) {
      Diagnostic diagnostic =
          Diagnostic.of(
                  Kinds.UNPLACEABLE,
                  Location.at(problem.describe(buffer)),
                  Message.format("%,d bytes fit in no bank", problem.allocatedBytes(buffer)))
              .aboutBuffer(buffer);
      for (int a = 0; a < left.length; a++) {
        Arena arena = problem.arena(a);
        if (arena.open()) {
          diagnostic =
              diagnostic.note(
                  Message.format(
                      "%s has %,d of %,d bytes left", arena, left[a], arena.capacityBytes()));
        }
      }
      return diagnostic.note(liveNote(buffer)).help("enlarge a bank, or use a smaller alignment");
    }

    private String liveNote(int buffer) {
      return Message.format(
          "live over steps %d..%d",
          problem.stepNumber(problem.start(buffer)), problem.stepNumber(problem.end(buffer)));
    }
  }
}
