package dev.stowage.planning;

/** A strategy threw an exception: a defect of it, not of the input. */
public final class StrategyFailedException extends RuntimeException {
  /** Names the strategy and the file that it came from. */
  StrategyFailedException(PlanningStrategy strategy, Throwable cause) {
    super(
        "strategy '%s' from %s failed: %s"
            .formatted(strategy.spec().name(), origin(strategy.getClass()), cause),
        cause);
  }

  private static String origin(Class<?> type) {
    var source = type.getProtectionDomain().getCodeSource();
    return source == null ? type.getModule().toString() : source.getLocation().getPath();
  }
}
