package com.acme.stowage;

import dev.stowage.passes.Pass;
import dev.stowage.testkit.PassCheck;
import dev.stowage.testkit.StowTests;
import dev.stowage.testkit.StrategyCheck;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The plug-in keeps what it declares. */
class AcmePluginTest {
  @Test
  void pinOperator() {
    PassCheck.of(new PinOperatorPass()).with("op=add").check();
  }

  @Test
  void firstFit() {
    StrategyCheck.of(new FirstFitStrategy()).check();
  }

  /** Programs with what is expected of them beside them, in {@code src/test/stow}. */
  @TestFactory
  Stream<DynamicTest> pipelines() {
    return StowTests.in(Path.of("src/test/stow"), ServiceLoader.load(Pass.class));
  }
}
