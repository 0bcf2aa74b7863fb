package dev.stowage.passes.planning;

import static dev.stowage.passes.Texts.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.Call;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Placement;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PipelineResult;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.passes.Texts;
import dev.stowage.planning.PlanRequest;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class PlanPassTest {
  private static final Program PROGRAM =
      Texts.program(
          "",
          """
          %0 : u8[64] = input
          %1 : u8[32] = relu(%0)
          %2 : u8[32] mutates %1 = add_(inout %1, %1)
          %3 : u8[16] view %2+16 = view(bind %2)
          %4 : u8[20] = relu(%3)
          output(%4)
          """);

  private final PassManager manager = PassManager.withInstalledPasses();

  private PipelineResult run(Program program, String pipeline, PlanningSettings settings) {
    return manager.run(program, manager.pipeline("t", pipeline), settings);
  }

  private PlannedMethod plan(String pipeline, PlanningSettings settings) {
    return run(PROGRAM, pipeline, settings).plans().get(0);
  }

  private DiagnosticKind fault(String pipeline) {
    return catchThrowableOfType(DiagnosticException.class, () -> plan(pipeline, SETTINGS))
        .diagnostic()
        .kind();
  }

  private static PlanningSettings settings(
      Optional<String> strategy, OptionalInt alignment, PlanRequest request) {
    return new PlanningSettings(
        SETTINGS.planner(),
        request,
        Optional.empty(),
        strategy.map(text -> Call.parse("t", text)),
        alignment,
        OptionalLong.empty());
  }

  private static PlanningSettings capacity(long bytes) {
    return new PlanningSettings(
        SETTINGS.planner(),
        PlanRequest.DEFAULT,
        Optional.empty(),
        Optional.empty(),
        OptionalInt.empty(),
        OptionalLong.of(bytes));
  }

  @Test
  void run_method_placesItsStoragesAndListsItsArenas() {
    PipelineResult result = run(PROGRAM, "plan{strategy=naive}", SETTINGS);
    Method method = result.program().methods().get(0);
    assertThat(method.get(MemoryKeys.ARENAS)).contains(ImmutableLongArray.of(0, 128));
    assertThat(method.get(MemoryKeys.PLACEMENT, 0)).contains(new Placement(1, 0, 0));
    assertThat(method.get(MemoryKeys.PLACEMENT, 1)).contains(new Placement(1, 0, 64));
    assertThat(method.get(MemoryKeys.PLACEMENT, 4)).contains(new Placement(1, 0, 96));
    // A handle has the place of the bytes it is a handle to, not one of its own.
    assertThat(method.get(MemoryKeys.PLACEMENT, 3)).contains(new Placement(1, 0, 64));
    String text = ProgramPrinter.print(result.program());
    assertThat(text).containsOnlyOnce("placement=1:64:0").contains("arenas=0:128");
    assertThat(ProgramParser.parse("t", text)).isEqualTo(result.program());
    assertThat(result.plans().get(0).isVerified()).isTrue();
  }

  @Test
  void run_planningFails_dropsTheOldPlaces() {
    Program placed = run(PROGRAM, "plan", SETTINGS).program();
    PipelineResult result = run(placed, "plan", capacity(64));
    PlannedMethod plan = result.plans().get(0);
    assertThat(((PlannedMethod.Failed) plan.result()).why().kind()).isEqualTo(Kinds.UNPLACEABLE);
    assertThat(plan.isVerified()).isFalse();
    assertThat(result.program()).isEqualTo(PROGRAM);
  }

  @Test
  void run_methodThatCannotBeLowered_failsAloneAndDropsItsPlaces() {
    Program program =
        ProgramParser.parse(
            "t",
            """
            program "p"
            method @bad {arenas=0:64} {
              graph @main { %0 : u8[4] {placement=1:0:0} = input  call(%0) @g  output(%0) }
              graph @g { output() }
            }
            method @good { graph @main { %0 : u8[4] = input  output(%0) } }
            """);
    PipelineResult result = run(program, "plan", SETTINGS);
    PlannedMethod bad = result.plans().get(0);
    assertThat(bad.method()).isEqualTo("bad");
    assertThat(((PlannedMethod.Failed) bad.result()).why().kind())
        .isEqualTo(Kinds.INPUT_UNSUPPORTED);
    assertThat(bad.lowered().problem().bufferCount()).isZero();
    assertThat(result.plans().get(1).isVerified()).isTrue();
    assertThat(result.program().methods().get(0).keys()).isEmpty();
    assertThat(result.program().methods().get(1).keys())
        .containsExactly(
            MemoryKeys.PLACEMENT, MemoryKeys.PROFILE, MemoryKeys.ALIGNMENT, MemoryKeys.ARENAS);
  }

  @Test
  void run_returnedInPlaceSpecOfExecutorch_placesNoBytes() {
    Program program =
        Texts.program(
            "",
            """
            %0 : u8[64] = input
            %1 : u8[64] = relu(%0)
            %2 : u8[64] mutates %1 = add_(inout %1, %0)
            output(%2)
            """);
    PipelineResult result = run(program, "plan{profile=executorch,strategy=naive}", SETTINGS);
    Method method = result.program().methods().get(0);
    assertThat(method.get(MemoryKeys.PLACEMENT, 1)).contains(new Placement(1, 0, 64));
    assertThat(method.get(MemoryKeys.PLACEMENT, 2)).contains(new Placement(1, 0, 64));
    assertThat(method.get(MemoryKeys.ARENAS)).contains(ImmutableLongArray.of(0, 192));
  }

  @Test
  void run_plannedTwice_keepsTheLastPlans() {
    PipelineResult result = run(PROGRAM, "plan{strategy=naive},plan", SETTINGS);
    assertThat(result.plans()).hasSize(1);
    assertThat(result.plans().get(0).strategy()).hasToString("greedy");
  }

  @Test
  void strategy_severalAsk_callerThenPipelineThenFile() {
    PlanRequest file = PlanRequest.DEFAULT.withStrategy(Call.of("naive"));
    PlanningSettings caller =
        settings(Optional.of("greedy{overlap=false}"), OptionalInt.empty(), file);
    PlanningSettings noCaller = settings(Optional.empty(), OptionalInt.empty(), file);
    String pipeline = "plan{strategy=suite{of=[naive]}}";
    assertThat(plan(pipeline, caller).strategy()).hasToString("greedy{overlap=false}");
    assertThat(plan(pipeline, noCaller).strategy()).hasToString("suite{of=[naive]}");
    assertThat(plan("plan", noCaller).strategy()).hasToString("naive");
    assertThat(plan("plan", SETTINGS).strategy()).hasToString("greedy");
  }

  @Test
  void strategy_nobodyAsks_isBankedGreedyBesideAMap() {
    PlanningSettings banks =
        new PlanningSettings(
            SETTINGS.planner(),
            PlanRequest.DEFAULT,
            Optional.of(MemoryMap.of(List.of(Bank.builder("sram", 1_024, 3).build()))),
            Optional.empty(),
            OptionalInt.empty(),
            OptionalLong.empty());
    PlannedMethod plan = plan("plan", banks);
    assertThat(plan.strategy()).hasToString("banked-greedy");
    assertThat(plan.lowered().problem().arena(0).name()).isEqualTo("sram");
    assertThat(plan.isVerified()).isTrue();
  }

  @Test
  void alignment_severalAsk_callerThenPipelineThenFile() {
    PlanRequest file = PlanRequest.DEFAULT.withAlignment(64);
    PlanningSettings caller = settings(Optional.empty(), OptionalInt.of(8), file);
    PlanningSettings noCaller = settings(Optional.empty(), OptionalInt.empty(), file);
    assertThat(alignment("plan{alignment=32}", caller)).isEqualTo(8);
    assertThat(alignment("plan{alignment=32}", noCaller)).isEqualTo(32);
    assertThat(alignment("plan", noCaller)).isEqualTo(64);
    assertThat(alignment("plan", SETTINGS)).isEqualTo(16);
  }

  private int alignment(String pipeline, PlanningSettings settings) {
    return plan(pipeline, settings).lowered().problem().alignment();
  }

  @Test
  void run_valuesThatNameNothing_areTheUsersErrors() {
    assertThat(fault("plan{profile=exekutorch}")).isEqualTo(Kinds.UNKNOWN_PROFILE);
    assertThat(fault("plan{strategy=greedi}")).isEqualTo(Kinds.UNKNOWN_STRATEGY);
    assertThat(fault("plan{strategy=greedy{overlap=7}}")).isEqualTo(Kinds.OPTION_VALUE);
    assertThat(fault("plan{alignment=0}")).isEqualTo(Kinds.OPTION_VALUE);
    assertThat(fault("plan{alignment=8GiB}")).isEqualTo(Kinds.OPTION_VALUE);
  }
}
