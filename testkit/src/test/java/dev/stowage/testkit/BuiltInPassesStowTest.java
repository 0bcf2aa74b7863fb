package dev.stowage.testkit;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The textual tests of the installed passes. They are here, since the module of the passes cannot
 * use the test kit, which uses it; and they are no resources, since those are tested as copies, and
 * what is written anew must be the sources.
 */
class BuiltInPassesStowTest {
  @TestFactory
  Stream<DynamicTest> passes() {
    return StowTests.in(Path.of("src/test/stow"));
  }
}
