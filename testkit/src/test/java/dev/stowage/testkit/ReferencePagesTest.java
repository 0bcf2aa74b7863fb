package dev.stowage.testkit;

import dev.stowage.base.Plugins;
import dev.stowage.memmap.TargetCatalog;
import dev.stowage.passes.PassManager;
import dev.stowage.planning.Planner;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The pages in {@code docs} say what the installed passes, strategies and targets declare. */
class ReferencePagesTest {
  @Test
  void passes_page_isAsDeclared() {
    ReferencePage.ofPasses(PassManager.withInstalledPasses().passes())
        .check(Path.of("../docs/passes.md"));
  }

  @Test
  void strategies_page_isAsDeclared() {
    ReferencePage.ofStrategies(Planner.withInstalledStrategies().strategies())
        .check(Path.of("../docs/strategies.md"));
  }

  @Test
  void targets_page_isAsDeclared() {
    ReferencePage.ofTargets(TargetCatalog.withTargetsOf(Plugins.NONE).all())
        .check(Path.of("../docs/targets.md"));
  }
}
