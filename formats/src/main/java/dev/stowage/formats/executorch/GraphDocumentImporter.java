package dev.stowage.formats.executorch;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Value;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.base.json.JsonDocuments;
import dev.stowage.base.json.JsonObject;
import dev.stowage.formats.FileFormat;
import dev.stowage.formats.ImportedModel;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.planning.Limits;
import dev.stowage.planning.PlanRequest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Reads dumps of ExecuTorch graphs: the graphs of a program as memory planning gets them, one table
 * of tensor specs, and the options of plans made of them. Each recorded plan becomes a request.
 *
 * <p>Documents with control flow, several methods, shared state or tensors off the CPU are read,
 * but every plan of theirs is refused so far.
 */
public final class GraphDocumentImporter {
  private static final ImmutableSet<String> DOCUMENT =
      ImmutableSet.of("format", "name", "source", "config", "specs", "graphs", "plans");
  private static final ImmutableSet<String> GRAPH =
      ImmutableSet.of("method", "nodes", "submodules");
  private static final ImmutableSet<String> PLAN =
      ImmutableSet.of("label", "options", "results", "multimethod", "specs", "seconds");
  private static final ImmutableSet<String> OPTIONS =
      ImmutableSet.of(
          "algorithms",
          "alignment",
          "banks",
          "alloc_graph_input",
          "alloc_graph_output",
          "alloc_mutable_buffers",
          "share_mutable_buffers",
          "enable_non_cpu_memory_planning");
  private static final ImmutableSet<String> BANK =
      ImmutableSet.of("name", "size", "mem_id", "alignment");

  private GraphDocumentImporter() {}

  /**
   * The models of a source, one for each document, read as they are asked for; there is at least
   * one entry. The caller closes the source.
   *
   * @throws DiagnosticException of kind {@code input-unreadable}, here and while iterating
   */
  public static Iterator<Entry<ImportedModel>> read(Source source) {
    return new JsonDocuments<>(
        source,
        (cursor, label) -> {
          String path = "line " + cursor.line();
          JsonNode json = cursor.tree();
          label.set(json.path("name").asText(label.text()));
          return model(JsonObject.of(cursor.source(), path, json).only(DOCUMENT));
        });
  }

  private static ImportedModel model(JsonObject document) {
    if (document.number("format", 0, Integer.MAX_VALUE) != 1) {
      throw document.error(Kinds.INPUT_UNSUPPORTED, "format", "only format 1 is known");
    }
    String name = document.text("name");
    ImmutableList<Spec> specs = Spec.table(document);
    ImmutableList<JsonObject> graphs = document.objects("graphs");
    Optional<Diagnostic> refusal = refusal(document, specs, graphs);
    List<Method> methods = new ArrayList<>();
    if (refusal.isEmpty()) {
      for (JsonObject graph : graphs) {
        methods.add(new GraphTranslation(graph.only(GRAPH), specs).translate());
      }
    }
    return new ImportedModel(
        FileFormat.GRAPH.toString(),
        Program.of(name, ImmutableList.copyOf(methods)),
        requests(document, refusal),
        ImportedModel.Facts.NONE);
  }

  private static Optional<Diagnostic> refusal(
      JsonObject document, ImmutableList<Spec> specs, ImmutableList<JsonObject> graphs) {
    Location where = document.location();
    if (graphs.size() != 1) {
      return Optional.of(
          Diagnostic.of(
              Kinds.INPUT_UNSUPPORTED,
              where,
              "the document has " + graphs.size() + " methods, and only one can be planned yet"));
    }
    if (specs.stream().anyMatch(spec -> !spec.device().isCpu())) {
      return Optional.of(
          Diagnostic.of(
              Kinds.INPUT_UNSUPPORTED,
              where,
              "the document has tensors that are not on the CPU, which cannot be planned yet"));
    }
    for (JsonObject node : graphs.get(0).objects("nodes")) {
      if (node.has("control_flow")) {
        return Optional.of(
            Diagnostic.of(
                Kinds.INPUT_UNSUPPORTED,
                where,
                "node "
                    + node.number("index", 0, Integer.MAX_VALUE)
                    + " is control flow, which cannot be planned yet"));
      }
    }
    return Optional.empty();
  }

