package dev.stowage.verifier;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.ir.Method;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.verifier.ClaimedPlan.Place;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sharing that a pass has chosen is right where nodes copy, and an overlap anywhere else. */
final class CopyProofTest {
  /** What is wrong with a method of one graph, by the places that its tensors have. */
  private static List<String> findings(String graph) {
    return findingsOf("graph @main {" + graph + "}");
  }

  private static List<String> findingsOf(String body) {
    Method method =
        ProgramParser.parse(
                "t", "program \"p\" state @s : u8[64] method @m {arenas=\"0:512\"} {" + body + "}")
            .methods()
            .get(0);
    List<Place> places = new ArrayList<>();
    for (int tensor = 0; tensor < method.tensors().size(); tensor++) {
      int id = tensor;
      if (method.body().root(tensor) == tensor) {
        method
            .get(MemoryKeys.PLACEMENT, tensor)
            .ifPresent(it -> places.add(new Place(id, it.memId(), -1, it.offsetBytes())));
      }
    }
    ImmutableLongArray arenas = method.get(MemoryKeys.ARENAS).orElseThrow();
    return ProgramVerifier.verify(
            method, ClaimedPlan.of(places, arenas.toArray()), ProgramVerifier.Rules.aligned(16))
        .stream()
        .map(
            finding ->
                finding.kind()
                    + " "
                    + finding.subjects().stream().map(Finding.Subject::number).toList())
        .toList();
  }

  @Test
  void concatenation_partsAtTheirPlaces_areProved() {
    assertThat(
            findings(
                """
                %0 : u8[8] {shares="%2:0:derived", placement="1:0:-1"} = input
                %1 : u8[56] {shares="%2:8:derived", placement="1:8:-1"} = conv(%0)
                %2 : u8[64] {placement="1:0:-1"} = concat(%0, %1) {axis=0, nop=true}
                %3 : u8[64] {placement="1:64:-1"} = mix(%2, %1, %0)
                output(%3)
                """))
        .isEmpty();
  }

  @Test
  void concatenation_partOffByOneOrInAnothersPlace_isNot() {
    assertThat(
            findings(
                """
                %0 : u8[8] {shares="%2:1:derived", placement="1:1:-1"} = input
                %1 : u8[56] {placement="1:128:-1"} = conv(%0)
                %2 : u8[64] {placement="1:0:-1"} = concat(%0, %1) {axis=0}
                %3 : u8[64] {placement="1:64:-1"} = mix(%2, %0)
                output(%3)
                """))
        .containsExactly("overlap [0, 2]");
    assertThat(
            findings(
                """
                %0 : u8[32] {shares="%2:32:derived", placement="1:32:-1"} = input
                %1 : u8[32] {shares="%2:0:derived", placement="1:0:-1"} = conv(%0)
                %2 : u8[64] {placement="1:0:-1"} = concat(%0, %1) {axis=0}
                %3 : u8[64] {placement="1:64:-1"} = mix(%2, %1, %0)
                output(%3)
                """))
        .as("the two exchanged")
        .containsExactly("overlap [0, 2]", "overlap [1, 2]");
  }

  @Test
  void concatenation_offByOneAndDeadAfterwards_isNot() {
    assertThat(
            findings(
                """
                %0 : u8[8] {shares="%2:1:derived", placement="1:1:-1"} = input
                %1 : u8[56] {placement="1:128:-1"} = conv(%0)
                %2 : u8[64] {placement="1:0:-1"} = concat(%0, %1) {axis=0}
                output(%2)
                """))
        .as("it may be overwritten before it is read")
        .containsExactly("overlap [0, 2]");
  }

  @Test
  void concatenation_alongAnInnerAxis_isNoProof() {
    String graph =
        """
        %%0 : u8[4,8] {shares="%%2:0:derived", placement="1:0:-1"} = input
        %%1 : u8[4,8] {placement="1:128:-1"} = conv(%%0)
        %%2 : u8[4,16] {placement="1:0:-1"} = concat(%%0, %%1) {%s}
        %%3 : u8[64] {placement="1:64:-1"} = mix(%%2, %%0)
        output(%%3)
        """;

    assertThat(findings(graph.formatted("axis=1"))).containsExactly("overlap [0, 2]");
    assertThat(findings(graph.formatted("axis=0"))).as("wrong").containsExactly("overlap [0, 2]");
    assertThat(findings(graph.formatted("axis=x"))).as("none").containsExactly("overlap [0, 2]");
  }

