import dev.stowage.planning.PlanningStrategy;

/** Checks of passes and strategies, textual tests of pipelines, and pages made of declarations. */
module dev.stowage.testkit {
  requires transitive dev.stowage.base;
  requires transitive dev.stowage.ir;
  requires transitive dev.stowage.passes;
  requires transitive dev.stowage.planning;
  requires dev.stowage.formats;
  requires dev.stowage.verifier;
  requires transitive org.junit.jupiter.api;
  requires static transitive org.jspecify;

  exports dev.stowage.testkit;

  uses PlanningStrategy;
}