  private static ImmutableList<ImportedModel.Request> requests(
      JsonObject document, Optional<Diagnostic> refusal) {
    ImmutableList.Builder<ImportedModel.Request> requests = ImmutableList.builder();
    if (!document.has("plans")) {
      return requests.build();
    }
    for (JsonObject plan : document.objects("plans")) {
      JsonObject options = plan.only(PLAN).object("options").only(OPTIONS);
      requests.add(request(options, refusal));
    }
    return requests.build();
  }

  private static ImportedModel.Request request(JsonObject options, Optional<Diagnostic> refusal) {
    boolean shared = options.bool("share_mutable_buffers", false);
    PlanRequest request =
        new PlanRequest(
            Optional.of(strategy(options)),
            OptionalInt.of(
                options.integer("alignment", 1, Limits.MAX_ALIGNMENT, Limits.DEFAULT_ALIGNMENT)),
            options.bool("alloc_graph_input", true),
            options.bool("alloc_graph_output", true),
            options.bool("alloc_mutable_buffers", true));
    Optional<Diagnostic> why = refusal;
    if (why.isEmpty() && shared) {
      why =
          Optional.of(
              options
                  .error(
                      Kinds.INPUT_UNSUPPORTED,
                      "share_mutable_buffers",
                      "state that methods share cannot be planned yet")
                  .diagnostic());
    }
    try {
      return new ImportedModel.Request(request, banks(options), why);
    } catch (DiagnosticException e) {
      return new ImportedModel.Request(
          request, Optional.empty(), Optional.of(why.orElse(e.diagnostic())));
    }
  }

  private static Optional<MemoryMap> banks(JsonObject options) {
    if (!options.has("banks")) {
      return Optional.empty();
    }
    ImmutableList.Builder<Bank> banks = ImmutableList.builder();
    for (JsonObject bank : options.objects("banks")) {
      bank.only(BANK);
      banks.add(
          Bank.builder(
                  bank.text("name"),
                  bank.number("size", Long.MIN_VALUE, Long.MAX_VALUE),
                  (int) bank.number("mem_id", Integer.MIN_VALUE, Limits.MAX_MEM_ID))
              .alignment(bankAlignment(bank))
              .build());
    }
    return Optional.of(MemoryMap.of(banks.build()));
  }

  private static int bankAlignment(JsonObject bank) {
    int bytes = bank.integer("alignment", Integer.MIN_VALUE, Limits.MAX_ALIGNMENT, 0);
    if (bytes == 0 && bank.has("alignment")) {
      // A bank says "none of its own" by null; the map knows only 0 for it.
      throw bank.error(Kinds.MAP_VALUE, "alignment", "alignment is 0, but must be 1 or more");
    }
    return bytes;
  }

  /** The algorithm, or a suite of several. */
  private static Call strategy(JsonObject options) {
    ImmutableList.Builder<Value> calls = ImmutableList.builder();
    for (JsonNode item : options.list("algorithms")) {
      calls.add(algorithm(options, item.asText()));
    }
    ImmutableList<Value> all = calls.build();
    if (all.isEmpty()) {
      throw options.error(Kinds.INPUT_MEMBER, "algorithms", "the list is empty");
    }
    return all.size() == 1
        ? all.get(0).asCall()
        : Call.of("suite").with("of", new Value.Items(all));
  }

  private static Value algorithm(JsonObject options, String name) {
    return switch (name) {
      case "greedy", "naive" -> new Value.Word(name);
      case "banked_greedy" -> new Value.Word("banked-greedy");
      case "greedy_no_overlap" ->
          new Value.Nested(Call.of("greedy").with("overlap", new Value.Word("false")));
      default ->
          throw options.error(
              Kinds.INPUT_VALUE,
              "algorithms",
              "'" + name + "' is none of greedy, greedy_no_overlap, naive, banked_greedy");
    };
  }
}
