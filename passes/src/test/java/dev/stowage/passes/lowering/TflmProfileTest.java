package dev.stowage.passes.lowering;

import static dev.stowage.passes.Texts.TARGET;
import static dev.stowage.passes.Texts.buffers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.ir.Method;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.passes.analysis.Analyses;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Steps are one above TFLite Micro's clock, so that what nothing reaches (-1) lies at 0. */
class TflmProfileTest {
  private static Method method(String graphs) {
    return ProgramParser.parse("t", "program \"p\" state @v : u8[32] method @m {" + graphs + "}")
        .methods()
        .get(0);
  }

  private static LoweredProblem lower(Method method) {
    return Profiles.named("tflm").lower(method, new Analyses(), TARGET);
  }

  private static List<String> lowered(String graphs) {
    return buffers(lower(method(graphs)));
  }

  private static Diagnostic fault(Method method) {
    return catchThrowableOfType(DiagnosticException.class, () -> lower(method)).diagnostic();
  }

  @Test
  void lifetime_operators_tickTheClockOnceEach() {
    assertThat(
            lowered(
                """
                graph @main {
                  %0 : u8[64], %1 : u8[64] = input
                  %2 : u8[32] = ADD(%0, %1)
                  %3 : u8[16] = RELU(%2)
                  %4 : u8[8] = RELU(%2)
                  output(%3, %4)
                }
                """))
        // Inputs at clock 0, operators at 1, 2, 3; outputs last to the clock at the end.
        .containsExactly(
            "0: 64 [1, 2]", "1: 64 [1, 2]", "2: 32 [2, 4]", "3: 16 [3, 4]", "4: 8 [4, 4]");
  }

  @Test
  void lifetime_unusedInputAndResult_areOneStepLong() {
    assertThat(
            lowered(
                """
                graph @main {
                  %0 : u8[64], %1 : u8[64] = input
                  %2 : u8[32] = A(%0)
                  %3 : u8[16] = B(%0)
                  output(%3)
                }
                """))
        .containsExactly("0: 64 [1, 3]", "1: 64 [1, 1]", "2: 32 [2, 2]", "3: 16 [3, 3]");
  }

  @Test
  void lifetime_if_bothBranchesOneAfterTheOtherAndOperandsThroughout() {
    assertThat(
            lowered(
                """
                graph @main {
                  %0 : bool[1], %1 : u8[64] = input
                  %2 : u8[64] = if(%0, %1) @then, @else
                  %3 : u8[8] = A(%2)
                  output(%3)
                }
                graph @then { %4 : u8[64] = input  %5 : u8[32] = A(%4)  output(%5) }
                graph @else { %6 : u8[64] = input  %7 : u8[16] = A(%6)  output(%7) }
                """))
        // Clock: 0 main, 1 if, 2 then, 3 A, 4 else, 5 A, 6 A of main.
        .containsExactly(
            "0: 1 [1, 6]",
            "1: 64 [1, 6]",
            "2: 64 [2, 7]",
            "3: 8 [7, 7]",
            "4: 64 [3, 4]",
            "5: 32 [4, 4]",
            "6: 64 [5, 6]",
            "7: 16 [6, 6]");
  }

  @Test
  void lifetime_whileInsideACall_isOneClock() {
    assertThat(
            lowered(
                """
                graph @main { %0 : u8[4] = input  call() @init  output(%0) }
                graph @init {
                  %1 : u8[8] = A
                  %2 : u8[8] = while(%1) @cond, @body
                  output(%2)
                }
                graph @cond { %3 : u8[8] = input  %4 : bool[1] = LESS(%3)  output(%4) }
                graph @body { %5 : u8[8] = input  output(%5) }
                """))
        // Clock: 0 main, 1 call, 2 init, 3 A, 4 while, 5 cond, 6 LESS, 7 body.
        .containsExactly(
            "0: 4 [1, 8]",
            "1: 8 [4, 8]",
            "2: 8 [5, 8]",
            "3: 8 [6, 7]",
            "4: 1 [7, 7]",
            "5: 8 [8, 8]");
  }

  @Test
  void lifetime_graphNamedByTwoOperators_lastsFromTheFirstWalkToTheLast() {
    assertThat(
            lowered(
                """
                graph @main {
                  %0 : u8[4] = input
                  call(%0) @twice
                  %1 : u8[4] = A(%0)
                  call(%0) @twice
                  output(%1)
                }
                graph @twice { %2 : u8[8] = input  %3 : u8[8] = A(%2)  output(%3) }
                """))
        // Clock: 0 main, 1 call, 2 twice, 3 A, 4 A of main, 5 call, 6 twice, 7 A.
        .containsExactly("0: 4 [1, 8]", "1: 4 [5, 8]", "2: 8 [3, 8]", "3: 8 [4, 8]");
  }

  @Test
  void lifetime_whatNothingReaches_liesAtStepZero() {
    LoweredProblem lowered =
        lower(
            method(
                """
                tensor %1 : u8[8]
                graph @main { %0 : u8[4] = input  output(%0) }
                graph @unused { %2 : u8[8] = A  output(%2) }
                """));
    assertThat(buffers(lowered)).containsExactly("0: 4 [1, 1]", "1: 8 [0, 0]", "2: 8 [0, 0]");
    assertThat(Profiles.named("tflm").firstStep()).isEqualTo(-1);
  }

