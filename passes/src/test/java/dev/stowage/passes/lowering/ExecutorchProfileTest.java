package dev.stowage.passes.lowering;

import static dev.stowage.passes.Texts.TARGET;
import static dev.stowage.passes.Texts.buffers;
import static dev.stowage.passes.Texts.method;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.ir.Method;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.passes.Texts;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.planning.Arena;
import dev.stowage.planning.PlanningOutcome;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules of ExecuTorch 1.5.1, each by its smallest program. */
class ExecutorchProfileTest {
  private final Profile profile = Profiles.named("executorch");

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
  void lifetime_nodeAndAllItsArguments_firstToLastInclusive() {
    assertThat(
            lowered(
                """
                %0 : u8[64] = input
                %1 : u8[16] = relu(%0)
                %2 : u8[32] = relu(%0)
                %3 : u8[48] = cat([%1, %2], _, 5: %0)
                %4 : u8[8] = relu(%3)
                output([%4])
                """))
        .containsExactly(
            "0: 64 [0, 3]", "1: 16 [1, 3]", "2: 32 [2, 3]", "3: 48 [3, 4]", "4: 8 [4, 5]");
  }

  @Test
  void lifetime_inputs_startAtZeroWhateverTheirPosition() {
    assertThat(
            lowered(
                """
                %0 : u8[64] = input
                %1 : u8[32] = relu(%0)
                %2 : u8[16] = input
                %3 : u8[8] = add(%1, %2)
                output(%3)
                """))
        .contains("2: 16 [0, 3]");
  }

  @Test
  void lifetime_mutableBuffer_lastsToTheLastNode() {
    assertThat(
            lowered(
                """
                %0 : u8[64] = input
                %1 : u8[64] state @cache = input
                %2 : u8[32] = add(%0, %1)
                %3 : u8[16] = relu(%2)
                output(%3)
                """))
        .startsWith("0: 64 [0, 2]", "1: 64 [0, 4]");
  }

  @Test
  void lifetime_readerOfAView_lengthensTheBase() {
    assertThat(
            lowered(
                """
                %0 : u8[64] = input
                %1 : u8[64] = relu(%0)
                %2 : u8[32] view %1+32 = view(bind %1)
                %3 : u8[8,4] view %2 = view(bind %2)
                %4 : u8[16] = relu(%0)
                %5 : u8[16] = add(%3, %4)
                output(%5)
                """))
        .containsExactly("0: 64 [0, 4]", "1: 64 [1, 5]", "4: 16 [4, 5]", "5: 16 [5, 6]");
  }

  @Test
  void lifetime_readerOfAnInPlaceResult_doesNotLengthenTheStorage() {
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
        .containsExactly("0: 64 [0, 3]", "1: 64 [1, 2]", "4: 16 [4, 5]");
  }

  @Test
  void lifetime_readerOfAViewOfAnInPlaceResult_lengthensTheStorage() {
    assertThat(
            lowered(
                """
                %0 : u8[64] = input
                %1 : u8[64] = relu(%0)
                %2 : u8[64] mutates %1 = add_(inout %1, %0)
                %3 : u8[32] view %2 = view(bind %2)
                %4 : u8[16] = relu(%3)
                output(%4)
                """))
        .contains("1: 64 [1, 4]");
  }

  @Test
  void lifetime_inPlaceOnInputAndBuffer_hasNoSpecOfItsOwn() {
    assertThat(
            lowered(
                """
                %0 : u8[64] = input
                %1 : u8[64] state @cache = input
                %2 : u8[64] mutates %0, %3 : u8[64] mutates %1 = swap_(inout %0, inout %1)
                %4 : u8[16] = add(%2, %3)
                output(%4)
                """))
        .containsExactly("0: 64 [0, 2]", "1: 64 [0, 4]", "4: 16 [3, 4]");
  }

  @Test
  void lifetime_storageBase_isWidenedUpTheWholeChain() {
    assertThat(
            lowered(
                """
                %0 : u8[8] = input
                %1 : u8[64] = relu(%0)
                %2 : u8[32] {shares="%1:16"} = relu(%0)
                %3 : u8[16] {shares="%2:16"} = relu(%0)
                %4 : u8[8] = relu(%3)
                output(%4)
                """))
        .containsExactly(
            "0: 8 [0, 3]",
            "1: 64 [1, 4]",
            "2: 32 [2, 4] in 1+16",
            "3: 16 [3, 4] in 2+16",
            "4: 8 [4, 5]");
  }

  @Test
  void collected_constantsAndUnbounded_areNotUnlessTrainable() {
    assertThat(
            lowered(
                """
                %0 : u8[64] = input
                %1 : u8[32] const = get_attr
                %2 : u8[32] const {trainable=true} = input
                %3 : u8[?] unbounded = nonzero(%0, %1, %2)
                %4 : u8[?,8] bounded 128 bytes = relu(%3)
                output(%4)
                """))
        .containsExactly("0: 64 [0, 3]", "2: 32 [0, 3]", "4: 128 [4, 5]");
  }

