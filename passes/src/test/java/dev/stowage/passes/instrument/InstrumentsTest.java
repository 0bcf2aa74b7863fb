package dev.stowage.passes.instrument;

import static dev.stowage.passes.Texts.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.passes.Pass;
import dev.stowage.passes.PassInstrumentation;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.RunOptions;
import dev.stowage.passes.Statistic;
import dev.stowage.passes.TestPasses;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class InstrumentsTest {
  private static final Statistic PINNED = new Statistic("pinned", "tensors pinned");
  private static final Program PROGRAM =
      ProgramParser.parse(
          "t",
          """
          program "p"
          method @a {
            graph @main {
              %0 : u8[64] = input
              output(%0)
            }
          }
          method @b {
            graph @main {
              %0 : u8[64] = input
              output(%0)
            }
          }
          """);

  private static final Pass PIN =
      TestPasses.ofMethod(
          "pin",
          spec -> spec.statistics(PINNED),
          (method, context) -> {
            context.analyses().liveness(method);
            context.count(PINNED, 1200);
            return method.edit().annotate(0, MemoryKeys.PIN, 3).build();
          });
  private static final Pass NOTHING =
      TestPasses.ofProgram("nothing", spec -> spec, (program, context) -> program);
  private static final Pass BROKEN =
      TestPasses.ofProgram(
          "broken",
          spec -> spec,
          (program, context) -> {
            throw new IllegalStateException("boom");
          });

  private static void run(String pipeline, PassInstrumentation observer) {
    PassManager manager = new PassManager(ImmutableList.of(PIN, NOTHING, BROKEN));
    manager.run(
        PROGRAM,
        manager.pipeline("t", pipeline),
        SETTINGS,
        RunOptions.DEFAULT.observedBy(observer));
  }

  @Test
  void timing_tree_hasPassesMethodsAndAnalyses() {
    Timing timing = new Timing();
    run("nothing,pin,nothing", timing);
    List<String> labels =
        Splitter.on('\n')
            .omitEmptyStrings()
            .splitToStream(timing.table())
            .map(line -> line.replaceFirst("^ *[0-9.]+ +[0-9.]+  ", ""))
            .toList();
    assertThat(labels)
        .containsExactly(
            "        ms      %  pass",
            "total",
            "  nothing",
            "  pin",
            "    a",
            "    b",
            "    (analysis) schedule",
            "    (analysis) lifetimes",
            "    (analysis) liveness",
            "  nothing");
  }

  @Test
  void timing_passThatFails_isInTheTree() {
    Timing timing = new Timing();
    assertThatThrownBy(() -> run("nothing,broken", timing)).hasMessageContaining("boom");
    assertThat(timing.table()).contains("  nothing\n").contains("  broken (failed)\n");
  }

  @Test
  void statistics_severalRuns_addUp() {
    Statistics statistics = new Statistics();
    run("pin", statistics);
    run("pin,nothing", statistics);
    assertThat(statistics.count("pin", PINNED)).isEqualTo(4800);
    assertThat(statistics.count("nothing", PINNED)).isZero();
    assertThat(statistics.table())
        .isEqualTo(
            """
                 count  pass
                        pin
                 4,800    tensors pinned
                        nothing
            """);
  }

  @Test
  void irPrinting_afterNames_printsTheWholeProgramWhenTheyHaveRun() {
    StringBuilder printed = new StringBuilder();
    run("nothing,pin,nothing", IrPrinting.after(List.of("pin"), printed::append));
    assertThat(printed.toString())
        .startsWith("# ----- program after pin (2 of 3) -----\nprogram \"p\"");
    Program read = ProgramParser.parse("t", printed.toString());
    assertThat(read.methods().get(1).get(MemoryKeys.PIN, 0)).hasValue(3);
  }

  @Test
  void irPrinting_beforeAll_printsBeforeEach() {
    StringBuilder printed = new StringBuilder();
    run("pin,nothing", IrPrinting.before(List.of(IrPrinting.ALL), printed::append));
    assertThat(Pattern.compile("# -----.*").matcher(printed).results().map(it -> it.group()))
        .containsExactly(
            "# ----- program before pin (1 of 2) -----",
            "# ----- program before nothing (2 of 2) -----");
  }

  @Test
  void irPrinting_afterChange_isADiffOfWhatChanged() {
    StringBuilder printed = new StringBuilder();
    run("nothing,pin,pin", IrPrinting.afterChange(printed::append));
    assertThat(printed.toString())
        .isEqualTo(
            """
            # ----- program change by pin (2 of 3) -----
            @@ -3,5 +3,5 @@
             method @a {
               graph @main {
            -    %0 : u8[64] = input
            +    %0 : u8[64] {pin=3} = input
                 output(%0)
               }
            @@ -10,5 +10,5 @@
             method @b {
               graph @main {
            -    %0 : u8[64] = input
            +    %0 : u8[64] {pin=3} = input
                 output(%0)
               }

            """);
  }
}
