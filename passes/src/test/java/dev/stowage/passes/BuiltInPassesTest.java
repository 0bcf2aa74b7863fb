package dev.stowage.passes;

import static dev.stowage.passes.Texts.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.ir.Program;
import dev.stowage.ir.structure.Structure;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.ir.text.ProgramPrinter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What holds for all passes that come with the framework, alone and together. */
class BuiltInPassesTest {
  private static final ImmutableList<String> CALLS =
      ImmutableList.of(
          "extend-lifetimes",
          "extend-lifetimes{by=1,op=conv*}",
          "extend-lifetimes{keep=\"x?\"}",
          "pin-pool{mem-id=2,role=intermediate,min-bytes=16,max-bytes=4KiB,dtype=u8}",
          "pin-pool{mem-id=3,role=input}",
          "print",
          "print{label=\"a b\"}",
          "strip-plan",
          "plan",
          "plan{profile=executorch,strategy=greedy{overlap=false}}",
          "plan{profile=tflm,alignment=64}",
          "verify");

  private static final Program PROGRAM =
      ProgramParser.parse(
          "t",
          """
          program "p"
          method @a {
            graph @main {
              %0 "x" : u8[64] = input
              %1 "y" : u8[32] = conv(%0)
              %2 "z" : u8[32] = conv2(%1, %0)
              output(%2)
            }
          }
          method @b { graph @main { %0 "x" : u8[16] = input  output(%0) } }
          """);

  private final PassManager manager = PassManager.withInstalledPasses();

  @Test
  void pipeline_generatedText_printsAndParsesBackEqual() {
    int valid = 0;
    for (int seed = 0; seed < 3_000; seed++) {
      Random random = new Random(seed);
      List<String> calls = new ArrayList<>();
      for (int i = 1 + random.nextInt(6); i > 0; i--) {
        String call = CALLS.get(random.nextInt(CALLS.size()));
        boolean whole = call.startsWith("pl") || call.startsWith("pr") || call.equals("verify");
        calls.add(!whole && random.nextInt(3) == 0 ? "method( " + call + " )" : call);
      }
      String text = String.join(" ,\n", calls);
      try {
        Pipeline pipeline = manager.pipeline("p", text);
        assertThat(manager.pipeline("p", pipeline.toString())).isEqualTo(pipeline);
        assertThat(manager.pipeline("p", pipeline.toString())).hasToString(pipeline.toString());
        check(manager.run(PROGRAM, pipeline, SETTINGS, RunOptions.DEFAULT.withChecks()));
        valid++;
      } catch (DiagnosticException e) {
        // A plan may be made, be made wrong by what the next one has to heed, and be verified.
        assertThat(e.diagnostic().kind()).as(text).isIn(Kinds.MISPLACED_PASS, Kinds.VERIFICATION);
      }
    }
    assertThat(valid).isBetween(500, 2_500);
  }

  private static void check(PipelineResult result) {
    assertThat(Structure.check(result.program())).isEmpty();
    assertThat(ProgramParser.parse("t", ProgramPrinter.print(result.program())))
        .isEqualTo(result.program());
    assertThat(result.plans()).allMatch(PlannedMethod::isVerified);
  }

  @Test
  void run_onOneThreadOrSeveral_givesTheSame() {
    Pipeline pipeline =
        manager.pipeline(
            "p", "extend-lifetimes{keep=x},pin-pool{mem-id=2,op=conv*},plan,print,verify");
    StringBuilder one = new StringBuilder();
    StringBuilder several = new StringBuilder();
    PipelineResult first =
        manager.run(
            PROGRAM, pipeline, SETTINGS, RunOptions.DEFAULT.withThreads(1).printingTo(one::append));
    PipelineResult second =
        manager.run(
            PROGRAM,
            pipeline,
            SETTINGS,
            RunOptions.DEFAULT.withThreads(4).printingTo(several::append));
    assertThat(second.program()).isEqualTo(first.program());
    assertThat(several.toString()).isEqualTo(one.toString()).contains("pin=2");
  }

  @Test
  void run_idempotentPasses_changeNothingTheSecondTime() {
    Program planned = manager.run(PROGRAM, Pipeline.of(Call.of("plan")), SETTINGS).program();
    for (String text : CALLS) {
      Call call = Call.parse("t", text);
      boolean idempotent =
          manager.specs().stream()
              .anyMatch(spec -> spec.name().equals(call.name()) && spec.isIdempotent());
      if (idempotent) {
        Program once = manager.run(planned, Pipeline.of(call), SETTINGS).program();
        if (!call.name().equals("verify")) {
          assertThat(manager.run(once, Pipeline.of(call), SETTINGS).program())
              .as(text)
              .isSameAs(once);
        }
      }
    }
  }

  @Test
  void specs_everyPass_saysWhatItIsFor() {
    for (PassSpec spec : manager.specs()) {
      assertThat(spec.summary()).as(spec.name()).isNotEmpty().doesNotEndWith(".");
      assertThat(spec.description()).as(spec.name()).endsWith(".");
    }
  }
}