  @Test
  void concatenation_thatAlsoComputes_isNoProof() {
    String graph =
        """
        %%0 : u8[8] {shares="%%2:0:derived", placement="1:0:-1"} = input
        %%1 : u8[56] {placement="1:128:-1"} = conv(%%0)
        %%2 : u8[64] {placement="1:0:-1"} = CONCATENATION(%%0, %%1) {axis=0%s}
        %%3 : u8[64] {placement="1:64:-1"} = mix(%%2, %%0)
        output(%%3)
        """;

    assertThat(findings(graph.formatted(""))).isEmpty();
    assertThat(findings(graph.formatted(", activation=relu"))).containsExactly("overlap [0, 2]");
    assertThat(findings(graph.formatted(", rescales=true"))).containsExactly("overlap [0, 2]");
  }

  @Test
  void either_writtenWhileTheOtherIsRead_isFound() {
    String graph =
        """
        %%0 : u8[8] {shares="%%2:0:derived", placement="1:0:-1"} = input
        %%1 : u8[56] {placement="1:128:-1"} = conv(%%0)
        %%2 : u8[64] {placement="1:0:-1"} = concat(%%0, %%1) {axis=0}
        fill(out %%%d)
        %%3 : u8[64] {placement="1:64:-1"} = mix(%s)
        output(%%3)
        """;

    assertThat(findings(graph.formatted(0, "%2"))).containsExactly("overlap [0, 2]");
    assertThat(findings(graph.formatted(2, "%0"))).containsExactly("overlap [0, 2]");
    assertThat(findings(graph.formatted(0, "%0"))).as("the whole is dead").isEmpty();
    assertThat(findings(graph.formatted(2, "%2"))).as("the part is dead").isEmpty();
  }

  @Test
  void slices_overlappingOneAnother_areProvedByWhatTheyAreCopiedFrom() {
    String graph =
        """
        %%0 : u8[64] {placement="1:0:-1"} = input
        %%1 : u8[32] {shares="%%0:16:derived", placement="1:16:-1"} = slice(%%0) {begin="16"}
        %%2 : u8[40] {shares="%%0:24:derived", placement="1:24:-1"} = slice(%%0) {begin="24"}
        %s
        %%3 : u8[64] {placement="1:64:-1"} = mix(%%1, %%2)
        output(%%3)
        """;

    assertThat(findings(graph.formatted(""))).isEmpty();
    assertThat(findings(graph.formatted("fill(out %2)"))).containsExactly("sibling-overlap [1, 2]");
  }

  @Test
  void slice_atAnotherPlaceThanItBegins_isFound() {
    assertThat(
            findings(
                """
                %0 : u8[64] {placement="1:0:-1"} = input
                %1 : u8[32] {shares="%0:16:derived", placement="1:16:-1"} = slice(%0) {begin="17"}
                %2 : u8[64] {placement="1:64:-1"} = mix(%1, %0)
                output(%2)
                """))
        .containsExactly("overlap [0, 1]");
  }

  @Test
  void pad_operandInsideTheResult_isProvedUntilThePaddingReachesIt() {
    String graph =
        """
        %%0 : u8[16] {shares="%%1:16:derived", placement="1:16:-1"} = input
        %%1 : u8[64] {placement="1:0:-1"} = pad(%%0) {before="%d"}
        %%2 : u8[64] {placement="1:64:-1"} = mix(%%1, %%0)
        output(%%2)
        """;

    assertThat(findings(graph.formatted(16))).isEmpty();
    assertThat(findings(graph.formatted(15))).containsExactly("overlap [0, 1]");
  }

  @Test
  void idleNode_whoseOperandsLieElsewhere_isFound() {
    String graph =
        """
        %%0 : u8[64] {placement="1:0:-1"} = input
        %%1 : u8[64] {placement="1:64:-1"} = %s(%%0) {nop=true}
        output(%%1)
        """;

    assertThat(findings(graph.formatted("reshape"))).containsExactly("not-in-place []");
    assertThat(findings(graph.formatted("relu"))).containsExactly("not-in-place []");
  }

