package dev.stowage.passes.planning;

import static dev.stowage.passes.Texts.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.ir.AnnotationKey;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PipelineResult;
import dev.stowage.passes.Texts;
import org.junit.jupiter.api.Test;

class VerifyPassTest {
  private static final Program CHAIN =
      Texts.program(
          "",
          """
          %0 : u8[64] = input
          %1 : u8[64] = f(%0)
          %2 : u8[64] = f(%1)
          %3 : u8[64] = f(%2)
          output(%3)
          """);

  private final PassManager manager = PassManager.withInstalledPasses();

  private PipelineResult run(Program program, String pipeline) {
    return manager.run(program, manager.pipeline("p", pipeline), SETTINGS);
  }

  private Diagnostic fault(Program program, String pipeline) {
    return catchThrowableOfType(DiagnosticException.class, () -> run(program, pipeline))
        .diagnostic();
  }

  @Test
  void run_planOfThePipelineOrOfTheInput_isLeftAsItIs() {
    Program planned = run(CHAIN, "plan{alignment=1},verify").program();
    assertThat(run(planned, "verify").program()).isSameAs(planned);
  }

  @Test
  void run_planThatNewLifetimesOrPinsMakeWrong_endsThePipeline() {
    Program planned = run(CHAIN, "plan").program();
    Diagnostic fault = fault(annotated(planned, MemoryKeys.UNTIL, 4), "verify");
    assertThat(fault.kind()).isEqualTo(Kinds.VERIFICATION);
    assertThat(fault.location().place()).isEqualTo("m");
    assertThat(fault.message())
        .startsWith("the verifier found 2 errors in the plan, the first: overlap: tensor 0 at [")
        .contains("share bytes while both are live");
    assertThat(fault.notes()).singleElement().asString().startsWith("also: m: overlap: tensor 1 ");
    assertThat(fault(annotated(planned, MemoryKeys.PIN, 2), "verify").message())
        .contains("wrong-arena");
  }

  private static Program annotated(Program program, AnnotationKey<Integer> key, int value) {
    Method method = program.methods().get(0);
    GraphEditor editor = method.edit();
    method.tensors().forEach(tensor -> editor.annotate(tensor.id(), key, value));
    return program.with(editor.build());
  }

  @Test
  void run_afterPassesThatMakeAPlanStale_isRefused() {
    for (String stale : new String[] {"extend-lifetimes{keep=*}", "pin-pool{mem-id=2}"}) {
      Program planned = run(CHAIN, "plan").program();
      assertThat(fault(planned, stale + ",verify").kind()).isEqualTo(Kinds.MISPLACED_PASS);
      assertThat(MemoryKeys.hasPlan(run(planned, stale).program().methods().get(0))).isFalse();
    }
  }

  @Test
  void run_twoWrongMethods_areBothTold() {
    String method =
        "method @%s {arenas=0:64} { graph @main { %%0 : u8[8] {placement=1:%d:0} = input"
            + " output(%%0) } }\n";
    Program program =
        ProgramParser.parse(
            "t",
            "program \"p\"\n"
                + method.formatted("a", 0)
                + method.formatted("b", 8)
                + method.formatted("c", 60));
    Diagnostic fault = fault(program, "verify");
    assertThat(fault.message())
        .startsWith("the verifier found 3 errors in the plan, the first: misaligned");
    assertThat(fault.location().place()).isEqualTo("b");
    assertThat(fault.notes()).hasSize(2).allMatch(note -> note.startsWith("also: c: "));
  }

  @Test
  void run_whatTheProfileTolerates_isAWarning() {
    Program hazard =
        Texts.program(
            "",
            """
            %0 : u8[64] = input
            %1 : u8[64] = relu(%0)
            %2 : u8[64] mutates %1 = add_(inout %1, %0)
            %3 : u8[64] = relu(%0)
            %4 : u8[64] = add(%2, %3)
            output(%4)
            """);
    Program planned = run(hazard, "plan{profile=executorch}").program();
    // The profile of the plan counts, not the option.
    assertThat(run(planned, "verify{profile=tflm}").warnings())
        .isNotEmpty()
        .allMatch(warning -> warning.message().startsWith("in-place-overlap: "));
  }

  @Test
  void run_planThatDoesNotSayItsProfile_goesByTheOption() {
    Program program =
        Texts.program(
            "arenas=0:64",
            """
            %0 : u8[64] {placement=1:0:0} = input
            %1 : u8[64] {placement=1:0:0} mutates %0 = f(inout %0)
            output(%1)
            """
                .replace("{placement=1:0:0} mutates", "mutates"));
    assertThat(run(program, "verify").program()).isSameAs(program);
    assertThat(fault(program, "verify{profile=tflm}").kind()).isEqualTo(Kinds.INPUT_UNSUPPORTED);
    assertThat(fault(program, "verify{profile=tfml}").kind()).isEqualTo(Kinds.UNKNOWN_PROFILE);
  }

  @Test
  void run_noPlan_isRefusedBeforeAnythingRuns() {
    assertThat(fault(CHAIN, "verify").kind()).isEqualTo(Kinds.MISPLACED_PASS);
    Diagnostic fault = fault(CHAIN, "plan,strip-plan,verify");
    assertThat(fault.kind()).isEqualTo(Kinds.MISPLACED_PASS);
    assertThat(fault.message())
        .isEqualTo(
            "verify requires that the program has a plan: without one there is nothing to verify");
    assertThat(fault.help()).isEqualTo("put verify before strip-plan");
  }

  @Test
  void run_planOfNothing_isAPlan() {
    Program empty = Texts.program("", "output()");
    Program planned = run(empty, "plan").program();
    assertThat(run(planned, "verify").warnings()).isEmpty();
  }

  @Test
  void run_methodWithoutAPlanBesideOthers_isAWarning() {
    Program program =
        ProgramParser.parse(
            "t",
            """
            program "p"
            method @a {arenas=0} { graph @main { output() } }
            method @b { graph @main { output() } }
            """);
    assertThat(run(program, "verify").warnings())
        .singleElement()
        .satisfies(
            warning ->
                assertThat(warning.renderWarning())
                    .startsWith("b: warning[verification]: the method carries no plan"));
  }
}
