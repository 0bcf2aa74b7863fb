package dev.stowage.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.stowage.formats.ImportedModel;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PipelineResult;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.Planner;
import dev.stowage.verifier.FindingKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Plans of ExecuTorch 1.5.1 for random graphs and real networks, compared to the bit under {@code
 * executorch}, and planned without an error under {@code default}. The rules of comparison are
 * those of the script that comes with the data: see the README beside it.
 */
final class GoldenGraphsTest {
  private final PassManager passManager = PassManager.withInstalledPasses();
  private final Planner planner = Planner.withInstalledStrategies();

  @Test
  void executorchPipeline_goldenGraphs_sameArenasOrdersLifetimesAndPlacements() throws IOException {
    List<String> wrong = new ArrayList<>();
    int compared = 0;
    for (GoldenGraphs.Document document : GoldenGraphs.documents()) {
      for (int k = 0; k < document.plans().size(); k++) {
        JsonNode plan = document.plans().get(k);
        if (GoldenGraphs.isLeftOut(document, plan)) {
          continue;
        }
        compared++;
        int number = k;
        PlannedMethod ours = run(document, k, "executorch");
        // What its rules force is tolerated; a plan of theirs is never an error beyond that.
        assertThat(ours.result() instanceof PlannedMethod.Failed || ours.isVerified())
            .as("%s plan %s: %s", document.name(), k, ours)
            .isTrue();
        GoldenGraphs.judge(plan, ours)
            .ifPresent(why -> wrong.add(document.name() + " plan " + number + ": " + why));
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(compared).isEqualTo(3367);
  }

  @Test
  void defaultPipeline_goldenGraphs_plannedWithoutErrors() throws IOException {
    List<String> wrong = new ArrayList<>();
    int planned = 0;
    int refusedAlike = 0;
    for (GoldenGraphs.Document document : GoldenGraphs.documents()) {
      if (document.name().contains("/shared_alloc")) {
        continue; // Below: these declare what cannot be planned well.
      }
      for (int k = 0; k < document.plans().size(); k++) {
        JsonNode plan = document.plans().get(k);
        if (GoldenGraphs.isLeftOut(document, plan)) {
          continue;
        }
        PlannedMethod ours = run(document, k, "default");
        String oracleError = plan.path("results").path(0).path("error").path("message").asText("");
        if (ours.result() instanceof PlannedMethod.Failed failed) {
          String kind = failed.why().kind().name();
          boolean alike =
              (oracleError.contains("is pinned to bank") && kind.equals("pin-does-not-fit"))
                  || (oracleError.contains("does not support storage-backed")
                      && kind.equals("strategy-refuses-storage"));
          if (!alike) {
            wrong.add(document.name() + " plan " + k + ": " + failed.why().render());
          }
          refusedAlike += alike ? 1 : 0;
        } else if (ours.isVerified()) {
          planned++;
        } else {
          wrong.add(document.name() + " plan " + k + ": " + ours.result());
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(planned + refusedAlike).isEqualTo(2779);
  }

  @Test
  void defaultPipeline_sharedAllocations_plannedOrRefusedForWhatTheyDeclare() throws IOException {
    Map<String, Integer> refused = new TreeMap<>();
    Map<FindingKind, Integer> found = new TreeMap<>();
    int planned = 0;
    for (String family : List.of("shared_alloc", "shared_alloc_wrong")) {
      for (GoldenGraphs.Document document : GoldenGraphs.random(family)) {
        for (int k = 0; k < document.plans().size(); k++) {
          PlannedMethod ours = run(document, k, "default");
          if (ours.result() instanceof PlannedMethod.Failed failed) {
            refused.merge(failed.why().kind().name(), 1, Integer::sum);
          } else {
            planned++;
            ((PlannedMethod.Planned) ours.result())
                .verification()
                .findings()
                .forEach(it -> found.merge(it.finding().kind(), 1, Integer::sum));
          }
        }
      }
    }
    assertThat(planned + refused.values().stream().mapToInt(count -> count).sum()).isEqualTo(588);
    assertThat(refused.keySet())
        .isSubsetOf(
            "storage-does-not-fit",
            "storage-misaligned",
            "storage-unresolved",
            "strategy-refuses-storage");
    // The graphs themselves put results on one another in one base.
    assertThat(found.keySet()).isSubsetOf(FindingKind.SIBLING_OVERLAP);
    assertThat(planned).isEqualTo(391);
  }

  private PlannedMethod run(GoldenGraphs.Document document, int k, String pipeline) {
    ImportedModel.Request request = document.model().requests().get(k);
    assertThat(request.refusal()).as(document.name()).isEmpty();
    PlanRequest asked = request.request();
    Program program = document.model().program();
    for (Method method : program.methods()) {
      program =
          program.with(
              method
                  .edit()
                  .annotate(
                      MemoryKeys.ALLOCATION,
                      new Allocation(asked.inputs(), asked.outputs(), asked.state()))
                  .build());
    }
    PipelineResult result =
        passManager.run(
            program,
            passManager.pipeline("test", pipeline),
            new PlanningSettings(
                planner,
                asked,
                request.map(),
                Optional.empty(),
                OptionalInt.empty(),
                OptionalLong.empty()));
    return result.plans().get(0);
  }
}
