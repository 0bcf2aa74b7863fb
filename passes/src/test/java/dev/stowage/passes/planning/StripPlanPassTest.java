package dev.stowage.passes.planning;

import static dev.stowage.passes.Texts.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.Kinds;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PipelineResult;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.passes.Texts;
import org.junit.jupiter.api.Test;

class StripPlanPassTest {
  private final PassManager manager = PassManager.withInstalledPasses();

  private PipelineResult run(Program program, String pipeline) {
    return manager.run(program, manager.pipeline("p", pipeline), SETTINGS);
  }

  @Test
  void run_plannedMethods_losePlanAndResults() {
    Program program = Texts.program("", "%0 : u8[64] {pin=2, until=1} = input output(%0)");
    PipelineResult result = run(program, "plan,strip-plan");
    assertThat(result.program()).isEqualTo(program);
    assertThat(result.plans()).isEmpty();
    // What planning heeds is kept, and a plan can be made anew.
    assertThat(run(program, "plan,strip-plan,plan").plans()).hasSize(1);
  }

  @Test
  void run_methodsWithoutPlan_areTheSame() {
    Program program = Texts.program("", "%0 : u8[64] = input output(%0)");
    assertThat(run(program, "strip-plan").program()).isSameAs(program);
  }

  @Test
  void run_methodThatCouldNotBePlanned_keepsTheReason() {
    Program program =
        ProgramParser.parse(
            "t",
            """
            program "p"
            method @bad {
              graph @main { call @g  output() }
              graph @g { output() }
            }
            method @good { graph @main { %0 : u8[4] = input  output(%0) } }
            """);
    PipelineResult result = run(program, "plan,strip-plan");
    assertThat(result.program()).isEqualTo(program);
    assertThat(result.plans())
        .singleElement()
        .satisfies(
            plan -> {
              assertThat(plan.method()).isEqualTo("bad");
              assertThat(((PlannedMethod.Failed) plan.result()).why().kind())
                  .isEqualTo(Kinds.INPUT_UNSUPPORTED);
            });
  }

  @Test
  void withoutPlan_methodWhosePlanPlacesNothing_hasNoneLeft() {
    Program planned = run(Texts.program("", "output()"), "plan").program();
    assertThat(MemoryKeys.hasPlan(planned.methods().get(0))).isTrue();
    Program stripped = run(planned, "strip-plan").program();
    assertThat(MemoryKeys.hasPlan(stripped.methods().get(0))).isFalse();
  }
}