  @Test
  void collected_outVariant_isTheSpecOfItsAllocOnce() {
    LoweredProblem lowered =
        lower(
            method(
                """
                %0 : u8[64] = input
                %1 : u8[16] {origin=7} = alloc
                %2 : u8[32] {origin=5} = alloc
                %3 : u8[16] same %1 {origin=7}, %4 : u8[32] same %2 {origin=5} = topk.out(%0, out %1, out %2)
                %5 : u8[32] same %4 {origin=5} = getitem(bind %4)
                output(%5)
                """));
    assertThat(buffers(lowered)).containsExactly("0: 64 [0, 3]", "7: 16 [1, 3]", "5: 32 [2, 5]");
    assertThat(lowered.storages().asList()).containsExactly(0, 1, 2);
  }

  @Test
  void collected_filledTensorWithoutNumbers_isOneSpecWithItsAllocation() {
    LoweredProblem lowered =
        lower(
            method(
                """
                %0 : u8[64] = input
                %1 : u8[16] = alloc
                %2 : u8[16] same %1 = add.out(%0, out %1)
                %3 : u8[16] same %2 = getitem(bind %2)
                output(%3)
                """));
    assertThat(buffers(lowered)).containsExactly("0: 64 [0, 2]", "1: 16 [1, 4]");
    assertThat(lowered.storages().asList()).containsExactly(0, 1);
  }

  @Test
  void collected_returnedInPlaceResult_isASpecBesideTheStorage() {
    LoweredProblem lowered =
        lower(
            method(
                """
                %0 : u8[64] = input
                %1 : u8[64] {pin=3} = relu(%0)
                %2 : u8[64] mutates %1 {origin=9, result-pin=2} = add_(inout %1, %0)
                %3 : u8[16] = relu(%0)
                output(%2, %3)
                """));
    assertThat(buffers(lowered))
        .containsExactly(
            "0: 64 [0, 3]", "1: 64 [1, 2] pin 3", "3: 16 [3, 4]", "9: 64 [4, 4] pin 2");
    assertThat(lowered.storages().asList()).containsExactly(0, 1, 3, LoweredProblem.NO_STORAGE);
    assertThat(lowered.problem().arenas())
        .extracting(arena -> arena.memId() + (arena.open() ? " open" : " closed"))
        .containsExactly("1 open", "2 closed", "3 closed");
  }

  /** 0 is input only, 1 is input and output, 2 is state, 3 is state and output, 5 output only. */
  @ParameterizedTest
  @CsvSource({
    "inputs:outputs:state, 0 1 2 3 4 5",
    "no-inputs:outputs:state, 2 3 4 5",
    "inputs:no-outputs:state, 0 2 4",
    "inputs:outputs:no-state, 0 1 4 5",
    "no-inputs:no-outputs:no-state, 4",
  })
  void collected_switches_leaveOutWhatAnyOfThemNames(String allocation, String numbers) {
    String graph =
        """
        %0 : u8[64] = input
        %1 : u8[64] = input
        %2 : u8[64] state @cache = input
        %3 : u8[64] state @cache = input
        %4 : u8[64] = cat(%0, %2)
        %5 : u8[64] = relu(%4)
        output(%1, %3, %5)
        """;
    LoweredProblem lowered = lower(method("allocation=\"" + allocation + "\"", graph));
    assertThat(lowered.numbers().asList())
        .extracting(String::valueOf)
        .containsExactly(numbers.split(" "));
  }

  @Test
  void storage_baseThatTheCallerAllocates_isUnplacedAndUnresolved() {
    Method method =
        method(
            "allocation=\"no-inputs:outputs:state\"",
            """
            %0 : u8[64] = input
            %1 : u8[32] {shares="%0:32"} = relu(%0)
            output(%1)
            """);
    LoweredProblem lowered = lower(method);
    assertThat(buffers(lowered)).containsExactly("1: 32 [1, 2] in nothing");
    PlanningOutcome outcome = Texts.SETTINGS.planner().plan(lowered.problem(), Call.of("greedy"));
    assertThat(((PlanningOutcome.GaveUp) outcome).why().kind()).isEqualTo(Kinds.STORAGE_UNRESOLVED);
  }

