package dev.stowage.passes.memory;

import static dev.stowage.passes.memory.MemoryPasses.annotations;
import static dev.stowage.passes.memory.MemoryPasses.fault;
import static dev.stowage.passes.memory.MemoryPasses.run;
import static dev.stowage.passes.memory.MemoryPasses.statistics;
import static dev.stowage.passes.memory.MemoryPasses.warnings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.passes.Texts;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExtendLifetimesPassTest {
  private static final Program CHAIN =
      Texts.program(
          "",
          """
          %0 "x" : u8[64] = input
          %1 "a" : u8[64] = dma_in(%0)
          %2 "b" : u8[64] = conv(%1)
          30: %3 "c" : u8[64] = conv(%2)
          %4 "d" : u8[64] = dma_out(%3)
          output(%4)
          """);

  private static List<String> untils(Program program, String pipeline) {
    return annotations(run(program, pipeline).program(), MemoryKeys.UNTIL);
  }

  @ParameterizedTest
  @CsvSource({
    "'by=1,op=conv', '1=30 2=31'",
    "'by=2,op=dma*', '0=30 3=32'",
    // At most to the last node of the graph.
    "'by=2147483647,op=*', '0=32 1=32 2=32 3=32'",
    "'by=0,op=*', ''",
    "'keep=b', '2=32'",
    "'keep=*', '0=32 1=32 2=32 3=32'",
    "'by=1,op=dma_in,keep=c', '0=2 3=32'",
  })
  void run_options_sayUntilWhichNode(String options, String expected) {
    assertThat(String.join(" ", untils(CHAIN, "extend-lifetimes{" + options + "}")))
        .isEqualTo(expected);
  }

  @Test
  void run_again_changesNothingAndCountsNothing() {
    String pipeline = "extend-lifetimes{by=1,op=conv}";
    Program once = run(CHAIN, pipeline).program();
    assertThat(run(once, pipeline).program()).isSameAs(once);
    assertThat(statistics(CHAIN, pipeline)).containsEntry("extended", 2L);
    assertThat(statistics(CHAIN, pipeline + "," + pipeline)).containsEntry("extended", 2L);
    assertThat(run(CHAIN, "extend-lifetimes").program()).isSameAs(CHAIN);
  }

  @Test
  void run_longerUntilThatIsThere_staysAsItIs() {
    Program program =
        Texts.program(
            "",
            """
            %0 : u8[64] {until=3} = input
            %1 : u8[64] {until=1} = conv(%0)
            %2 : u8[64] = conv(%1)
            %3 : u8[64] = conv(%2)
            output(%3)
            """);
    assertThat(untils(program, "extend-lifetimes{by=1,op=conv}"))
        .containsExactly("0=3", "1=3", "2=4");
  }

  @Test
  void run_onlyReads_areLate() {
    Program program =
        Texts.program(
            "",
            """
            %0 : u8[64] = alloc
            %1 : u8[64] = alloc
            %2 : u8[64] = input
            %3 : u8[64] same %0 = f(%2, out %0, inout %1)
            %4 : u8[32] view %2 = view(%2)
            g(bind %2)
            free(%0)
            output(%1)
            """);
    // %0 is written only; what views, binds and frees name is not read by them.
    assertThat(untils(program, "extend-lifetimes{by=4,op=*}")).containsExactly("2=7");
    assertThat(warnings(program, "extend-lifetimes{by=4,op=g}"))
        .singleElement()
        .asString()
        .startsWith("p:1:26: warning[no-match]: no operator that reads a tensor matches 'g'");
  }

  @Test
  void run_withoutOptions_basesOutlastWhatLiesInThem() {
    Program program =
        Texts.program(
            "",
            """
            %0 : u8[64] = input
            %1 : u8[32] {shares="%0:0"} = f(%0)
            %2 : u8[16] {shares="%1:0"} = f(%1)
            %3 : u8[16] mutates %2 = add_(inout %2)
            %4 : u8[16] view %3 = view(bind %3)
            %5 : u8[16] = f(%4)
            output(%5)
            """);
    assertThat(untils(program, "extend-lifetimes")).containsExactly("0=5", "1=5");
    // An unused storage in between asks for nothing itself.
    Program unused =
        ProgramParser.parse(
            "t",
            """
            program "p"
            method @m {
              tensor %1 : u8[32] {shares="%0:0"}
              graph @main {
                %0 : u8[64] = input
                %2 : u8[16] {shares="%1:0"} = f(%0)
                %3 : u8[16] = f(%2)
                output(%3)
              }
            }
            """);
    assertThat(untils(unused, "extend-lifetimes")).containsExactly("0=2");
  }

  @Test
  void run_baseOfDerivedSharing_isLeftAlone() {
    Program program =
        Texts.program(
            "",
            """
            %0 : u8[64] = input
            %1 : u8[64] {shares="%0:0"} = f(%0)
            %2 : u8[64] {shares="%1:0:derived"} = f(%1)
            %3 : u8[64] = f(%2)
            output(%3)
            """);
    assertThat(untils(program, "extend-lifetimes")).isEmpty();
  }

  @Test
  void run_storagesInACircle_areLeftToPlanning() {
    Program program =
        Texts.program(
            "",
            """
            %0 : u8[64] {shares="%1:0"} = input
            %1 : u8[64] {shares="%0:0"} = f(%0)
            output(%1)
            """);
    assertThat(untils(program, "extend-lifetimes")).isEmpty();
  }

  @Test
  void run_constantsAndWhatNothingUses_areLeftAlone() {
    Program program =
        ProgramParser.parse(
            "t",
            """
            program "p"
            method @m {
              tensor %1 "w" : u8[64] const
              tensor %2 "unused" : u8[64]
              tensor %3 "trained" : u8[64] const {trainable=true}
              graph @main {
                %0 "x" : u8[64] = input
                f(%0, %1, %3)
                g
                output()
              }
            }
            """);
    assertThat(untils(program, "extend-lifetimes{keep=*}")).containsExactly("0=3", "3=3");
    assertThat(warnings(program, "extend-lifetimes{keep=w}"))
        .singleElement()
        .asString()
        .contains("warning[no-match]: no tensor that is used and not constant matches 'w'");
  }

  @Test
  void run_bodiesOfLoops_nodeOfTheSameTrip() {
    Program program =
        ProgramParser.parse(
            "t",
            """
            program "p"
            method @m {
              graph @main {
                %0 "x" : u8[64] = input
                %1 "w" : u8[64] = f(%0)
                %2 : u8[64] = while(%0) @condition, @body
                %3 : u8[64] = f(%2)
                output(%3)
              }
              graph @condition {
                %4 : bool[1] = input
                output(%4)
              }
              graph @body {
                %5 : u8[64] = input
                20: %6 "y" : u8[64] = dma(%5, %1)
                21: %7 "z" : u8[64] = dma(%6)
                22: output(%7)
              }
            }
            """);
    // What comes from outside has its node in the body as well; %1 ends in the loop anyway.
    assertThat(untils(program, "extend-lifetimes{by=1,op=dma}"))
        .containsExactly("1=21", "5=21", "6=22");
    assertThat(untils(program, "extend-lifetimes{keep=y},extend-lifetimes{keep=w}"))
        .containsExactly("1=4", "6=22");
    // The body of the loop ends before the node behind the loop.
    Program late = run(program, "extend-lifetimes{keep=w}").program();
    assertThat(untils(late, "extend-lifetimes{by=1,op=dma}")).contains("1=4");
  }

  @Test
  void run_graphThatRunsTwice_countsWhereItRunsLast() {
    Program program =
        ProgramParser.parse(
            "t",
            """
            program "p"
            method @m {
              graph @main {
                %0 "x" : u8[64] = input
                call @g f(%0)
                call @g output()
              }
              graph @g { 20: h(%0) 21: i  22: output() }
            }
            """);
    assertThat(untils(program, "extend-lifetimes{by=1,op=h}")).containsExactly("0=21");
    assertThat(untils(program, "extend-lifetimes{by=1,op=f}")).isEqualTo(List.of("0=3"));
  }

  @Test
  void run_patternThatOneOfTwoMethodsHas_isNoWarning() {
    Program program =
        ProgramParser.parse(
            "t",
            """
            program "p"
            method @a { graph @main { %0 "x" : u8[4] = input f(%0) output() } }
            method @b { graph @main { %0 "y" : u8[4] = input g(%0) output() } }
            """);
    assertThat(warnings(program, "extend-lifetimes{by=1,op=g,keep=x}")).isEmpty();
    assertThat(warnings(program, "extend-lifetimes{by=1,op=h,keep=z}")).hasSize(2);
  }

  @Test
  void run_inTheMiddleOfAPlan_bytesAreNotReused() {
    String plan = ",plan{strategy=greedy,alignment=64},verify";
    PlannedMethod before = run(CHAIN, "extend-lifetimes" + plan).plans().get(0);
    PlannedMethod after = run(CHAIN, "extend-lifetimes{by=1,op=conv}" + plan).plans().get(0);
    assertThat(total(before)).isEqualTo(128);
    assertThat(total(after)).isEqualTo(192);
  }

  private static long total(PlannedMethod method) {
    return ((PlannedMethod.Planned) method.result()).plan().totalBytes();
  }

  @ParameterizedTest
  @CsvSource({
    "'extend-lifetimes{by=2}', '1:18', 'by=2 needs op'",
    "'extend-lifetimes{op=dma*,keep=x}', '1:18', 'op=dma* needs by'",
    "'extend-lifetimes{by=-1,op=x}', '1:21', '-1 is not from 0'",
  })
  void pipeline_optionsThatDoNotGoTogether_areRefused(
      String pipeline, String place, String message) {
    Diagnostic fault = fault(CHAIN, pipeline);
    assertThat(fault.kind()).isEqualTo(Kinds.OPTION_VALUE);
    assertThat(fault.location().place()).isEqualTo(place);
    assertThat(fault.message()).contains(message);
  }

  @Test
  void pipeline_behindPlan_isMisplaced() {
    assertThat(fault(CHAIN, "plan,extend-lifetimes").kind()).isEqualTo(Kinds.MISPLACED_PASS);
  }
}
