package dev.stowage.passes.memory;

import static dev.stowage.passes.Texts.SETTINGS;
import static dev.stowage.passes.memory.MemoryPasses.annotations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Placement;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.memmap.OperatorRule;
import dev.stowage.memmap.OperatorRule.Operands;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.planning.PlanRequest;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ApplyTargetRulesPassTest {
  private static final Program PROGRAM =
      ProgramParser.parse(
          "t",
          """
          program "p"
          method @m {
            tensor %0 "w" : f32[64] const
            graph @main {
              %1 "x" : f32[16] = input
              %2 "y" : f32[16] = conv2d(%1, %0)
              %3 "v" : f32[16] view %2 = view(bind %2)
              %4 "z" : f32[16] = relu(%3)
              output(%4)
            }
          }
          """);

  private static final MemoryMap MAP =
      MemoryMap.of(
          List.of(
              Bank.builder("dtcm", 4_096, 2).build(),
              Bank.builder("sram", 4_096, 1).attributes(List.of("dma")).build(),
              Bank.builder("sdram", 1 << 20, 3).attributes(List.of("dma")).build()));

  private static OperatorRule rule(
      String op, Operands on, List<String> requires, List<String> notBanks, int align, long over) {
    return new OperatorRule(
        op, on, ImmutableSet.copyOf(requires), ImmutableSet.copyOf(notBanks), align, over, "so");
  }

  private static PlanningSettings settings(OperatorRule... rules) {
    return new PlanningSettings(
        SETTINGS.planner(),
        PlanRequest.DEFAULT,
        Optional.of(MAP),
        Optional.empty(),
        OptionalInt.empty(),
        OptionalLong.empty(),
        ImmutableList.copyOf(rules));
  }

  private static Program run(String pipeline, OperatorRule... rules) {
    PassManager manager = PassManager.withInstalledPasses();
    return manager.run(PROGRAM, manager.pipeline("p", pipeline), settings(rules)).program();
  }

  @Test
  void rules_ofSeveralOperators_addUpOnTheStorages() {
    Program program =
        run(
            "apply-target-rules",
            rule("conv*", Operands.ALL, List.of("dma"), List.of(), 32, 0),
            rule("relu", Operands.INPUTS, List.of(), List.of("sdram"), 24, 8),
            rule("relu", Operands.RESULTS, List.of(), List.of("sram"), 1, 0));
    // The view is read by relu, so its storage is what the second rule is about.
    assertThat(annotations(program, MemoryKeys.NOT_ARENAS))
        .containsExactly("1=[2]", "2=[2, 3]", "4=[1]");
    assertThat(annotations(program, MemoryKeys.ALIGN)).containsExactly("1=32", "2=96");
    assertThat(annotations(program, MemoryKeys.OVER_READ)).containsExactly("2=8");
  }

  @Test
  void rules_runTwice_changeNothingMore() {
    OperatorRule rule = rule("*", Operands.ALL, List.of("dma"), List.of(), 48, 4);
    assertThat(run("apply-target-rules,apply-target-rules", rule))
        .isEqualTo(run("apply-target-rules", rule));
  }

  @Test
  void plan_default_placesByTheRules() {
    Program program =
        run("default", rule("conv2d", Operands.ALL, List.of("dma"), List.of("sdram"), 1, 0));
    assertThat(program.methods().get(0).get(MemoryKeys.PLACEMENT, 1).map(Placement::memId))
        .contains(1);
    assertThat(program.methods().get(0).get(MemoryKeys.PLACEMENT, 2).map(Placement::memId))
        .contains(1);
    // No rule is about what relu yields: it goes to the preferred bank.
    assertThat(program.methods().get(0).get(MemoryKeys.PLACEMENT, 4).map(Placement::memId))
        .contains(2);
  }

  @Test
  void rules_thatLeaveNoBank_nameTheTensorAndTheOperators() {
    Diagnostic fault =
        catchThrowableOfType(
                DiagnosticException.class,
                () ->
                    run(
                        "apply-target-rules",
                        rule("conv2d", Operands.RESULTS, List.of("dma"), List.of(), 1, 0),
                        rule("relu", Operands.INPUTS, List.of(), List.of("sram", "sdram"), 1, 0)))
            .diagnostic();
    assertThat(fault.kind()).isEqualTo(Kinds.CONSTRAINTS_CONFLICT);
    assertThat(fault.render())
        .contains("no bank is left for %2 (y)", "(conv2d): the rule for conv2d requires dma: so")
        .contains("(relu): the rule for relu never sram, sdram: so");
  }

  @Test
  void rules_withoutAMap_areNone() {
    PassManager manager = PassManager.withInstalledPasses();
    assertThat(
            manager.run(PROGRAM, manager.pipeline("p", "apply-target-rules"), SETTINGS).program())
        .isSameAs(PROGRAM);
  }
}