  @Test
  void storage_baseInsideWhatTheCallerAllocates_stillLivesAsLong() {
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
  @CsvSource({"XnnpackBackend, 64", "MyXNNPACK2, 64", "QnnBackend, 0"})
  void padding_delegates_dependsOnXnnpackInAnyCase(String backend, long padding) {
    Method method =
        method(
            """
            %%0 : u8[64] {pin=2} = input
            %%1 : u8[64] = delegate(%%0) {backend=%s}
            output(%%1)
            """
                .formatted(backend));
    assertThat(lower(method).problem().arenas())
        .extracting(Arena::paddingBytes)
        .containsExactly(padding, padding);
  }

  @Test
  void arenas_memoryMap_areItsBanksInOrderThenUndeclaredPins() {
    MemoryMap map =
        MemoryMap.of(
            List.of(
                Bank.builder("fast", 256, 4).alignment(32).build(),
                Bank.builder("slow", 1_024, 2).build()));
    Method method =
        method(
            """
            %0 : u8[64] {pin=7} = input
            %1 : u8[64] {pin=2} = relu(%0)
            output(%1)
            """);
    LoweredProblem lowered =
        profile.lower(
            method, new Analyses(), new LoweringTarget(8, Optional.of(map), OptionalLong.empty()));
    assertThat(lowered.problem().alignment()).isEqualTo(8);
    assertThat(lowered.problem().arenas())
        .extracting(Arena::memId, Arena::capacityBytes, Arena::alignment, Arena::open)
        .extracting(Object::toString)
        .containsExactly(
            "(4, 256L, 32, true)",
            "(2, 1024L, 0, true)",
            "(7, " + Arena.UNLIMITED + "L, 0, false)");
    assertThat(buffers(lowered)).containsExactly("0: 64 [0, 1] pin 7", "1: 64 [1, 2] pin 2");
  }

  @ParameterizedTest
  @CsvSource({"0", "-1", "65536", "2147483647"})
  void pin_noArenaNumber_isRefused(int memId) {
    Method method = method("%0 : u8[64] {pin=" + memId + "} = input\noutput(%0)");
    for (String name : ImmutableList.of("executorch", "sound")) {
      DiagnosticException fault =
          catchThrowableOfType(
              DiagnosticException.class,
              () -> Profiles.named(name).lower(method, new Analyses(), TARGET));
      assertThat(fault.diagnostic().kind()).isEqualTo(Kinds.INPUT_VALUE);
      assertThat(fault.diagnostic().message())
          .isEqualTo("a tensor is pinned to mem_id " + memId + ", which is not in 1..65535");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "inputs:outputs:state, ok",
    "no-inputs:no-outputs:no-state, ok",
  })
  void inputOutputCheck_plannedAsAsked_isOk(String allocation, String verdict) {
    Method method =
        method(
            "allocation=\"" + allocation + "\"",
            """
            %0 : u8[64] = input
            %1 : u8[64] state @cache = input
            %2 : u8[16] const = input
            %3 : u8[64] = add(%0, %1, %2)
            output(%3, %2)
            """);
    assertThat(profile.inputOutputCheck(method, lower(method))).contains(verdict);
  }

  @Test
  void inputOutputCheck_outputNodePartlyPlaced_isAMismatchUnlessSwitchesDiffer() {
    String graph =
        """
        %0 : u8[64] = input
        %1 : u8[64] = relu(%0)
        output(%0, %1)
        """;
    // The input is also an output: with one switch off it is left out, and nobody minds.
    Method differing = method("allocation=\"no-inputs:outputs:state\"", graph);
    assertThat(profile.inputOutputCheck(differing, lower(differing))).contains("ok");
    String stateful =
        """
        %0 : u8[64] = input
        %1 : u8[?] unbounded = relu(%0)
        %2 : u8[64] = relu(%0)
        output(%1, %2)
        """;
    // What is unbounded counts as not placed, so the node is placed in part.
    Method unbounded = method(stateful);
    assertThat(profile.inputOutputCheck(unbounded, lower(unbounded))).contains("mismatch");
  }

  @Test
  void lower_nodeThatRunsGraphs_isRefusedByPlace() {
    Method method =
        ProgramParser.parse(
                "t",
                """
                program "p"
                method @m {
                  graph @main {
                    %0 : u8[4] = input
                    call(%0) @other
                    output(%0)
                  }
                  graph @other { output(%0) }
                }
                """)
            .methods()
            .get(0);
    for (String name : ImmutableList.of("executorch", "sound")) {
      DiagnosticException fault =
          catchThrowableOfType(
              DiagnosticException.class,
              () -> Profiles.named(name).lower(method, new Analyses(), TARGET));
      assertThat(fault.diagnostic().kind()).isEqualTo(Kinds.INPUT_UNSUPPORTED);
      assertThat(fault.diagnostic().location().place()).isEqualTo("m/1 (call)");
      assertThat(fault.diagnostic().message()).contains("profile " + name);
    }
  }

  @Test
  void until_storage_lengthensItsSpecAndWhatItLiesIn() {
    assertThat(
            lowered(
                """
                %0 : u8[64] {origin=10} = input
                %1 : u8[32] {origin=11, shares="%0:0", until=40} = relu(%0)
                %2 : u8[32] mutates %1 {origin=12} = add_(inout %1)
                40: %3 : u8[16] {origin=13, until=1} = relu(%2)
                output(%3)
                """))
        .containsExactly("10: 64 [0, 3]", "11: 32 [1, 3] in 10+0", "13: 16 [3, 4]");
  }
}