  @Test
  void planned_constantsVariablesHandlesAndEmpty_areNot() {
    assertThat(
            lowered(
                """
                tensor %1 : u8[32] const
                tensor %2 : u8[32] state @v
                tensor %5 : u8[0] const
                graph @main {
                  %0 : u8[4] {origin=40} = input
                  %3 : u8[4] {owner=runtime} = VAR_HANDLE
                  %4 : u8[0] = A(%0, %1, inout %2, %3, %5)
                  %6 : u8[?] unbounded = A(%0)
                  output(%4)
                }
                """))
        .containsExactly("40: 4 [1, 4]");
  }

  @Test
  void order_buffers_isThatOfTheTensorTable() {
    assertThat(
            lowered(
                """
                graph @main {
                  %2 : u8[16] = input
                  %1 : u8[32] = A(%2)
                  %0 : u8[64] = A(%1)
                  output(%0)
                }
                """))
        .containsExactly("0: 64 [3, 3]", "1: 32 [2, 3]", "2: 16 [1, 2]");
  }

  @Test
  void lower_aliases_areRefused() {
    Diagnostic fault =
        fault(
            method(
                """
                graph @main {
                  %0 : u8[16] = input
                  %1 "v" : u8[16] view %0 = view(bind %0)
                  output(%1)
                }
                """));
    assertThat(fault.kind()).isEqualTo(Kinds.INPUT_UNSUPPORTED);
    assertThat(fault.message()).contains("%1 (v)", "%0", "no aliases");
  }

  @Test
  void lower_graphsThatDoubleTheWalk_areRefusedInsteadOfWalkedForever() {
    StringBuilder graphs = new StringBuilder("graph @g0 { call() @g1 call() @g1 output() }\n");
    for (int i = 1; i < 60; i++) {
      graphs.append("graph @g%d { call() @g%d call() @g%d output() }\n".formatted(i, i + 1, i + 1));
    }
    graphs.append("graph @g60 { output() }");
    Diagnostic fault = fault(method(graphs.toString()));
    assertThat(fault.kind()).isEqualTo(Kinds.INPUT_UNSUPPORTED);
    assertThat(fault.message()).isEqualTo("it runs more than 10,000,000 steps");
  }

  @Test
  void lower_graphsNestedTooDeep_areRefusedWithoutStackOverflow() {
    StringBuilder graphs = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      graphs.append("graph @g%d { call() @g%d output() }\n".formatted(i, i + 1));
    }
    graphs.append("graph @g20000 { output() }");
    Diagnostic fault = fault(method(graphs.toString()));
    assertThat(fault.kind()).isEqualTo(Kinds.INPUT_UNSUPPORTED);
    assertThat(fault.message()).isEqualTo("graphs run one another more than 1,000 deep");
  }

  @Test
  void until_nodesOfAnyGraph_lengthenToTheTickWhenTheyHaveRun() {
    String graphs =
        """
        graph @main {
          %%0 : u8[64] %s = input
          %%1 : u8[32] %s = A(%%0)
          %%2 : u8[16] = IF(%%1, %%0) @then, @else
          %%3 : u8[8] = B(%%2)
          9: output(%%3)
        }
        graph @then { %%4 : u8[16] = input %%5 : u8[16] %s = C(%%4) 20: %%6 : u8[16] = D(%%5) output(%%6) }
        graph @else { %%7 : u8[16] = input output(%%7) }
        """;
    assertThat(lowered(graphs.formatted("", "", "")))
        .containsExactly(
            "0: 64 [1, 7]",
            "1: 32 [2, 7]",
            "2: 16 [3, 8]",
            "3: 8 [8, 8]",
            "4: 16 [4, 5]",
            "5: 16 [5, 6]",
            "6: 16 [6, 6]",
            "7: 16 [7, 7]");
    assertThat(lowered(graphs.formatted("{until=9}", "{until=3}", "{until=20}")))
        .startsWith("0: 64 [1, 8]", "1: 32 [2, 8]")
        .contains("5: 16 [5, 6]");
    // Earlier than it is needed anyway, and inside of what runs: to the end of that.
    assertThat(lowered(graphs.formatted("{until=1}", "{until=20}", "")))
        .startsWith("0: 64 [1, 7]", "1: 32 [2, 7]");
    // What the graph itself yields lives to the node, in each run.
    assertThat(
            lowered(
                graphs.formatted("", "", "").replace("%4 : u8[16] =", "%4 : u8[16] {until=20} =")))
        .contains("4: 16 [4, 6]");
  }

  @Test
  void until_unusedBefore_changesNothing() {
    String graph = "graph @main { A B %%0 : u8[4] %s = C D(%%0) output() }";
    assertThat(lowered(graph.formatted("{until=0}"))).containsExactly("0: 4 [4, 5]");
    assertThat(lowered(graph.formatted("{until=4}"))).containsExactly("0: 4 [4, 5]");
  }

  @Test
  void pin_tensor_goesToItsArena() {
    assertThat(lowered("graph @main { %0 : u8[64] {pin=3} = input output(%0) }"))
        .containsExactly("0: 64 [1, 1] pin 3");
  }
}
