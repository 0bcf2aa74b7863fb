package dev.stowage.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.formats.ImportedModel;
import dev.stowage.formats.executorch.GraphDocumentImporter;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningProblem;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** The recorded graphs of ExecuTorch 1.5.1 with their plans, and how plans are compared. */
final class GoldenGraphs {
  private static final Path GOLDEN = Path.of("src/test/resources/golden/graphs");
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Errors of ExecuTorch's where ours must have a plan. */
  private static final ImmutableList<String> BEYOND =
      ImmutableList.of(
          "CPU specs only",
          "not yet compatible with custom memory pool",
          "not sorted",
          "not yet supported with banked",
          "storage_base TensorSpec must have a lifetime");

  private static final ImmutableSet<String> DOES_NOT_FIT =
      ImmutableSet.of("pin-does-not-fit", "unplaceable", "reserved-exceeds-bank");

  private GoldenGraphs() {}

  /** True for a plan that the importer refuses so far. */
  static boolean isLeftOut(Document document, JsonNode plan) {
    return document.json().path("graphs").size() > 1
        || document.json().findValues("device").stream().anyMatch(d -> !d.asText().equals("CPU"))
        || plan.path("options").path("share_mutable_buffers").asBoolean();
  }

  /** What is wrong with our plan of a method, by the recorded one; empty if nothing is. */
  static Optional<String> judge(JsonNode plan, PlannedMethod ours) {
    JsonNode want = plan.path("results").path(0);
    if (isSuiteDefect(plan.path("options"))) {
      return Optional.empty();
    }
    String error = want.path("error").path("message").asText("");
    if (ours.result() instanceof PlannedMethod.Failed failed) {
      String kind = failed.why().kind().name();
      if (error.isEmpty()) {
        return Optional.of("refused: " + failed.why().render());
      }
      boolean beyond = BEYOND.stream().anyMatch(error::contains);
      boolean ok = beyond ? DOES_NOT_FIT.contains(kind) : isKindFor(error, kind);
      return ok ? Optional.empty() : Optional.of(kind + " for: " + error);
    }
    if (!error.isEmpty()) {
      return BEYOND.stream().anyMatch(error::contains)
          ? Optional.empty()
          : Optional.of("planned, but ExecuTorch refuses: " + error);
    }
    return compare(plan, want, ours, (PlannedMethod.Planned) ours.result());
  }

  private static Optional<String> compare(
      JsonNode plan, JsonNode want, PlannedMethod ours, PlannedMethod.Planned planned) {
    PlanningProblem problem = ours.lowered().problem();
    MemoryPlan memory = planned.plan();
    List<Integer> order = new ArrayList<>();
    want.path("calls").forEach(call -> call.path("specs").forEach(s -> order.add(s.asInt())));
    if (!order.equals(ours.lowered().numbers().asList())) {
      return Optional.of("order " + ours.lowered().numbers() + ", want " + order);
    }
    long[] sizes =
        IntStream.range(0, want.path("bufsizes").size())
            .mapToLong(i -> want.path("bufsizes").get(i).asLong())
            .toArray();
    if (!Arrays.equals(sizes, memory.arenaSizes())) {
      return Optional.of("arenas " + Arrays.toString(memory.arenaSizes()) + ", want " + want);
    }
    JsonNode pairs = want.path("verify_storage_reuse");
    OptionalLong wantPairs =
        pairs.isNumber() ? OptionalLong.of(pairs.asLong()) : OptionalLong.empty();
    if (!wantPairs.equals(planned.verification().storageReusePairs())) {
      return Optional.of(
          "pairs " + planned.verification().storageReusePairs() + ", want " + wantPairs);
    }
    String io = want.path("verify_graph_input_output").asText("").equals("ok") ? "ok" : "mismatch";
    if (!planned.inputOutputCheck().equals(Optional.of(io))) {
      return Optional.of("input and output check " + planned.inputOutputCheck() + ", want " + io);
    }
    Map<Integer, Integer> bufferOfSpec = new HashMap<>();
    for (int i = 0; i < problem.bufferCount(); i++) {
      bufferOfSpec.put(ours.lowered().numbers().get(i), i);
    }
    for (JsonNode row : plan.path("specs")) {
      if (row.get(5).isNull()) {
        continue;
      }
      Integer buffer = bufferOfSpec.get(row.get(0).asInt());
      if (buffer == null) {
        return Optional.of("spec " + row + " is not planned");
      }
      List<Long> mine =
          List.of(
              (long) problem.start(buffer),
              (long) problem.end(buffer),
              (long) problem.arena(memory.arena(buffer)).memId(),
              memory.offsetBytes(buffer));
      List<Long> wanted =
          List.of(
              row.get(1).asLong(), row.get(2).asLong(), row.get(3).asLong(), row.get(5).asLong());
      if (!mine.equals(wanted)
          || (!row.get(4).isNull() && row.get(4).asInt() != memory.object(buffer))) {
        return Optional.of("spec " + row + " is at " + mine);
      }
    }
    return Optional.empty();
  }

  /**
   * ExecuTorch's suites leak state from one algorithm into the next; such plans are not compared.
   */
  private static boolean isSuiteDefect(JsonNode options) {
    List<String> names = new ArrayList<>();
    options
        .path("algorithms")
        .forEach(a -> names.add(a.asText().equals("greedy_no_overlap") ? "greedy" : a.asText()));
    Set<String> distinct = new HashSet<>(names);
    return distinct.size() < names.size()
        || names.subList(0, names.size() - 1).contains("naive")
        || (options.path("alignment").asInt() != 16
            && names.stream().skip(1).anyMatch(name -> !name.equals("naive")));
  }

  private static boolean isKindFor(String oracle, String kind) {
    if (oracle.contains("is pinned to bank")) {
      return kind.equals("pin-does-not-fit") || kind.equals("reserved-exceeds-bank");
    }
    if (oracle.contains("No declared bank can hold")) {
      return kind.equals("unplaceable") || kind.equals("reserved-exceeds-bank");
    }
    if (oracle.contains("does not support storage-backed")) {
      return kind.equals("strategy-refuses-storage");
    }
    if (oracle.contains("same number of buffers")) {
      return kind.equals("suite-arena-counts");
    }
    return oracle.contains("torage") && kind.startsWith("storage-");
  }

  /** A document, as JSON and as the importer reads it. */
  record Document(String name, JsonNode json, ImportedModel model) {
    JsonNode plans() {
      return json.path("plans");
    }
  }

  /** All documents. */
  static List<Document> documents() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String folder : List.of("random", "models")) {
      try (Stream<Path> listed = Files.list(GOLDEN.resolve(folder))) {
        listed.sorted().forEach(files::add);
      }
    }
    List<Document> documents = new ArrayList<>();
    for (Path file : files) {
      documents.addAll(documents(file));
    }
    return documents;
  }

  /** The documents of a family of random graphs. */
  static List<Document> random(String family) throws IOException {
    return documents(GOLDEN.resolve("random").resolve(family + ".jsonl.gz"));
  }

  private static List<Document> documents(Path file) throws IOException {
    List<Document> documents = new ArrayList<>();
    try (Source source = Source.open(file);
        BufferedReader reader =
            new BufferedReader(
                new InputStreamReader(
                    new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      Iterator<Entry<ImportedModel>> models = GraphDocumentImporter.read(source);
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        JsonNode json = JSON.readTree(text);
        documents.add(new Document(json.path("name").asText(), json, models.next().orThrow()));
      }
      assertThat(models).isExhausted();
    }
    return documents;
  }
}
