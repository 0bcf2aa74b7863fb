package dev.stowage.planning.strategies;

import static java.util.Comparator.comparingInt;
import static java.util.Comparator.comparingLong;

import dev.stowage.base.Call;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.planning.Blocks;
import dev.stowage.planning.PlanningContext;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.planning.PlanningStrategy;
import dev.stowage.planning.StrategySpec;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * First fit over sized arenas: each buffer at the lowest free offset of the first arena, in order
 * of preference, that has room for it. It honours everything that a problem may ask.
 *
 * <p>Fixed places come first, then what has one arena only, then the rest, each in the order asked
 * for. By size it is the rule of TensorFlow Lite Micro's planner (largest first, lowest offset that
 * is free), over several arenas.
 */
public final class FirstFitStrategy implements PlanningStrategy {
  private enum Order {
    SIZE,
    AREA,
    LIFETIME,
    START
  }

  private static final OptionSpec<Order> ORDER =
      OptionSpec.of(
          "order",
          "which buffer is next: the largest, that of most bytes times steps, the longest live, or"
              + " the first to live",
          OptionType.choice(Order.class),
          Order.SIZE);

  private static final StrategySpec SPEC =
      StrategySpec.named("first-fit")
          .summary("the lowest free offset in the first arena with room")
          .options(ORDER)
          .honours(Constraints.ALL_BUT_OBJECTIVE)
          .fallbacks(
              10,
              Call.of("first-fit"),
              Call.parse("first-fit", "first-fit{order=area}"),
              Call.parse("first-fit", "first-fit{order=lifetime}"),
              Call.parse("first-fit", "first-fit{order=start}"))
          .build();

  @Override
  public StrategySpec spec() {
    return SPEC;
  }

  @Override
  public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
    int[] order =
        IntStream.range(0, problem.bufferCount())
            .boxed()
            .sorted(by(context.get(ORDER), problem))
            .mapToInt(i -> i)
            .toArray();
    return FreeOffsetPlanning.plan(
        problem, new Blocks(problem), order, context, FreeOffsetPlanning.Rule.FIRST_WITH_ROOM);
  }

  private static Comparator<Integer> by(Order order, PlanningProblem problem) {
    Comparator<Integer> bySize = comparingLong(problem::sizeBytes).reversed();
    Comparator<Integer> byLength =
        Comparator.<Integer>comparingLong(i -> (long) problem.end(i) - problem.start(i)).reversed();
    Comparator<Integer> first =
        switch (order) {
          case SIZE -> bySize.thenComparing(byLength);
          case AREA ->
              Comparator.<Integer>comparingDouble(
                      i -> problem.sizeBytes(i) * (problem.end(i) - problem.start(i) + 1.0))
                  .reversed()
                  .thenComparing(bySize);
          case LIFETIME -> byLength.thenComparing(bySize);
          case START -> comparingInt(problem::start).thenComparing(bySize);
        };
    return first.thenComparing(Comparator.naturalOrder());
  }
}
