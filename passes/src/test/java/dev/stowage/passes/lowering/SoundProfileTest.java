package dev.stowage.passes.lowering;

import static dev.stowage.passes.Texts.TARGET;
import static dev.stowage.passes.Texts.buffers;
import static dev.stowage.passes.Texts.method;
import static dev.stowage.passes.Texts.methodWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.ir.Method;
import dev.stowage.passes.Texts;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.planning.PlanningProblem;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SoundProfileTest {
  private final Profile profile = Profiles.named("sound");

  private LoweredProblem lower(Method method) {
    return profile.lower(method, new Analyses(), TARGET);
  }

  private List<String> lowered(String graph) {
    return Texts.lowered(profile, graph);
  }

  private List<String> lowered(String allocation, String graph) {
    return Texts.lowered(profile, allocation, graph);
  }

  @Test
  void lifetime_readerOfAnInPlaceResult_keepsTheStorageAlive() {
    assertThat(
            lowered(
                """
                %0 : u8[64] = input
                %1 : u8[64] = relu(%0)
                %2 : u8[64] mutates %1 = add_(inout %1, %0)
                %3 : u8[64] mutates %2 = add_(inout %2, %0)
                %4 : u8[16] = relu(%3)
                output(%4)
                """))
        .containsExactly("0: 64 [0, 3]", "1: 64 [1, 4]", "4: 16 [4, 5]");
  }

  @Test
  void output_inPlaceResult_isTheStorageThatItAliases() {
    LoweredProblem lowered =
        lower(
            method(
                """
                %0 : u8[64] = input
                %1 : u8[64] {origin=5, pin=2} = relu(%0)
                %2 : u8[64] mutates %1 {origin=9, result-pin=3} = add_(inout %1, %0)
                %3 : u8[16] = relu(%0)
                output(%2, %3)
                """));
    assertThat(buffers(lowered))
        .containsExactly("0: 64 [0, 3]", "5: 64 [1, 4] pin 2", "3: 16 [3, 4]");
    assertThat(lowered.storages().asList()).containsExactly(0, 1, 3);
  }

  @Test
  void output_inPlaceResultThatTheCallerAllocates_leavesOutTheWholeStorage() {
    assertThat(
            lowered(
                "inputs:no-outputs:state",
                """
                %0 : u8[64] = input
                %1 : u8[64] = relu(%0)
                %2 : u8[64] mutates %1 = add_(inout %1, %0)
                output(%2)
                """))
        .containsExactly("0: 64 [0, 2]");
  }

  /** 0 is input only, 1 is input and output, 2 and 3 are state, 3 is also output, 5 output only. */
  @ParameterizedTest
  @CsvSource({
    "inputs:outputs:state, 0 1 2 3 4 5",
    "no-inputs:outputs:state, 2 3 4 5",
    "inputs:no-outputs:state, 0 2 3 4",
    "inputs:outputs:no-state, 0 1 4 5",
    "no-inputs:no-outputs:no-state, 4",
  })
  void planned_switches_leaveOutWhatTheCallerProvides(String allocation, String numbers) {
    LoweredProblem lowered =
        lower(
            method(
                "allocation=\"" + allocation + "\"",
                """
                %0 : u8[64] = input
                %1 : u8[64] = input
                %2 : u8[64] state @cache = input
                %3 : u8[64] state @cache = input
                %4 : u8[64] = cat(%0, %2)
                %5 : u8[64] = relu(%4)
                output(%1, %3, %5)
                """));
    assertThat(lowered.numbers().asList())
        .extracting(String::valueOf)
        .containsExactly(numbers.split(" "));
  }

  @Test
  void planned_constantsOwnersAndUnbounded_areNotUnlessTrainable() {
    assertThat(
            lowered(
                """
                %0 : u8[64] = input
                %1 : u8[32] const = get_attr
                %2 : u8[32] const {trainable=true} = get_attr
                %3 : u8[?] unbounded = nonzero(%0, %1, %2)
                %4 : u8[32] {owner=runtime} = handle(%0)
                %5 : u8[32] {owner=caller} = relu(%4)
                %6 : u8[?,8] bounded 128 bytes = relu(%3)
                output(%5, %6)
                """))
        .containsExactly("0: 64 [0, 4]", "2: 32 [2, 3]", "6: 128 [6, 7]");
  }

  @Test
  void planned_stateAndScratchThatNoNodeYields_areToo() {
    Method method =
        methodWith(
            """
            tensor %3 : u8[64] state @cache {pin=2}
            tensor %4 : u8[99]
            """,
            """
            %0 : u8[64] = input
            %1 : u8[64] = relu(%0)
            %2 : u8[16] = svdf(%1, inout %3, out %4)
            output(%2)
            """);
    // State is alive before its first use and after its last, scratch only while it is used.
    assertThat(buffers(lower(method)))
        .containsExactly(
            "0: 64 [0, 1]", "1: 64 [1, 2]", "3: 64 [0, 3] pin 2", "4: 99 [2, 2]", "2: 16 [2, 3]");
  }

  @Test
  void shares_baseWithAnOffsetOfItsOwn_addsUp() {
    assertThat(
            lowered(
                """
                %0 : u8[8] = input
                %1 : u8[64] = relu(%0)
                %2 : u8[48] view %1+16 = view(bind %1)
                %3 : u8[16] {shares="%2:32"} = relu(%0)
                output(%3)
                """))
        .contains("1: 64 [1, 4]", "3: 16 [3, 4] in 1+48");
  }

  @Test
  void shares_childThatTheCallerProvides_keepsItsBaseAlive() {
    assertThat(
            lowered(
                "inputs:no-outputs:state",
                """
                %0 : u8[64] = input
                %1 : u8[64] = relu(%0)
                %2 : u8[32] {shares="%1:0"} = relu(%0)
                output(%2)
                """))
        .containsExactly("0: 64 [0, 2]", "1: 64 [1, 3]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          no-inputs:outputs:state | "%0 : u8[64] = input"           | input that the caller provides
          inputs:outputs:state    | "%0 : u8[64] const = weight()"  | is a constant
          inputs:outputs:state    | "%0 : u8[64] {owner=caller} = f()" | is provided by somebody else
          inputs:outputs:state    | "%0 : u8[?] unbounded = f()"    | has no bound
          inputs:no-outputs:state | "%0 : u8[64] = f()"             | is an output that the caller
          """)
  void shares_baseThatIsNotPlanned_isRefusedByItsOwner(String allocation, String base, String why) {
    Diagnostic fault =
        catchThrowableOfType(
                DiagnosticException.class,
                () ->
                    lowered(
                        allocation,
                        base
                            + " %1 : u8[32] {shares=\"%0:32\"} = relu(%0) "
                            + (allocation.contains("no-outputs")
                                ? "%2 : u8[8] = g(%1) output(%2, %0)"
                                : "output(%1)")))
            .diagnostic();

    assertThat(fault.kind()).isEqualTo(Kinds.STORAGE_UNRESOLVED);
    assertThat(fault.message())
        .startsWith("tensor %1 cannot lie in the bytes of %0, which ")
        .contains(why);
  }

  @Test
  void shares_offsetsThatOverflow_areRefused() {
    Method method =
        method(
            """
            %0 : u8[8] = input
            %1 : u8[64] = relu(%0)
            %2 : u8[48] view %1+16 = view(bind %1)
            %3 : u8[16] {shares="%2:9223372036854775807"} = relu(%0)
            output(%3)
            """);
    assertThat(
            catchThrowableOfType(DiagnosticException.class, () -> lower(method))
                .diagnostic()
                .kind())
        .isEqualTo(Kinds.INPUT_OVERFLOW);
  }

  @Test
  void shares_inACircle_isRefused() {
    Method method =
        method(
            """
            %0 : u8[8] {shares="%1:0"} = input
            %1 : u8[8] {shares="%0:0"} = relu(%0)
            output(%1)
            """);
    assertThat(
            catchThrowableOfType(DiagnosticException.class, () -> lower(method))
                .diagnostic()
                .kind())
        .isEqualTo(Kinds.STORAGE_CYCLE);
  }

  @Test
  @Timeout(60)
  void shares_longChainThatTheCallerProvides_isWalkedOnce() {
    int count = 30_000;
    StringBuilder graph = new StringBuilder("%0 : u8[64] = input\n");
    for (int i = 1; i <= count; i++) {
      graph.append("%%%d : u8[64] {shares=\"%%%d:0\"} = relu(%%0)\n".formatted(i, i - 1));
    }
    PlanningProblem problem = lower(method(graph + "output(%0)")).problem();
    assertThat(problem.end(0)).isEqualTo(count + 1);
    assertThat(problem.end(count - 1)).isEqualTo(count);
    assertThat(problem.start(1)).isEqualTo(1);
  }

  @Test
  void until_usedStorage_livesToThatNodeIfItIsLater() {
    String graph =
        """
        %%0 : u8[64] %s = input
        %%1 : u8[32] %s = relu(%%0)
        %%2 : u8[32] mutates %%1 = add_(inout %%1, %%0)
        40: %%3 : u8[16] = relu(%%2)
        output(%%3)
        """;
    assertThat(lowered(graph.formatted("", "")))
        .containsExactly("0: 64 [0, 2]", "1: 32 [1, 3]", "3: 16 [3, 4]");
    assertThat(lowered(graph.formatted("{until=40}", "{until=1}")))
        .containsExactly("0: 64 [0, 3]", "1: 32 [1, 3]", "3: 16 [3, 4]");
    assertThat(lowered(graph.formatted("{until=0}", "{until=41}")))
        .containsExactly("0: 64 [0, 2]", "1: 32 [1, 4]", "3: 16 [3, 4]");
  }

  @Test
  void until_partOfABase_lengthensTheBase() {
    assertThat(
            lowered(
                """
                %0 : u8[64] = input
                %1 : u8[32] {shares="%0:0", until=4} = relu(%0)
                %2 : u8[32] = relu(%1)
                %3 : u8[32] = relu(%2)
                output(%3)
                """))
        .contains("0: 64 [0, 4]", "1: 32 [1, 4] in 0+0");
  }
}