  @Test
  void state_sliceInside_isProvedAsLongAsNobodyWritesIt() {
    String graph =
        """
        %%0 : u8[64] state @s {placement="1:0:-1"} = input
        %%1 : u8[8] {shares="%%0:8:derived", placement="1:8:-1"} = slice(%%0) {begin="8"}
        %s
        %%2 : u8[64] {placement="1:64:-1"} = relu(%%1)
        output(%%2)
        """;

    assertThat(findings(graph.formatted(""))).isEmpty();
    assertThat(findings(graph.formatted("fill(out %1)")))
        .as("the next run reads the state")
        .containsExactly("overlap [0, 1]");
  }

  @Test
  void until_wholeKeptFurther_mustStillHaveItsBytes() {
    String graph =
        """
        %%0 : u8[64] {placement="1:0:-1"%s} = input
        %%1 : u8[64] {shares="%%0:0:derived", placement="1:0:-1"} = reshape(%%0)
        fill(out %%1)
        9: %%2 : u8[64] {placement="1:64:-1"} = relu(%%1)
        output(%%2)
        """;

    assertThat(findings(graph.formatted(""))).isEmpty();
    assertThat(findings(graph.formatted(", until=9"))).containsExactly("overlap [0, 1]");
  }

  @Test
  void calledGraph_ownTensors_areProvedUnlessAValueIsKeptFromRunToRun() {
    String body =
        """
        graph @main {
          %%0 : bool[1] {placement="1:0:-1"} = input
          %%1 : u8[64] {placement="1:16:-1"} = map(%%0) @body
          output(%%1)
        }
        graph @body {
          %%2 : bool[1] {placement="1:96:-1"} = input
          %%3 : u8[64] {placement="1:128:-1"} = alloc
          %s
          %%4 : u8[16] {shares="%%3:0:derived", placement="1:128:-1"} = conv(%%2)
          %%5 : u8[48] {placement="1:192:-1"} = conv(%%2)
          concat(%%4, %%5, out %%3) {axis=0, nop=false}
          %%6 : u8[64] {placement="1:256:-1"} = mix(%%3, %%4)
          output(%%6)
        }
        """;

    assertThat(findingsOf(body.formatted(""))).isEmpty();
    assertThat(findingsOf(body.formatted("%7 : u8[64] {placement=\"1:320:-1\"} = relu(%3)")))
        .as("the second run finds the first one's whole: nothing has been written over it")
        .isEmpty();
    assertThat(
            findingsOf(
                body.formatted("")
                    .replace(
                        "concat(%4, %5,",
                        "%7 : u8[64] {placement=\"1:320:-1\"} = mix(%3)" + " concat(%4, %5,")))
        .as("in the second run, the part is written over it before it is read")
        .containsExactly("overlap [3, 4]");
  }

  @Test
  void jumps_inTheGraph_areNoProof() {
    String graph =
        """
        %%0 : u8[64] {placement="1:0:-1"} = input
        %%1 : u8[32] {shares="%%0:0:derived", placement="1:0:-1"} = slice(%%0) {begin="0"}
        %s
        9: %%2 : u8[64] {placement="1:64:-1"} = mix(%%0, %%1)
        output(%%2)
        """;

    assertThat(findings(graph.formatted(""))).isEmpty();
    assertThat(findings(graph.formatted("jump_if_false(%0) -> 9")))
        .containsExactly("overlap [0, 1]");
  }

  @Test
  void declaredInsideDerived_isStillTheModels() {
    assertThat(
            findings(
                """
                %0 : u8[32] {shares="%3:0:derived", placement="1:0:-1"} = conv()
                %1 : u8[16] {shares="%0:0", placement="1:0:-1"} = conv(%0)
                %2 : u8[32] {placement="1:128:-1"} = mix(%0, %1)
                %3 : u8[64] {placement="1:0:-1"} = concat(%0, %2) {axis=0}
                %4 : u8[64] {placement="1:64:-1"} = relu(%3)
                output(%4)
                """))
        .isEmpty();
  }
}
