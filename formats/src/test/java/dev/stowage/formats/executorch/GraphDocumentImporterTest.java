package dev.stowage.formats.executorch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.formats.ImportedModel;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.structure.Structure;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.planning.PlanRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GraphDocumentImporterTest {
  /** A well-formed document that the tests of errors change in one place. */
  private static final String GOOD =
      """
      {"format": 1, "name": "good", "source": "s", "specs": [
        {"id": 0, "dtype": "float32", "shape": [4, 4], "bytes": 64, "const": false,
         "dynamism": "STATIC", "device": "CPU", "device_index": 0, "mem_id_before": null,
         "alignment_before": 16, "lifetime_before": [null, null],
         "storage_base": null, "storage_base_offset": 0},
        {"id": 1, "dtype": "int8", "shape": [9], "bytes": 9, "dynamism": "STATIC"}],
       "graphs": [{"method": "forward", "nodes": [
        {"index": 0, "name": "x", "op": "placeholder", "target": "x", "specs": [0]},
        {"index": 1, "name": "add", "op": "call_function", "target": "aten.add_.out",
         "args": [0], "kwargs": [], "specs": [1], "inplace": true, "inplace_alias": [[0, 0]]},
        {"index": 2, "name": "output", "op": "output", "target": "output", "args": [1]}],
        "submodules": {}}],
       "plans": [{"options": {"algorithms": ["greedy"], "alignment": 8}}]}
      """
          .replace("\n", "");

  private static ImmutableList<Entry<ImportedModel>> readAll(String text) {
    try (Source source = Source.of("d.json", text.getBytes(StandardCharsets.UTF_8))) {
      return ImmutableList.copyOf(GraphDocumentImporter.read(source));
    }
  }

  private static ImportedModel read(String text) {
    ImmutableList<Entry<ImportedModel>> all = readAll(text);
    assertThat(all).hasSize(1);
    return all.get(0).orThrow();
  }

  private static Diagnostic error(String text) {
    ImmutableList<Entry<ImportedModel>> all = readAll(text);
    assertThat(all).hasSize(1);
    assertThat(all.get(0)).isInstanceOf(Entry.Bad.class);
    return ((Entry.Bad<ImportedModel>) all.get(0)).error();
  }

  /** Specs of 16 bytes each, with further members; the first entry of each is its id. */
  private static String specs(int count, String... further) {
    List<String> specs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String more = i < further.length && !further[i].isEmpty() ? ", " + further[i] : "";
      specs.add(
          "{\"id\": %d, \"dtype\": \"uint8\", \"shape\": [16], \"bytes\": 16, \"dynamism\": \"STATIC\"%s}"
              .formatted(i, more));
    }
    return String.join(", ", specs);
  }

  /** A node in a form with less noise: op, name, args, specs and further members. */
  private static String node(
      int index, String op, String name, String args, String specs, String further) {
    boolean call = !op.equals("placeholder") && !op.equals("output") && !op.equals("get_attr");
    return "{\"index\": %d, \"name\": \"%s\", \"op\": \"%s\", \"target\": \"%s\", \"args\": [%s], \"specs\": [%s]%s}"
        .formatted(
            index,
            name,
            call ? "call_function" : op,
            op,
            args,
            specs,
            further.isEmpty() ? "" : ", " + further);
  }

  private static Method method(String specs, String... nodes) {
    String text =
        "{\"format\": 1, \"name\": \"n\", \"specs\": [%s], \"graphs\": [{\"method\": \"m\", \"nodes\": [%s]}]}"
            .formatted(specs, String.join(", ", nodes));
    ImportedModel model = read(text);
    assertThat(Structure.check(model.program())).isEmpty();
    String printed = ProgramPrinter.print(model.program());
    assertThat(ProgramParser.parse("t", printed)).isEqualTo(model.program());
    return model.program().methods().get(0);
  }

  /** The lines of the graph, as they print. */
  private static List<String> lines(Method method) {
    String text = ProgramPrinter.print(Program.of("n", method));
    return text.lines()
        .map(String::strip)
        .filter(line -> line.contains("=") || line.startsWith("output"))
        .toList();
  }

  @Test
  void read_goodDocument_isAProgramWithItsRequest() {
    ImportedModel model = read(GOOD);
    assertThat(model.format()).isEqualTo("executorch-graph");
    assertThat(model.program().name()).isEqualTo("good");
    assertThat(model.program().methods()).extracting(Method::name).containsExactly("forward");
    PlanRequest request = model.requests().get(0).request();
    assertThat(request.strategy()).hasToString("Optional[greedy]");
    assertThat(request.alignment()).hasValue(8);
    assertThat(request.inputs() && request.outputs() && request.state()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "format": 1,               | "format": 2,                | input-unsupported | format
          "format": 1,               | "format": "1",              | input-member      | whole number
          "format": 1,               |                             | input-member      | 'format' is missing
          "name": "good",            | "name": 7,                  | input-member      | a text
          "source": "s",             | "sauce": "s",               | input-member      | unknown member 'sauce'
          "specs": [                 | "specs": 5, "config": [     | input-member      | a list
          "bytes": 64                | "bytes": null               | input-member      | unbounded
          "bytes": 64                | "bytes": -1                 | input-value       | -1 is not in
          "bytes": 64                | "bytes": 6.5                | input-member      | whole number
          "shape": [4, 4]            | "shape": [4, -4]            | input-value       | dimension 1
          "dtype": "float32"         | "dtype": null               | input-member      | a text
          "dynamism": "STATIC", "dev | "dynamism": "FIXED", "dev   | input-value       | must be one of STATIC
          "device": "CPU"            | "device": ""                | input-value       | device
          "mem_id_before": null      | "mem_id_before": 0          | input-value       | 0 is not in 1..65535
          "alignment_before": 16     | "alignment_before": 64      | input-unsupported | aligned
          "storage_base": null       | "storage_base": 2           | input-value       | 2 is not in 0..1
          "const": false             | "const": 0                  | input-member      | true or false
          "op": "placeholder"        | "op": "placehold"           | input-value       | must be one of placeholder
          "index": 1                 | "index": 2                  | input-value       | in order from 0
          "specs": [1]               | "specs": [2]                | input-value       | 2 is not in 0..1
          "args": [0], "kw           | "args": [1], "kw            | input-value       | 1 is not in 0..0
          "args": [0], "kw           | "args": 0, "kw              | input-member      | a list
          "kwargs": []               | "kwargs": [1]               | input-value       | 1 is not in 0..0
          "target": "aten            | "tarket": "aten             | input-member      | unknown member 'tarket'
          [[0, 0]]                   | [[0, 1]]                    | input-reference   | [0,1]
          [[0, 0]]                   | [[1, 0]]                    | input-reference   | [1,0]
          [[0, 0]]                   | [7]                         | input-reference   | 7
          [[0, 0]]                   | []                          | input-unsupported | does not say which
          "op": "output"             | "op": "call_function"       | input-value       | not the output node
          "specs": [1]               | "specs": [1], "view_base": 0, "view": 3 | input-member | true or false
          ["greedy"]                 | []                          | input-member      | empty
          ["greedy"]                 | ["greedi"]                  | input-value       | 'greedi' is none of
          "alignment": 8             | "alignment": 0              | input-value       | 0 is not in 1..
          "alignment": 8             | "alinment": 8               | input-member      | unknown member 'alinment'
          """)
  void read_badDocument_isRefusedByKindAndPlace(
      String good, @Nullable String bad, String kind, String message) {
    assertThat(GOOD).contains(good);
    Diagnostic error = error(GOOD.replace(good, bad == null ? "" : bad));
    assertThat(error.kind().name()).as(error.render()).isEqualTo(kind);
    assertThat(error.render()).startsWith("d.json:line 1").contains(message);
  }

  @Test
  void read_badDocumentAmongGood_doesNotStopTheOthers() {
    ImmutableList<Entry<ImportedModel>> all =
        readAll(GOOD + "\n" + GOOD.replace("\"index\": 1", "\"index\": 5") + "\n" + GOOD);
    assertThat(all)
        .extracting(entry -> entry instanceof Entry.Bad)
        .containsExactly(false, true, false);
    Entry.Bad<ImportedModel> bad = (Entry.Bad<ImportedModel>) all.get(1);
    assertThat(bad.name()).isEqualTo("good");
    assertThat(bad.error().location().place()).isEqualTo("line 2.graphs[0].nodes[1].index");
  }

  @Test
  void requests_algorithms_becomeStrategies() {
    assertThat(strategy("\"greedy_no_overlap\"")).isEqualTo("greedy{overlap=false}");
    assertThat(strategy("\"banked_greedy\"")).isEqualTo("banked-greedy");
    assertThat(strategy("\"naive\", \"greedy_no_overlap\", \"greedy\""))
        .isEqualTo("suite{of=[naive,greedy{overlap=false},greedy]}");
  }

  private static String strategy(String algorithms) {
    ImportedModel model = read(GOOD.replace("[\"greedy\"]", "[" + algorithms + "]"));
    return model.requests().get(0).request().strategy().orElseThrow().toString();
  }

  @Test
  void requests_badBanks_areRefusedWhileOthersGoOn() {
    String plans =
        """
        {"options": {"algorithms": ["greedy"], "banks": []}},
        {"options": {"algorithms": ["greedy"], "banks": [
          {"name": "a", "size": 8, "mem_id": 1}, {"name": "a", "size": 8, "mem_id": 2}]}},
        {"options": {"algorithms": ["greedy"], "banks": [{"name": "a", "size": 0, "mem_id": 1}]}},
        {"options": {"algorithms": ["greedy"], "banks": [
          {"name": "a", "size": 8, "mem_id": 1, "alignment": 0}]}},
        {"options": {"algorithms": ["greedy"], "banks": [
          {"name": "a", "size": 8, "mem_id": 1, "alignment": -4}]}},
        {"options": {"algorithms": ["naive"], "alloc_graph_input": false,
          "alloc_graph_output": false, "alloc_mutable_buffers": false, "banks": [
          {"name": "a", "size": 8, "mem_id": 3, "alignment": null}]}}
        """;
    int from = GOOD.indexOf("\"plans\": [") + "\"plans\": [".length();
    ImmutableList<ImportedModel.Request> requests =
        read(GOOD.substring(0, from) + plans.replace("\n", "") + "]}").requests();
    assertThat(requests)
        .extracting(request -> request.refusal().map(why -> why.kind().name()).orElse("none"))
        .containsExactly(
            "map-empty", "map-duplicate", "map-value", "map-value", "map-value", "none");
    assertThat(requests.get(0).map()).isEmpty();
    ImportedModel.Request good = requests.get(5);
    assertThat(good.map().orElseThrow().banks().get(0).memId()).isEqualTo(3);
    assertThat(good.request().alignment()).hasValue(16);
    assertThat(good.request().inputs() || good.request().outputs() || good.request().state())
        .isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "submodules": {}}]  | "submodules": {}}, {"method": "other", "nodes": []}] | 2 methods
          "device": "CPU"     | "device": "cuda"                                     | not on the CPU
          "kwargs": []        | "control_flow": {"kind": "cond"}                     | node 1 is control flow
          "alignment": 8      | "share_mutable_buffers": true                        | state that methods share
          """)
  void requests_notYetPlannable_areRefusedEach(String good, String bad, String message) {
    String text =
        GOOD.replace(good, bad)
            .replace(
                "\"plans\": [",
                "\"plans\": [%s, "
                    .formatted(
                        "{\"options\": {\"algorithms\": [\"naive\"], \"share_mutable_buffers\":"
                            + " true}}"));
    ImmutableList<ImportedModel.Request> requests = read(text).requests();
    assertThat(requests).hasSize(2);
    for (ImportedModel.Request request : requests) {
      Diagnostic why = request.refusal().orElseThrow();
      assertThat(why.kind()).isEqualTo(Kinds.INPUT_UNSUPPORTED);
    }
    assertThat(requests.get(1).refusal().orElseThrow().message()).contains(message);
  }

  @Test
  void translate_viewGetitemAndOutVariant_areHandlesToTheirSpecs() {
    Method method =
        method(
            specs(4),
            node(0, "placeholder", "x", "", "0", ""),
            node(1, "memory.alloc", "a", "", "1", ""),
            node(2, "memory.alloc", "b", "", "2", ""),
            node(
                3,
                "aten.topk.values",
                "topk",
                "0",
                "1, 2",
                "\"kwargs\": [1, 2], \"out_variant\": true"),
            node(4, "getitem", "item", "3", "2", ""),
            node(5, "memory.view", "v", "4", "2", "\"view\": true, \"view_base\": 4"),
            node(6, "aten.relu", "relu", "5, 5", "3", ""),
            node(7, "output", "output", "6", "", ""));
    assertThat(lines(method))
        .containsExactly(
            "%0 \"x\" : u8[16] {origin=0} = input",
            "%1 \"a\" : u8[16] {origin=1} = alloc",
            "%2 \"b\" : u8[16] {origin=2} = alloc",
            "%3 \"topk\" : u8[16] same %1 {origin=1}, %4 \"topk\" : u8[16] same %2 {origin=2}"
                + " = aten.topk.values(%0, out %1, out %2)",
            "%5 \"item\" : u8[16] same %2 {origin=2} = getitem([bind %3, bind %4])",
            "%6 \"v\" : u8[16] view %5 {origin=2} = view(bind %5)",
            "%7 \"relu\" : u8[16] {origin=3} = aten.relu(%6, %6)",
            "output(%7)");
  }

  @Test
  void translate_inPlaceChain_mutatesStepByStepAndKeepsItsSpecsAsOrigins() {
    Method method =
        method(
            specs(4, "", "", "\"mem_id_before\": 3", ""),
            node(0, "placeholder", "x", "", "0", ""),
            node(1, "aten.relu", "r", "0", "1", ""),
            node(
                2, "aten.add_", "a", "1, 0", "2", "\"inplace\": true, \"inplace_alias\": [[0, 1]]"),
            node(
                3, "aten.mul_", "m", "2, 0", "3", "\"inplace\": true, \"inplace_alias\": [[0, 2]]"),
            node(4, "output", "output", "3", "", ""));
    assertThat(lines(method))
        .contains(
            "%2 \"a\" : u8[16] mutates %1 {origin=2, result-pin=3} = aten.add_(inout %1, %0)",
            "%3 \"m\" : u8[16] mutates %2 {origin=3} = aten.mul_(inout %2, %0)");
    assertThat(method.body().root(3)).isEqualTo(1);
    assertThat(method.get(MemoryKeys.PIN, 2)).isEmpty();
  }

  @Test
  void translate_stateDelegateGradientAndPins_areKept() {
    Method method =
        method(
            specs(4, "\"mem_id_before\": 2", "\"const\": true", "", ""),
            node(
                0,
                "placeholder",
                "k",
                "",
                "0",
                "\"buffer\": \"kv.k\", \"mutable_buffer\": \"kv.k\""),
            node(1, "placeholder", "w", "", "1", "\"weight_has_gradient\": true"),
            node(2, "placeholder", "b", "", "2", "\"buffer\": \"b\", \"mutable_buffer\": null"),
            node(
                3,
                "executorch_call_delegate",
                "d",
                "0, 1, 2",
                "3",
                "\"delegate_backend\": \"XnnpackBackend\""),
            node(4, "output", "output", "3", "", ""));
    assertThat(lines(method))
        .contains(
            "%0 \"k\" : u8[16] state @kv.k {origin=0, pin=2} = input",
            "%1 \"w\" : u8[16] const {origin=1, trainable=true} = input",
            "%2 \"b\" : u8[16] {origin=2} = input",
            "%3 \"d\" : u8[16] {origin=3} = executorch_call_delegate(%0, %1, %2)"
                + " {backend=XnnpackBackend}");
  }

  @Test
  void translate_storageBases_areTensorsAlsoWhereNoNodeYieldsThem() {
    Method method =
        method(
            specs(
                4,
                "\"storage_base\": 1, \"storage_base_offset\": 32",
                "\"storage_base\": 2, \"storage_base_offset\": -8",
                "",
                ""),
            node(0, "placeholder", "x", "", "3", ""),
            node(1, "aten.relu", "r", "0", "0", ""),
            node(2, "output", "output", "1", "", ""));
    assertThat(lines(method))
        .containsExactly(
            "tensor %2 : u8[16] {origin=1, shares=%3:-8}",
            "tensor %3 : u8[16] {origin=2}",
            "%0 \"x\" : u8[16] {origin=3} = input",
            "%1 \"r\" : u8[16] {origin=0, shares=%2:32} = aten.relu(%0)",
            "output(%1)");
  }

  @Test
  void translate_dynamicTypes_keepBytesAtTheBoundOrNone() {
    Method method =
        method(
            """
            {"id": 0, "dtype": "float16", "shape": ["s0", 4], "bytes": 80, "dynamism": "DYNAMIC_BOUND"},
            {"id": 1, "dtype": "quint8", "shape": ["u0"], "bytes": null, "dynamism": "DYNAMIC_UNBOUND"},
            {"id": 2, "dtype": "bool", "shape": [], "bytes": 1, "dynamism": "STATIC"}
            """
                .replace("\n", ""),
            node(0, "placeholder", "x", "", "0", ""),
            node(1, "get_attr", "c", "", "2", ""),
            node(2, "aten.nonzero", "n", "0, 1", "1", ""),
            node(3, "output", "output", "2", "", ""));
    assertThat(method.tensors())
        .extracting(
            tensor -> tensor.type() + " " + tensor.type().dynamism() + " " + tensor.type().bytes())
        .containsExactly("f16[?,4] BOUNDED 80", "bool[] STATIC 1", "opaque[?] UNBOUNDED -1");
  }

  @Test
  @Timeout(60)
  void read_argumentsWithManyResultsEach_areRefusedBeforeTheyFillTheMemory() {
    int count = 4_000;
    String all =
        IntStream.range(0, count).mapToObj(String::valueOf).collect(Collectors.joining(", "));
    String text =
        "{\"format\": 1, \"name\": \"n\", \"specs\": [%s], \"graphs\": [{\"method\": \"m\", \"nodes\": [%s, %s]}]}"
            .formatted(
                specs(count),
                node(0, "split", "split", "", all, ""),
                node(1, "output", "output", "0, ".repeat(count - 1) + "0", "", ""));

    Diagnostic error = error(text);

    assertThat(error.kind()).isEqualTo(Kinds.INPUT_UNSUPPORTED);
    assertThat(error.message()).contains("node 1 takes so many results of other nodes");
  }
}
