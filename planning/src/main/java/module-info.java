import dev.stowage.planning.PlanningStrategy;
import dev.stowage.planning.strategies.BankedGreedyStrategy;
import dev.stowage.planning.strategies.ExhaustiveStrategy;
import dev.stowage.planning.strategies.FirstFitStrategy;
import dev.stowage.planning.strategies.GreedyStrategy;
import dev.stowage.planning.strategies.NaiveStrategy;
import dev.stowage.planning.strategies.SuiteStrategy;

/** Planning problems, plans, bounds, the strategy interface and the strategies. */
module dev.stowage.planning {
  requires transitive dev.stowage.base;
  requires transitive dev.stowage.memmap;
  requires static transitive org.jspecify;

  exports dev.stowage.planning;

  uses PlanningStrategy;

  provides PlanningStrategy with
      BankedGreedyStrategy,
      ExhaustiveStrategy,
      FirstFitStrategy,
      GreedyStrategy,
      NaiveStrategy,
      SuiteStrategy;
}
