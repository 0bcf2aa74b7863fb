package dev.stowage.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Diagnostic.Shortfall;
import dev.stowage.base.io.Source;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.FindingKind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Problems that users of other planners reported, as {@code src/test/resources/cases} has them. */
class CasesTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void leadingGap_isUsed() throws IOException {
    Answer.ProblemPlanned plan = planned(answer("s01-leading-gap", problem -> {}));
    assertThat(plan.plan().totalBytes()).isEqualTo(180);
    assertThat(plan.bounds().totalBytes()).isEqualTo(180);
  }

  @Test
  void leadingGap_plans_areJudgedPairByPair() throws IOException {
    assertThat(verdict("s01-leading-gap", "A", 0, "B", 100, "C", 0).findings()).isEmpty();
    ImmutableList<Finding> findings =
        verdict("s01-leading-gap", "A", 0, "B", 100, "C", 120).findings().stream()
            .map(rated -> rated.finding())
            .collect(ImmutableList.toImmutableList());
    assertThat(findings).hasSize(1);
    assertThat(findings.get(0).kind()).isEqualTo(FindingKind.OVERLAP);
    assertThat(findings.get(0).subjects())
        .extracting(Finding.Subject::name)
        .containsExactly("B", "C");
  }

  @Test
  void forbiddenBanks_areNeverUsed() throws IOException {
    for (String strategy : List.of("greedy", "banked-greedy", "first-fit", "naive", "exhaustive")) {
      Answer.ProblemPlanned plan =
          planned(
              answer("s08-forbidden-banks", problem -> {}, session -> session.strategy(strategy)));
      assertThat(memId(plan, "add")).as(strategy).isIn(1, 4);
      assertThat(memId(plan, "mul")).as(strategy).isIn(2, 4);
    }
  }

  @Test
  void forbiddenBanks_allOfThem_leaveNoPlaceForTheBufferThatIsNamed() throws IOException {
    Answer answer =
        answer(
            "s08-forbidden-banks",
            problem ->
                buffer(problem, "mul").set("not_banks", names("bank1", "bank2", "bank3", "bank4")));
    assertThat(why(answer).render()).contains("(mul)", "no arena that they may go to");
  }

  @Test
  void pinnedAddresses_areKeptAndTheSizesFollow() throws IOException {
    Answer.ProblemPlanned plan =
        planned(
            answer(
                "s09-pinned-addresses",
                problem -> ((ArrayNode) problem.get("banks")).forEach(CasesTest::dropAlignment)));
    assertThat(offset(plan, "x")).isEqualTo(8000);
    assertThat(offset(plan, "y")).isEqualTo(7000);
    assertThat(offset(plan, "x_view")).isEqualTo(20);
    assertThat(offset(plan, "add")).isEqualTo(400);
    assertThat(plan.plan().arenaSizeBytes(1)).isEqualTo(520);
    assertThat(plan.plan().arenaSizeBytes(2)).isEqualTo(8060);
  }

  @Test
  void pinnedAddresses_pastTheEndOfTheBank_nameTheBuffer() throws IOException {
    Answer answer =
        answer("s09-pinned-addresses", problem -> buffer(problem, "add").put("offset", 900));
    assertThat(why(answer).render()).contains("(add)");
    assertThat(why(answer).shortfall())
        .contains(new Shortfall(120, 100, 3, ImmutableList.of(1, 3, 2)));
  }

  @Test
  void pinnedAddresses_thatOverlap_nameBoth() throws IOException {
    Answer answer =
        answer("s09-pinned-addresses", problem -> buffer(problem, "y").put("offset", 7990));
    assertThat(why(answer).kind().name()).isEqualTo("pins-overlap");
    assertThat(why(answer).render()).contains("(x)", "(y)");
  }

  @Test
  void doesNotFit_saysWhatIsRequiredAvailableAndMissing() throws IOException {
    Diagnostic why = why(answer("s10-does-not-fit", problem -> {}));
    assertThat(why.render()).contains("(scratch)");
    Shortfall shortfall = why.shortfall().orElseThrow();
    assertThat(shortfall.requiredBytes()).isEqualTo(2_700_000);
    assertThat(shortfall.availableBytes()).isEqualTo(2_097_152);
    assertThat(shortfall.missingBytes()).isEqualTo(602_848);
  }

  @Test
  void doesNotFit_toTheByte() throws IOException {
    assertThat(answer("s10-does-not-fit", problem -> bank(problem).put("size", 2_700_000)).error())
        .isEmpty();
    Diagnostic why =
        why(answer("s10-does-not-fit", problem -> bank(problem).put("size", 2_699_999)));
    assertThat(why.shortfall().orElseThrow().missingBytes()).isEqualTo(1);
  }

  /** The case as a problem file, in our words. */
  private static ObjectNode problem(String name) throws IOException {
    JsonNode given;
    try (InputStream in = CasesTest.class.getResourceAsStream("/cases/" + name + ".json")) {
      given = JSON.readTree(in);
    }
    ObjectNode problem = JSON.createObjectNode().put("name", name).put("alignment", 1);
    ArrayNode banks = JSON.createArrayNode();
    TreeMap<Integer, String> bankNames = new TreeMap<>();
    for (JsonNode bank : given.get("banks")) {
      bankNames.put(bank.get("id").asInt(), bank.get("name").asText());
      if (!bank.get("bytes").isNull()) {
        banks
            .addObject()
            .put("name", bank.get("name").asText())
            .put("mem_id", bank.get("id").asInt())
            .put("size", bank.get("bytes").asLong())
            .put("alignment", bank.get("align").asInt());
      }
    }
    if (!banks.isEmpty()) {
      problem.set("banks", banks);
    }
    ArrayNode buffers = problem.putArray("buffers");
    for (JsonNode buffer : given.get("buffers")) {
      ObjectNode ours = buffers.addObject();
      ours.put("name", buffer.get("id").asText()).put("bytes", buffer.get("bytes").asLong());
      ours.putArray("lifetime").add(buffer.get("start").asInt()).add(buffer.get("end").asInt());
      if (buffer.has("bank")) {
        ours.put("mem_id", buffer.get("bank").asInt()).put("offset", buffer.get("offset").asLong());
      }
      if (buffer.has("not_banks")) {
        List<String> forbidden = new ArrayList<>();
        buffer.get("not_banks").forEach(id -> forbidden.add(bankNames.get(id.asInt())));
        ours.set("not_banks", names(forbidden.toArray(String[]::new)));
      }
    }
    return problem;
  }

  private static void dropAlignment(JsonNode bank) {
    ((ObjectNode) bank).remove("alignment");
  }

  private static ArrayNode names(String... names) {
    ArrayNode array = JSON.createArrayNode();
    List.of(names).forEach(array::add);
    return array;
  }

  private static ObjectNode buffer(ObjectNode problem, String name) {
    for (JsonNode buffer : problem.get("buffers")) {
      if (buffer.get("name").asText().equals(name)) {
        return (ObjectNode) buffer;
      }
    }
    throw new AssertionError(name);
  }

  private static ObjectNode bank(ObjectNode problem) {
    return (ObjectNode) problem.get("banks").get(0);
  }

  private static Answer answer(String name, Consumer<ObjectNode> change) throws IOException {
    return answer(name, change, session -> {});
  }

  private static Answer answer(
      String name, Consumer<ObjectNode> change, Consumer<Stowage> configure) throws IOException {
    ObjectNode problem = problem(name);
    change.accept(problem);
    try (Stowage session = Stowage.open("-", text(problem.toString()))) {
      configure.accept(session);
      return session.answers().next();
    }
  }

  private static Verdict verdict(String name, Object... offsets) throws IOException {
    ObjectNode plan =
        JSON.createObjectNode().put("format", "stowage-plan").put("version", 1).put("name", name);
    plan.put("strategy", "by-hand").put("alignment", 1);
    plan.putArray("arena_sizes").add(0).add(200);
    ArrayNode placements = plan.putArray("placements");
    for (int i = 0; i < offsets.length; i += 2) {
      placements
          .addObject()
          .put("buffer", i / 2)
          .put("name", (String) offsets[i])
          .put("mem_id", 1)
          .putNull("mem_obj_id")
          .put("offset", (Integer) offsets[i + 1]);
    }
    try (Stowage session = Stowage.open("-", text(problem(name).toString()));
        Source plans = Source.of("plan.json", plan.toString().getBytes(UTF_8))) {
      return session.verify(plans).next();
    }
  }

  private static InputStream text(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }

  private static Answer.ProblemPlanned planned(Answer answer) {
    assertThat(answer.error()).isEmpty();
    assertThat(answer.findings()).isEmpty();
    return (Answer.ProblemPlanned) answer;
  }

  private static Diagnostic why(Answer answer) {
    return answer.error().orElseThrow();
  }

  private static int index(Answer.ProblemPlanned plan, String name) {
    for (int i = 0; i < plan.problem().bufferCount(); i++) {
      if (name.equals(plan.problem().bufferName(i))) {
        return i;
      }
    }
    throw new AssertionError(name);
  }

  private static long offset(Answer.ProblemPlanned plan, String name) {
    return plan.plan().offsetBytes(index(plan, name));
  }

  private static int memId(Answer.ProblemPlanned plan, String name) {
    return plan.problem().arena(plan.plan().arena(index(plan, name))).memId();
  }
}
