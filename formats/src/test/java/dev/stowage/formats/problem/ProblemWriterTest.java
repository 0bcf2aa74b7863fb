package dev.stowage.formats.problem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.base.Call;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.io.Source;
import dev.stowage.planning.Arena;
import dev.stowage.planning.PlanningProblem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ProblemWriterTest {
  @Test
  void write_everyMember_readsBackTheSame() throws IOException {
    PlanningProblem.Builder builder = PlanningProblem.builder("all").alignment(8);
    builder.addArena(
        Arena.of(3).withName("fast").withCapacity(4_096).withAlignment(32, 0).withReserved(40, 64));
    builder.addArena(Arena.of(1).withName("slow").withCapacity(1L << 40).withReserved(0, 64));
    builder.addArena(Arena.of(7).withReserved(9, 64).closed());
    int whole = builder.addBuffer(100, 2, 9);
    int part = builder.addBuffer(10, 3, 4);
    int pinned = builder.addBuffer(1L << 33, 0, 1);
    builder.storage(part, whole, 16).bufferName(whole, "conv, \"1\"");
    builder.pin(pinned, 2).fixedOffset(pinned, 48).oracleAlignment(pinned, 4);
    builder.bufferAlignment(whole, 64).overRead(whole, 12).traffic(part, 5, 6);
    builder.separate(whole, pinned);
    PlanningProblem problem = builder.build();

    String first = text(problem);
    PlanningProblem read =
        ProblemReader.read(
                Source.of("p.json", first.getBytes(StandardCharsets.UTF_8)), ProblemOptions.NONE)
            .next()
            .orThrow()
            .problem();

    assertThat(text(read)).isEqualTo(first);
    assertThat(read.constraints()).isEqualTo(problem.constraints());
    assertThat(read.arenas()).hasSize(3);
    assertThat(read.arena(0).reservedBytes()).isEqualTo(40);
    assertThat(read.arena(2).open()).isFalse();
    assertThat(read.baseOffset(part)).isEqualTo(16);
    assertThat(read.start(whole)).isEqualTo(2);
    assertThat(read.bufferName(whole)).isEqualTo("conv, \"1\"");
    assertThat(read.separation(0, 1)).isEqualTo(pinned);
  }

  @Test
  void write_singleArenaWithoutLimits_hasNoBanks() throws IOException {
    PlanningProblem.Builder builder = PlanningProblem.builder("plain");
    builder.addBuffer(5, 0, 3);

    assertThat(text(builder.build()))
        .isEqualTo(
            "{\"name\":\"plain\",\"alignment\":16,\"buffers\":[{\"bytes\":5,\"lifetime\":[0,3]}]}\n");
  }

  @Test
  void write_gaps_isRefused() {
    PlanningProblem.Builder builder = PlanningProblem.builder("gaps");
    builder.addGap(builder.addBuffer(5, 0, 9), 2, 3);

    assertThatThrownBy(() -> text(builder.build()))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("input-unsupported")
        .hasMessageContaining("gaps in lifetimes");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "naive",
        "greedy",
        "greedy{overlap=false}",
        "banked-greedy{overlap=false}",
        "suite{of=[greedy,naive]}",
        "suite{of=[greedy{overlap=false},greedy]}",
        "suite{of=[banked-greedy{overlap=false},greedy{overlap=false}]}"
      })
  void write_strategy_isAskedForWhenReadBack(String strategy) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PlanningProblem.Builder builder = PlanningProblem.builder("asks");
    builder.addBuffer(5, 0, 3);
    ProblemWriter.write(out, builder.build(), Optional.of(Call.parse("test", strategy)));

    assertThat(
            ProblemReader.read(Source.of("p.json", out.toByteArray()), ProblemOptions.NONE)
                .next()
                .orThrow()
                .request()
                .strategy()
                .map(Call::toString))
        .contains(strategy);
  }

  private static String text(PlanningProblem problem) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ProblemWriter.write(out, problem, Optional.empty());
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  @Timeout(60)
  void write_manySeparations_looksAtEachOnce() throws IOException {
    PlanningProblem.Builder builder = PlanningProblem.builder("separations");
    int count = 200_000;
    for (int i = 0; i < count; i++) {
      builder.addBuffer(1, 0, 0);
    }
    for (int i = 1; i < count; i++) {
      builder.separate(i - 1, i);
    }

    assertThat(text(builder.build()))
        .contains("{\"bytes\":1,\"lifetime\":[0,0],\"must_not_share\":[199999]},")
        .endsWith("{\"bytes\":1,\"lifetime\":[0,0]}]}\n");
  }
}
