package dev.stowage.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.io.Source;
import dev.stowage.formats.ImportedModel;
import dev.stowage.formats.executorch.GraphDocumentImporter;
import dev.stowage.ir.Program;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.passes.Verification;
import dev.stowage.planning.Planner;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.RatedFinding;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/**
 * A network for which ExecuTorch 1.5.1 computes wrong numbers: the bytes below the result of an
 * in-place operator are given away while the result is still read.
 */
class InplaceHazardTest {
  private static final Path DOCUMENT =
      Path.of("src/test/resources/golden/graphs/pte/inplace_hazard.graph.json.gz");

  private final PassManager passManager = PassManager.withInstalledPasses();

  private PlannedMethod plan(String pipeline) {
    try (Source source = Source.open(DOCUMENT)) {
      ImportedModel model = GraphDocumentImporter.read(source).next().orThrow();
      PlanningSettings settings =
          new PlanningSettings(
              Planner.withInstalledStrategies(),
              model.requests().get(0).request(),
              Optional.empty(),
              Optional.empty(),
              OptionalInt.empty(),
              OptionalLong.empty());
      Program program = model.program();
      return passManager
          .run(program, passManager.pipeline("test", pipeline), settings)
          .plans()
          .get(0);
    }
  }

  private static PlannedMethod.Planned planned(PlannedMethod method) {
    return (PlannedMethod.Planned) method.result();
  }

  private static List<ClaimedPlan.Place> places(PlannedMethod method) {
    return Verification.claim(method.lowered(), planned(method).plan()).places();
  }

  @Test
  void executorchPipeline_inPlaceHazard_isPlannedAlikeAndWarnedAbout() {
    PlannedMethod method = plan("executorch");
    List<RatedFinding> findings = planned(method).verification().findings();
    assertThat(findings)
        .extracting(
            rated ->
                rated.severity()
                    + " "
                    + rated.finding().kind()
                    + " "
                    + rated.finding().subjects().stream().map(Finding.Subject::number).toList())
        .containsExactly("warning in-place-overlap [4, 7]", "warning in-place-overlap [4, 9]");
    // Tensor 4 holds the result of index_put_, which node 14 still reads.
    assertThat(findings.get(0).finding().message())
        .contains("tensor 4 (alloc) at [0, 128)", "tensor 7 (alloc_2) at [0, 128)", "(node 10)");
    assertThat(method.isVerified()).isTrue();
  }

  @Test
  void defaultPipeline_inPlaceHazard_isPlannedOtherwiseAndClean() {
    PlannedMethod method = plan("default");
    assertThat(planned(method).verification().findings()).isEmpty();
    assertThat(places(method)).isNotEqualTo(places(plan("executorch")));
  }
}
