package dev.stowage.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.stowage.base.DiagnosticException;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningProblem;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.annotations.Param;

class GreedyBenchmarkTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "timing_short_100",
        "timing_mixed_100",
        "timing_short_300",
        "timing_mixed_300",
        "timing_short_1000",
        "timing_mixed_1000"
      })
  void plan_recordedProblem_isThePlanOfExecuTorch(String problem) throws IOException {
    MemoryPlan plan = benchmark(problem, "greedy").plan();

    JsonNode result = recorded(problem).get("result");
    assertThat(Arrays.toString(plan.arenaSizes()).replace(" ", ""))
        .isEqualTo(result.get("bufsizes").toString());
    List<String> places =
        IntStream.range(0, plan.bufferCount())
            .mapToObj(i -> "[1,%d,%d]".formatted(plan.object(i), plan.offsetBytes(i)))
            .toList();
    assertThat(places)
        .isEqualTo(result.get("placements").valueStream().map(JsonNode::toString).toList());
  }

  @Test
  void problems_everyParameter_readsWithAsManyBuffersAsItsNameSays() throws Exception {
    Param problems = GreedyBenchmark.class.getDeclaredField("problem").getAnnotation(Param.class);

    assertThat(problems.value()).hasSize(12);
    for (String name : problems.value()) {
      PlanningProblem problem = TimingProblem.read(name);
      assertThat("timing_" + problem.name().split("/", -1)[1] + "_" + problem.bufferCount())
          .isEqualTo(name);
    }
  }

  @Test
  void problems_unknownName_isRefused() {
    assertThatThrownBy(() -> TimingProblem.read("timing_mixed_7"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("timing_mixed_7");
  }

  @Test
  void setUp_unknownContender_isRefusedBeforeAnythingIsMeasured() {
    assertThatThrownBy(() -> benchmark("timing_short_100", "greedi"))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("greedi");
  }

  private static GreedyBenchmark benchmark(String problem, String contender) {
    GreedyBenchmark benchmark = new GreedyBenchmark();
    benchmark.problem = problem;
    benchmark.contender = contender;
    benchmark.setUp();
    return benchmark;
  }

  private static JsonNode recorded(String problem) throws IOException {
    try (InputStream bytes =
        GreedyBenchmarkTest.class.getResourceAsStream("/timing/" + problem + ".json.gz")) {
      assertThat(bytes).isNotNull();
      return MAPPER.readTree(new GZIPInputStream(bytes));
    }
  }
}
