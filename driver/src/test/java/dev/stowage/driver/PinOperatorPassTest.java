package dev.stowage.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.passes.Pass;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PipelineResult;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.Planner;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** The pass of the README does what the README says. */
final class PinOperatorPassTest {
  private static final Program PROGRAM =
      ProgramParser.parse(
          "t",
          """
          program "p"
          method @main {
            graph @main {
              %0 : f32[16] = input
              %1 : f32[16] = relu(%0)
              %2 : f32[16] = tanh(%1)
              output(%2)
            }
          }
          """);

  @Test
  void run_pipelineThatPinsThenPlans_placesTheResultInItsArena() {
    PipelineResult result = run("acme-pin-operator{op=tanh},plan");

    assertThat(result.plans()).allMatch(PlannedMethod::isVerified);
    assertThat(result.program().methods().get(0).get(MemoryKeys.PLACEMENT, 2).get().memId())
        .isEqualTo(2);
    assertThat(result.program().methods().get(0).get(MemoryKeys.PLACEMENT, 1).get().memId())
        .isEqualTo(1);
  }

  @Test
  void run_operatorThatIsNotThere_changesNothing() {
    assertThat(run("acme-pin-operator{op=conv}").program()).isSameAs(PROGRAM);
  }

  private static PipelineResult run(String pipeline) {
    PassManager manager =
        new PassManager(
            ImmutableList.<Pass>builder()
                .addAll(ServiceLoader.load(Pass.class))
                .add(new PinOperatorPass())
                .build());
    return manager.run(
        PROGRAM,
        manager.pipeline("test", pipeline),
        new PlanningSettings(
            Planner.withInstalledStrategies(),
            PlanRequest.DEFAULT,
            Optional.empty(),
            Optional.empty(),
            OptionalInt.empty(),
            OptionalLong.empty()));
  }
}
