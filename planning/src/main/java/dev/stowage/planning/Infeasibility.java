package dev.stowage.planning;

import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Proofs that a problem has no plan, found without a search.
 *
 * <p>A buffer without an arena, or without an offset at which it is aligned; two fixed places that
 * share bytes while both are live; a buffer larger than what any arena that it may use has in one
 * piece; and, for a set of arenas, more live bytes of buffers that must go to one of them than all
 * of them hold. The last is checked for every set where there are few arenas, as in Hall's marriage
 * theorem, and where there are many for each single one, each set that some buffer is kept to, and
 * all of them. Of the proofs by bytes the one that misses most is given. None of them rounds
 * offsets, so a plan that starts at unaligned reserved bytes is never ruled out.
 */
public final class Infeasibility {
  private final PlanningProblem problem;
  private final Blocks blocks;

  private Infeasibility(PlanningProblem problem) {
    this.problem = problem;
    this.blocks = new Blocks(problem);
  }

  /**
   * A proof that no plan exists, with the bytes that are missing where it is about bytes.
   *
   * @param kind of the diagnostic where a proof by live bytes gives it none of its own
   */
  public static Optional<Diagnostic> prove(PlanningProblem problem, DiagnosticKind kind) {
    Infeasibility it = new Infeasibility(problem);
    Optional<Diagnostic> proof = it.blocks.fault();
    return proof
        .or(() -> it.nowhere(kind))
        .or(it::fixedPlacesOverlap)
        .or(() -> new RoomProofs(problem, it.blocks, kind).most());
  }

  /** A block that has no arena, or none in which its alignment can be met. */
  private Optional<Diagnostic> nowhere(DiagnosticKind kind) {
    for (int block : blocks.all().asList()) {
      ImmutableIntArray arenas = blocks.arenas(block);
      if (arenas.isEmpty()) {
        return Optional.of(
            Diagnostic.of(
                    kind,
                    Location.at(problem.describe(block)),
                    Message.format(
                        "%,d bytes have no arena that they may go to", problem.sizeBytes(block)))
                .aboutBuffer(block)
                .help("allow it another bank"));
      }
      if (arenas.stream().allMatch(a -> !blocks.isAlignable(block, a))) {
        return Optional.of(blocks.unalignable(block));
      }
    }
    return Optional.empty();
  }

  private Optional<Diagnostic> fixedPlacesOverlap() {
    for (int arena = 0; arena < problem.arenaCount(); arena++) {
      int a = arena;
      List<Integer> fixed =
          blocks.all().stream()
              .filter(b -> blocks.fixedOffset(b) >= 0 && blocks.arenas(b).length() == 1)
              .filter(b -> blocks.arenas(b).get(0) == a)
              .boxed()
              .sorted(Comparator.<Integer>comparingLong(blocks::fixedOffset))
              .collect(Collectors.toList());
      for (int i = 0; i < fixed.size(); i++) {
        int one = fixed.get(i);
        long from = blocks.fixedOffset(one);
        long end = from + problem.allocatedBytes(one, arena);
        if (blocks.alignedOffset(one, arena, from) != from) {
          return Optional.of(
              Diagnostic.of(
                      Kinds.CONSTRAINTS_CONFLICT,
                      Location.at(problem.describe(one)),
                      Message.format(
                          "it is fixed at %,d of %s, where it is not aligned",
                          from, problem.arena(arena)))
                  .aboutBuffer(one)
                  .help("move it to a multiple of its alignment"));
        }
        for (int j = i + 1; j < fixed.size() && blocks.fixedOffset(fixed.get(j)) < end; j++) {
          int other = fixed.get(j);
          long otherEnd = blocks.fixedOffset(other) + problem.allocatedBytes(other, arena);
          if (otherEnd > blocks.fixedOffset(other)
              && (blocks.conflict(one, other)
                  || blocks.clearOf(one, from, other, blocks.fixedOffset(other), a) != from)) {
            return Optional.of(
                Diagnostic.of(
                        Kinds.PINS_OVERLAP,
                        Location.at(problem.describe(other)),
                        Message.format(
                            "it is fixed at [%,d, %,d) of %s, in the bytes of %s at [%,d, %,d), %s",
                            blocks.fixedOffset(other),
                            otherEnd,
                            problem.arena(arena),
                            problem.describe(one),
                            from,
                            end,
                            problem.overlapInTime(one, other)
                                ? "while both are live"
                                : "with which it must not share any"))
                    .aboutBuffer(other)
                    .note(
                        Message.format(
                            "%s is live over steps %d..%d, %s over %d..%d",
                            problem.describe(one),
                            problem.stepNumber(problem.start(one)),
                            problem.stepNumber(problem.end(one)),
                            problem.describe(other),
                            problem.stepNumber(problem.start(other)),
                            problem.stepNumber(problem.end(other))))
                    .help("move one of them"));
          }
        }
      }
    }
    return Optional.empty();
  }
}
