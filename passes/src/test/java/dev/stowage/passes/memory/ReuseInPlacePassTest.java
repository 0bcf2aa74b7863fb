package dev.stowage.passes.memory;

import static dev.stowage.passes.memory.MemoryPasses.run;
import static dev.stowage.passes.memory.MemoryPasses.statistics;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.passes.PipelineResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReuseInPlacePassTest {
  private static Program program(String nodes) {
    return program("", nodes);
  }

  private static Program program(String settings, String nodes) {
    return ProgramParser.parse(
        "t", "program \"p\"\nstate @s : f32[8]\nmethod @m " + settings + "{\n" + nodes + "\n}\n");
  }

  private static Method reused(Program program, String options) {
    return run(program, "reuse-in-place" + options).program().methods().get(0);
  }

  private static String report(Program program) {
    return MemoryPasses.printed(program, "reuse-in-place{report=true}");
  }

  private static Shares in(int base) {
    return new Shares(base, 0, /* derived= */ true);
  }

  private static final String CHAIN =
      """
      graph @main {
        %0 "x" : f32[8] = input
        %1 "a" : f32[8] = conv(%0)
        %2 "b" : f32[8] = relu(%1)
        %3 "c" : f32[8] = add(%2, %0)
        output(%3)
      }
      """;

  @Test
  void chain_ofElementwiseOperators_takesTheBytesOfTheFirst() {
    Program input = program(CHAIN);

    Method method = reused(input, "");

    assertThat(method.get(MemoryKeys.SHARES, 1)).isEmpty();
    assertThat(method.get(MemoryKeys.SHARES, 2)).contains(in(1));
    assertThat(method.get(MemoryKeys.SHARES, 3)).contains(in(2));
    assertThat(statistics(input, "reuse-in-place"))
        .containsEntry("reused", 2L)
        .containsEntry("bytes", 64L);
    PipelineResult result = run(input, "reuse-in-place,plan");
    assertThat(result.plans().get(0).isVerified()).isTrue();
    assertThat(result.program().methods().get(0).get(MemoryKeys.ARENAS).orElseThrow().get(1))
        .isEqualTo(64);
  }

  @Test
  void ops_given_replaceTheTable_andNoneTurnsItOff() {
    Program input = program(CHAIN);

    assertThat(reused(input, "{ops=[]}")).isEqualTo(input.methods().get(0));
    Method conv = reused(input, "{ops=[relu]}");
    assertThat(conv.get(MemoryKeys.SHARES, 2)).contains(in(1));
    assertThat(conv.get(MemoryKeys.SHARES, 3)).isEmpty();
  }

  /** Each: why %2, yielded by relu or add, stays apart from %1 or %0. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          %2 : f32[8] = add(%1, %1) ; %3 : f32[8] = mul(%1, %2)     | "%1 (a) is read later"
          %2 : i32[8] = relu(%1) ; %3 : f32[8] = neg(%0)            | "%1 (a) has another size or type"
          %2 : f32[2,8] = add(%1, %0) ; %3 : f32[8] = neg(%0)       | "%1 (a) has another size or type"
          %2 : f32[8] = relu(%0) ; %3 : f32[8] = neg(%1)            | "%0 (x) is an input that is not donated"
          %2 : f32[8] = relu(%4) ; %3 : f32[8] = neg(%1)            | "%4 (w) is a constant"
          %2 : f32[8] = relu(%5) ; %3 : f32[8] = neg(%1)            | "%5 is state"
          %2 : f32[8] {owner=caller} = relu(%1) ; %3 : f32[8] = neg(%0) | "it has bytes that the plan does not choose"
          %2 : f32[8] {pin=2} = relu(%1) ; %3 : f32[8] = neg(%0)    | "%1 (a) is not asked to meet the result's pin"
          %2 : f32[8] on cuda:0 = relu(%1) ; %3 : f32[8] = neg(%0)  | "%1 (a) is on another device"
          %2 : f32[8] mutates %1 = relu(inout %1) ; %3 : f32[8] = neg(%0) | "it is a handle to the bytes of %1 (a) already"
          """)
  void result_thatMayNotTakeTheBytes_staysApart_andTheReportSaysWhy(String nodes, String why) {
    Program input =
        program(
            """
            tensor %4 "w" : f32[8] const
            tensor %5 : f32[8] state @s graph @main {
              %0 "x" : f32[8] = input
              %1 "a" : f32[8] = conv(%0, %4, inout %5)
              NODES
              output(%2, %3)
            }
            """
                .replace("NODES", nodes.replace(" ; ", "\n    ")));

    assertThat(reused(input, "").get(MemoryKeys.SHARES, 2)).isEmpty();
    assertThat(report(input).lines().findFirst().orElseThrow()).contains("%2 stays apart: " + why);
  }

  @Test
  void input_thatIsDonated_isReused_unlessTheCallerProvidesIt() {
    String nodes =
        """
        graph @main {
          %0 "x" : f32[8] {donated=true} = input
          %1 : f32[8] = relu(%0)
          output(%1)
        }
        """;

    assertThat(reused(program(nodes), "").get(MemoryKeys.SHARES, 1)).contains(in(0));
    assertThat(
            reused(program("{allocation=no-inputs:outputs:state} ", nodes), "")
                .get(MemoryKeys.SHARES, 1))
        .isEmpty();
    assertThat(
            reused(program("{allocation=inputs:no-outputs:state} ", nodes), "")
                .get(MemoryKeys.SHARES, 1))
        .isEmpty();
  }

  @Test
  void operand_readThroughAnotherView_isReusedAfterTheLastReader() {
    Program input =
        program(
            """
            graph @main {
              %0 "x" : f32[8] = input
              %1 "a" : f32[8] = conv(%0)
              %2 "v" : f32[4] view %1+16 = view(bind %1)
              %3 "b" : f32[8] = relu(%1)
              %4 "c" : f32[4] = neg(%2)
              output(%3, %4)
            }
            """);

    Method method = reused(input, "");

    assertThat(method.get(MemoryKeys.SHARES, 3)).isEmpty();
    // The half of %1 is the whole of the view's bytes, but the storage is not read any more.
    assertThat(method.get(MemoryKeys.SHARES, 4)).contains(in(2));
    assertThat(run(input, "reuse-in-place,plan").plans().get(0).isVerified()).isTrue();
  }

  @Test
  void operand_shiftedAgainstAnother_isNotReused() {
    Program input =
        program(
            """
            graph @main {
              %0 "x" : f32[8] = input
              %1 "a" : f32[8] = conv(%0)
              %2 "v" : f32[4] view %1 = view(bind %1)
              %3 "w" : f32[4] view %1+8 = view(bind %1)
              %4 "c" : f32[4] = add(%2, %3)
              output(%4)
            }
            """);

    assertThat(reused(input, "").get(MemoryKeys.SHARES, 4)).isEmpty();
    assertThat(report(input)).contains("%2 (v) has bytes that are read as %3 (w) as well");
  }

  @Test
  void tensor_thatALoopReadsFromOutside_isNotReusedInside() {
    Program input =
        program(
            """
            graph @main {
              %0 "x" : f32[8] = input
              %1 "a" : f32[8] = conv(%0)
              %2 "n" : f32[8] = while(%0) @cond, @body
              output(%2)
            }
            graph @cond {
              %3 : f32[8] = input
              %4 : bool[1] = test(%3)
              output(%4)
            }
            graph @body {
              %5 : f32[8] = input
              %6 : f32[8] = add(%1, %5)
              %7 : f32[8] = relu(%6)
              output(%7)
            }
            """);

    Method method = reused(input, "");

    assertThat(method.get(MemoryKeys.SHARES, 6)).isEmpty();
    assertThat(method.get(MemoryKeys.SHARES, 7)).contains(in(6));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void graph_withJumps_isLeftAlone(int target) {
    Program input =
        program(
            """
            graph @main {
              0: %0 "x" : f32[8] = input
              1: %1 "a" : f32[8] = conv(%0)
              2: %2 "b" : f32[8] = relu(%1)
              3: %3 : bool[1] = test(%2)
              4: jump_if_false(%3) -> TARGET
              5: output(%2)
            }
            """
                .replace("TARGET", target == 0 ? "1" : "5"));

    assertThat(reused(input, "")).isEqualTo(input.methods().get(0));
  }

  @Test
  void result_keptAliveLonger_keepsTheOperandsBytesToo() {
    Program input =
        program(
            """
            graph @main {
              0: %0 "x" : f32[8] = input
              1: %1 "a" : f32[8] {until=3} = conv(%0)
              2: %2 "b" : f32[8] = relu(%1)
              3: %3 : f32[8] = neg(%2)
              4: output(%3)
            }
            """);

    assertThat(reused(input, "").get(MemoryKeys.SHARES, 2)).isEmpty();
    assertThat(reused(input, "").get(MemoryKeys.SHARES, 3)).contains(in(2));
  }
}
