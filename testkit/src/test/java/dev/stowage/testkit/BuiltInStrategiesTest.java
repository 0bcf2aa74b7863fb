package dev.stowage.testkit;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import dev.stowage.base.Plugins;
import dev.stowage.planning.PlanningStrategy;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every strategy that is installed is what it declares to be. */
class BuiltInStrategiesTest {
  /** The options to check a strategy with; without an entry it is checked without options. */
  private static final ImmutableListMultimap<String, String> OPTIONS =
      ImmutableListMultimap.<String, String>builder()
          .putAll("greedy", "", "overlap=false")
          .putAll("banked-greedy", "", "overlap=false")
          .putAll("suite", "of=[greedy,greedy{overlap=false}]", "of=[naive]", "of=[banked-greedy]")
          .build();

  @TestFactory
  Stream<DynamicTest> strategies_installed_areWhatTheyDeclare() {
    return Plugins.NONE
        .providers(loader -> ServiceLoader.load(PlanningStrategy.class, loader))
        .stream()
        .flatMap(strategy -> options(strategy).stream().map(options -> test(strategy, options)));
  }

  private static ImmutableList<String> options(PlanningStrategy strategy) {
    ImmutableList<String> options = OPTIONS.get(strategy.spec().name());
    return options.isEmpty() ? ImmutableList.of("") : options;
  }

  private static DynamicTest test(PlanningStrategy strategy, String options) {
    return DynamicTest.dynamicTest(
        strategy.spec().name() + " {" + options + "}",
        () -> StrategyCheck.of(strategy).with(options).check());
  }
}
