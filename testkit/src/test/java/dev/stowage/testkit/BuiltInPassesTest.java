package dev.stowage.testkit;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import dev.stowage.passes.Pass;
import dev.stowage.passes.PassManager;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every pass that is installed is what it declares to be. */
class BuiltInPassesTest {
  /** The options to check a pass with; without an entry it is checked without options. */
  private static final ImmutableListMultimap<String, String> OPTIONS =
      ImmutableListMultimap.<String, String>builder()
          .putAll("plan", "", "profile=executorch", "profile=tflm,alignment=64", "strategy=naive")
          .putAll("elide-copies", "", "report=true", "copies=[pad,concatenation],part-align=1")
          .putAll("extend-lifetimes", "", "by=2,op=dma*", "keep=t1*")
          .putAll("pin-pool", "mem-id=2,op=relu", "mem-id=3,min-bytes=100,role=intermediate")
          .build();

  @TestFactory
  Stream<DynamicTest> passes_installed_areWhatTheyDeclare() {
    return PassManager.withInstalledPasses().passes().stream()
        .flatMap(pass -> options(pass).stream().map(options -> test(pass, options)));
  }

  private static ImmutableList<String> options(Pass pass) {
    ImmutableList<String> options = OPTIONS.get(pass.spec().name());
    return options.isEmpty() ? ImmutableList.of("") : options;
  }

  private static DynamicTest test(Pass pass, String options) {
    return DynamicTest.dynamicTest(
        pass.spec().name() + " {" + options + "}", () -> PassCheck.of(pass).with(options).check());
  }
}
