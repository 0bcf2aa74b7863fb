package dev.stowage.testkit;

import dev.stowage.passes.PlanningSettings;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.Planner;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Settings of planning that ask for nothing. */
final class PlainSettings {
  private PlainSettings() {}

  /** One arena without limits, and the installed strategies. */
  static PlanningSettings create() {
    return new PlanningSettings(
        Planner.withInstalledStrategies(),
        PlanRequest.DEFAULT,
        Optional.empty(),
        Optional.empty(),
        OptionalInt.empty(),
        OptionalLong.empty());
  }
}
