package dev.stowage.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import dev.stowage.base.Value;
import dev.stowage.passes.PlannedMethod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Recorded graphs without the pools that their tensors have in the record, but with a rule by name
 * for each of these tensors, give the recorded plans.
 */
final class PoolRulesGoldenTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  @Test
  void pinPool_oneExactNameForEachPooledTensor_samePlansAsThePoolsOfTheRecord() throws IOException {
    List<String> wrong = new ArrayList<>();
    int compared = 0;
    int differentWithoutRules = 0;
    for (String family : List.of("pools", "devices_and_pools")) {
      for (GoldenGraphs.Document document : GoldenGraphs.random(family)) {
        ObjectNode graph = document.json().deepCopy();
        Path rules = write("rules.json", takePoolsOut(graph));
        Path model = write("model.json", graph);
        ImmutableList<Answer> pinned =
            answers(
                model,
                "pin-pool{rules="
                    + new Value.Word(rules.toString())
                    + "},plan{profile=executorch}");
        ImmutableList<Answer> plain = answers(model, "executorch");
        // One answer for each plan that the document asks for, although there is a pipeline.
        assertThat(pinned).as(document.name()).hasSize(document.plans().size());
        for (int k = 0; k < pinned.size(); k++) {
          JsonNode plan = document.plans().get(k);
          if (GoldenGraphs.isLeftOut(document, plan)) {
            continue;
          }
          compared++;
          int number = k;
          GoldenGraphs.judge(plan, only(pinned.get(k)))
              .ifPresent(why -> wrong.add(document.name() + " plan " + number + ": " + why));
          differentWithoutRules += GoldenGraphs.judge(plan, only(plain.get(k))).isPresent() ? 1 : 0;
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(compared).isEqualTo(286);
    assertThat(differentWithoutRules).isGreaterThan(100);
  }

  private static PlannedMethod only(Answer answer) {
    return ((Answer.ProgramPlanned) answer).methods().get(0);
  }

  private static ImmutableList<Answer> answers(Path model, String pipeline) {
    try (Stowage session = Stowage.open(model)) {
      return ImmutableList.copyOf(session.pipeline(pipeline).answers());
    }
  }

  /** Takes the pools of all specs out of a document, and gives a rule for each that had one. */
  private static ObjectNode takePoolsOut(ObjectNode document) {
    ObjectNode rules = JSON.createObjectNode();
    ArrayNode list = rules.putArray("rules");
    Set<Integer> named = new HashSet<>();
    for (JsonNode graph : document.path("graphs")) {
      for (JsonNode node : graph.path("nodes")) {
        for (JsonNode spec : node.path("specs")) {
          JsonNode memId = document.path("specs").path(spec.asInt()).path("mem_id_before");
          if (named.add(spec.asInt()) && !memId.isNull()) {
            list.addObject().put("name", node.path("name").asText()).put("mem_id", memId.asInt());
          }
        }
      }
    }
    document.path("specs").forEach(spec -> ((ObjectNode) spec).putNull("mem_id_before"));
    return rules;
  }

  private Path write(String name, JsonNode json) throws IOException {
    return Files.writeString(folder.resolve(name), json.toString());
  }
}
