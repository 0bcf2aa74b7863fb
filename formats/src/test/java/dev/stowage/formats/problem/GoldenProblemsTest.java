package dev.stowage.formats.problem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.planning.Arena;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every recorded answer of ExecuTorch 1.5.1, compared number by number. */
class GoldenProblemsTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** What a refusal of the oracle says, and the kinds that say the same; the first match counts. */
  private static final ImmutableMap<String, List<String>> KINDS =
      ImmutableMap.of(
          "is pinned to bank", List.of("pin-does-not-fit", "reserved-exceeds-bank"),
          "No declared bank can hold", List.of("unplaceable", "reserved-exceeds-bank"),
          "is not a multiple of the graph's alignment", List.of("bank-alignment"),
          "but is only", List.of("reserved-exceeds-bank"),
          "same number of buffers", List.of("suite-arena-counts"),
          "does not support storage-backed", List.of("strategy-refuses-storage"),
          "torage",
              List.of(
                  "storage-cycle",
                  "storage-unresolved",
                  "storage-negative-offset",
                  "storage-misaligned",
                  "storage-does-not-fit"));

  private static final ImmutableList<String> DOES_NOT_FIT =
      ImmutableList.of("pin-does-not-fit", "unplaceable", "reserved-exceeds-bank");

  /**
   * Lines in which ExecuTorch stopped with "not sorted" before it came to a storage-backed buffer
   * that no plan can place: too large for its base, or at an offset that is not aligned there.
   */
  private static final ImmutableMap<String, String> IMPOSSIBLE =
      ImmutableMap.of(
          "banked/175", "storage-does-not-fit",
          "banked/402", "storage-does-not-fit",
          "banked/417", "storage-misaligned");

  private final Planner planner = Planner.withInstalledStrategies();

  @ParameterizedTest
  @CsvSource({
    "banked, 700",
    "banked_errors, 180",
    "banked_single, 300",
    "greedy, 500",
    "greedy_empty, 16",
    "greedy_initial_alignment, 200",
    "greedy_no_overlap, 250",
    "greedy_padding, 120",
    "greedy_pools, 300",
    "greedy_reserved, 200",
    "greedy_storage, 450",
    "greedy_storage_errors, 90",
    "huge, 90",
    "large, 18",
    "naive, 250",
    "suite, 360",
  })
  void plan_eachRecordedProblem_agreesWithExecuTorch(String family, int count) throws IOException {
    List<JsonNode> wanted = records(family);
    List<String> faults = new ArrayList<>();
    try (Source source = Source.of(family + ".jsonl", resource(family))) {
      Iterator<Entry<ProblemDocument>> entries = ProblemReader.read(source, ProblemOptions.NONE);
      for (JsonNode want : wanted) {
        judge(want, entries.next())
            .ifPresent(fault -> faults.add(want.get("name").asText() + ": " + fault));
      }
      assertThat(entries).isExhausted();
    }
    assertThat(faults).isEmpty();
    assertThat(wanted).hasSize(count);
  }

  @Test
  void banks_eachRecordedMap_isAcceptedOrRefusedAsByExecuTorch() throws IOException {
    List<JsonNode> records = records("memmap");
    for (JsonNode want : records) {
      ((ObjectNode) want).putArray("buffers");
      try (Source source = Source.of("m", MAPPER.writeValueAsBytes(want))) {
        Entry<ProblemDocument> entry = ProblemReader.read(source, ProblemOptions.NONE).next();
        String name = want.get("name").asText();
        if (want.has("error")) {
          assertThat(entry).as(name).isInstanceOf(Entry.Bad.class);
          Diagnostic error = ((Entry.Bad<ProblemDocument>) entry).error();
          checkMapError(name, want.get("error").get("message").asText(), error);
        } else {
          checkMap(name, want.get("result"), entry.orThrow().map().orElseThrow());
        }
      }
    }
    assertThat(records).hasSize(17);
  }

  /** ExecuTorch names the first fault that it finds, we name all. */
  private static void checkMapError(String name, String wanted, Diagnostic error) {
    String kind =
        wanted.contains("at least one bank")
            ? "map-empty"
            : wanted.startsWith("Duplicate") ? "map-duplicate" : "map-value";
    String member =
        wanted.contains("at least one bank")
            ? "banks"
            : wanted.startsWith("Duplicate bank names")
                ? ".name"
                : wanted.startsWith("Duplicate mem_ids") || wanted.contains("has mem_id")
                    ? ".mem_id"
                    : wanted.contains("size") ? ".size" : ".alignment";
    assertThat(error.kind().name()).as(name).isEqualTo(kind);
    assertThat(error.location().place()).as(name).startsWith("line 1, banks");
    assertThat(error.location().place() + ": " + error.notes()).as(name).contains(member + ": ");
  }

  private static void checkMap(String name, JsonNode wanted, MemoryMap map) {
    assertThat(map).as(name).hasToString(wanted.get("describe").asText());
    assertThat(map.memIds()).as(name).isEqualTo(integers(wanted.get("mem_ids")));
    assertThat(IntStream.range(0, 10).filter(map::manages).boxed().toList())
        .as(name)
        .isEqualTo(integers(wanted.get("manages")));
    wanted
        .get("by_name")
        .properties()
        .forEach(
            bank -> assertThat(map.bank(bank.getKey()).memId()).isEqualTo(bank.getValue().asInt()));
    assertThatThrownBy(() -> map.bank(99)).hasMessageContaining("error[map-unknown-bank]");
    assertThatThrownBy(() -> map.bank("nope")).hasMessageContaining("error[map-unknown-bank]");
  }

  private static List<Integer> integers(JsonNode list) {
    List<Integer> integers = new ArrayList<>();
    list.forEach(item -> integers.add(item.asInt()));
    return integers;
  }

  private Optional<String> judge(JsonNode want, Entry<ProblemDocument> entry) {
    if (entry instanceof Entry.Bad<ProblemDocument> bad) {
      return judgeError(want, bad.error());
    }
    ProblemDocument document = entry.orThrow();
    if (!document.name().equals(want.get("name").asText())) {
      return Optional.of("the name is " + document.name());
    }
    Call call = document.request().strategy().orElseThrow();
    PlanningOutcome outcome = planner.plan(document.problem(), call);
    if (outcome instanceof PlanningOutcome.Planned planned) {
      return judgePlan(want, document.problem(), planned.plan());
    }
    return judgeError(
        want,
        outcome instanceof PlanningOutcome.Infeasible infeasible
            ? infeasible.proof()
            : ((PlanningOutcome.GaveUp) outcome).why());
  }

  private static Optional<String> judgeError(JsonNode want, Diagnostic error) {
    String kind = error.kind().name();
    Optional<String> fault = Optional.of("unexpected " + error.render());
    if (want.has("oracle_defect")) {
      boolean fits = want.get("banks").isArray() && DOES_NOT_FIT.contains(kind);
      boolean counts =
          want.get("algorithm").asText().equals("suite") && kind.equals("suite-arena-counts");
      boolean impossible = kind.equals(IMPOSSIBLE.get(want.get("name").asText()));
      return fits || counts || impossible ? Optional.empty() : fault;
    }
    if (!want.has("error")) {
      return fault;
    }
    String message = want.get("error").get("message").asText();
    return KINDS.entrySet().stream()
            .filter(kinds -> message.contains(kinds.getKey()))
            .findFirst()
            .map(kinds -> kinds.getValue().contains(kind))
            .orElse(true)
        ? Optional.empty()
        : fault;
  }

  private static Optional<String> judgePlan(
      JsonNode want, PlanningProblem problem, MemoryPlan plan) {
    if (want.has("oracle_defect")) {
      return invalid(problem, plan);
    }
    if (want.has("error")) {
      return Optional.of("planned, but the oracle refuses: " + want.get("error"));
    }
    JsonNode result = want.get("result");
    String sizes = Arrays.toString(plan.arenaSizes()).replace(" ", "");
    if (!result.get("bufsizes").toString().equals(sizes)) {
      return Optional.of("arena sizes " + sizes + ", want " + result.get("bufsizes"));
    }
    for (int i = 0; i < problem.bufferCount(); i++) {
      String place =
          "[%d,%d,%d]"
              .formatted(problem.arena(plan.arena(i)).memId(), plan.object(i), plan.offsetBytes(i));
      String wanted = result.get("placements").get(i).toString();
      if (!place.equals(wanted)) {
        return Optional.of("buffer " + i + " at " + place + ", want " + wanted);
      }
    }
    return problem.bufferCount() == result.get("placements").size()
        ? Optional.empty()
        : Optional.of("number of placements");
  }

  /** The obvious check of all pairs. */
  private static Optional<String> invalid(PlanningProblem problem, MemoryPlan plan) {
    boolean reservedAligned =
        problem.arenas().stream().allMatch(a -> a.reservedBytes() % problem.alignment() == 0);
    for (Arena arena : problem.arenas()) {
      if (plan.arenaSizeBytes(arena.memId()) > arena.capacityBytes()) {
        return Optional.of(arena + " is too large");
      }
    }
    for (int a = 0; a < problem.bufferCount(); a++) {
      if (plan.offsetBytes(a) % problem.alignment() != 0 && reservedAligned) {
        return Optional.of("buffer " + a + " is misaligned");
      }
      if (end(problem, plan, a) > plan.arenaSizeBytes(problem.arena(plan.arena(a)).memId())) {
        return Optional.of("buffer " + a + " is outside its arena");
      }
      for (int b = a + 1; b < problem.bufferCount(); b++) {
        if (plan.arena(a) == plan.arena(b)
            && problem.overlapInTime(a, b)
            && plan.offsetBytes(a) < end(problem, plan, b)
            && plan.offsetBytes(b) < end(problem, plan, a)
            && root(problem, a) != root(problem, b)) {
          return Optional.of("buffers " + a + " and " + b + " overlap");
        }
      }
    }
    return Optional.empty();
  }

  private static long end(PlanningProblem problem, MemoryPlan plan, int buffer) {
    return plan.offsetBytes(buffer) + problem.allocatedBytes(buffer);
  }

  private static int root(PlanningProblem problem, int buffer) {
    int at = buffer;
    while (problem.base(at) >= 0) {
      at = problem.base(at);
    }
    return at;
  }

  private static byte[] resource(String family) throws IOException {
    String path = "/golden/problems/" + family + ".jsonl.gz";
    try (InputStream in =
        Objects.requireNonNull(GoldenProblemsTest.class.getResourceAsStream(path))) {
      return in.readAllBytes();
    }
  }

  private static List<JsonNode> records(String family) throws IOException {
    String text;
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(resource(family)))) {
      text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    List<JsonNode> records = new ArrayList<>();
    for (String line : text.lines().toList()) {
      records.add(MAPPER.readTree(line));
    }
    return records;
  }
}
