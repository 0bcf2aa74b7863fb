package dev.stowage.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.stowage.driver.Answer;
import dev.stowage.driver.AnswerWriter;
import dev.stowage.driver.Stowage;
import dev.stowage.verifier.FindingKind;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is printed and read as JSON is what {@code docs/json.md} says, whose schemas are used. */
class JsonSchemaTest {
  private static final Path GOLDEN = Path.of("../formats/src/test/resources/golden/problems");
  private static final Pattern SCHEMA =
      Pattern.compile(
          "```json schema\n(.*?\"\\$id\": \"(stowage:[a-z-]+)\".*?)```", Pattern.DOTALL);
  private static final Pattern EXAMPLE =
      Pattern.compile("```json example of (stowage:[a-z-]+)\n(.*?)```", Pattern.DOTALL);

  private static String page;
  private static Map<String, String> schemas;
  private static SchemaRegistry registry;

  @BeforeAll
  static void readThePage() throws IOException {
    page = Files.readString(Path.of("../docs/json.md"));
    schemas = new LinkedHashMap<>();
    SCHEMA.matcher(page).results().forEach(it -> schemas.put(it.group(2), it.group(1)));
    registry =
        SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12, builder -> builder.schemas(schemas));
  }

  @Test
  void page_hasTheSchemaOfEachDocument_andAnExampleOfIt() {
    assertThat(schemas.keySet())
        .containsExactly(
            "stowage:problem",
            "stowage:plan",
            "stowage:program-plan",
            "stowage:finding",
            "stowage:verdict",
            "stowage:inspection",
            "stowage:explanation",
            "stowage:bank-explanation",
            "stowage:fit",
            "stowage:list");
    Matcher examples = EXAMPLE.matcher(page);
    Map<String, Integer> count = new LinkedHashMap<>();
    while (examples.find()) {
      assertMatches(examples.group(1), examples.group(2));
      count.merge(examples.group(1), 1, Integer::sum);
    }
    assertThat(count.keySet()).containsExactlyElementsOf(schemas.keySet());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"banked", "greedy", "greedy_pools", "greedy_reserved", "greedy_storage", "suite"})
  void problems_recorded_matchAndSoDoTheirPlans(String family) throws IOException {
    Path file = GOLDEN.resolve(family + ".jsonl.gz");
    for (String line : first(50, file)) {
      assertMatches("stowage:problem", line);
    }
    for (String line : plans(Stowage.open(file), 50)) {
      assertMatches("stowage:plan", line);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"banked_errors", "greedy_storage_errors"})
  void plans_thatFailed_match(String family) throws IOException {
    for (String line : plans(Stowage.open(GOLDEN.resolve(family + ".jsonl.gz")), 50)) {
      assertMatches("stowage:plan", line);
    }
  }

  @Test
  void plans_ofExampleModels_match() throws IOException {
    try (Stream<Path> models = Files.list(Path.of("../models"))) {
      for (Path model : models.filter(it -> it.toString().endsWith(".tflite")).sorted().toList()) {
        for (String line : plans(Stowage.open(model), 10)) {
          assertMatches("stowage:program-plan", line);
        }
        for (String line : plans(Stowage.open(model).capacity(16), 10)) {
          assertMatches("stowage:program-plan", line); // nothing fits
        }
      }
    }
  }

  @Test
  void findingSchema_hasEveryKind() {
    assertThat(schemas.get("stowage:finding"))
        .contains(Arrays.stream(FindingKind.values()).map(kind -> "\"" + kind + "\"").toList());
  }

  @Test
  void verdicts_ofRightAndWrongPlans_match(@TempDir Path folder) throws IOException {
    String model = "../models/while_if.tflite";
    String plan = folder.resolve("plan.json").toString();
    run("plan", model, "-o", plan);
    String wrong = Files.readString(Path.of(plan)).replaceAll("\"offset\":[0-9]+", "\"offset\":8");
    Path broken = Files.writeString(folder.resolve("wrong.json"), wrong);

    assertLinesMatch("stowage:verdict", run("verify", model, plan, "--json"));
    assertLinesMatch("stowage:verdict", run("verify", model, broken.toString(), "--json"));
  }

  @Test
  void inspections_ofModelsAndProblems_match() throws IOException {
    for (String file :
        List.of(
            "../models/while_if.tflite",
            "../models/okay_nabu.tflite",
            GOLDEN.resolve("greedy_storage.jsonl.gz").toString())) {
      assertLinesMatch("stowage:inspection", run("inspect", file, "--json"));
    }
  }

  @Test
  void explanations_ofModelsAndProblems_match(@TempDir Path folder) throws IOException {
    Path problem = Files.writeString(folder.resolve("small.json"), ExplainTest.SMALL);
    for (String[] arguments :
        List.of(
            new String[] {problem.toString(), "--explain", "a", "--why-not-lower", "fast"},
            new String[] {"../models/while_if.tflite", "--explain", "0", "--why-not-lower", "1"},
            new String[] {
              "../models/person_detect.tflite",
              "--target",
              "stm32h743",
              "--explain",
              "input",
              "--why-not-lower",
              "sram4"
            })) {
      List<String> command = new ArrayList<>(List.of("plan", "--json"));
      command.addAll(Arrays.asList(arguments));
      List<String> lines = run(command.toArray(String[]::new)).lines().toList();
      assertThat(lines).hasSize(3);
      assertMatches("stowage:explanation", lines.get(1));
      assertMatches("stowage:bank-explanation", lines.get(2));
    }
  }

  @Test
  void fits_ofModelsAndProblems_match(@TempDir Path folder) throws IOException {
    Path problem = Files.writeString(folder.resolve("small.json"), ExplainTest.SMALL);
    Path tight =
        Files.writeString(folder.resolve("tight.json"), ExplainTest.SMALL.replace("1024", "380"));
    assertLinesMatch("stowage:fit", run("fit", problem.toString(), "--json"));
    assertLinesMatch("stowage:fit", run("fit", tight.toString(), "--json"));
    assertLinesMatch(
        "stowage:fit",
        run("fit", "../models/person_detect.tflite", "--target", "stm32h743", "--json"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"passes", "strategies", "targets", "formats", "pipelines", "allocators"})
  void lists_match(String what) throws IOException {
    assertMatches("stowage:list", run("list", what, "--json"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "stowage:problem | {\"buffer\":[]}",
        "stowage:problem | {\"buffers\":[{\"bytes\":1}]}",
        "stowage:plan    | {\"format\":\"stowage-plan\",\"version\":1,\"name\":\"\"}",
        "stowage:plan    | {\"format\":\"stowage-plan\",\"version\":1,\"name\":\"\",\"error\":{}}",
        "stowage:finding | {\"kind\":\"overlap\"}",
        "stowage:list    | [{\"name\":\"x\"}]",
      })
  void schemas_wrongDocument_isRefused(String schema, String document) {
    assertThat(errors(schema, document)).isNotEmpty();
  }

  /** Standard output of a command. */
  private static String run(String... arguments) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Main.run(
        new Terminal(
            InputStream.nullInputStream(), out, new ByteArrayOutputStream(), false, false, true),
        arguments);
    return out.toString(StandardCharsets.UTF_8);
  }

  private static void assertLinesMatch(String schema, String lines) {
    assertThat(lines).isNotBlank();
    lines.lines().forEach(line -> assertMatches(schema, line));
  }

  /** Fails unless a text is a document of one of the schemas of the page. */
  private static void assertMatches(String schema, String document) {
    assertThat(errors(schema, document)).as("%s: %s", schema, document).isEmpty();
  }

  private static List<String> errors(String id, String document) {
    Schema schema = registry.getSchema(SchemaLocation.of(id));
    return schema.validate(document, InputFormat.JSON).stream().map(Object::toString).toList();
  }

  private static List<String> plans(Stowage opened, int limit) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Stowage session = opened;
        AnswerWriter writer = new AnswerWriter(out)) {
      Iterator<Answer> answers = session.answers();
      for (int i = 0; i < limit && answers.hasNext(); i++) {
        writer.write(answers.next());
      }
    }
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static List<String> first(int count, Path file) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(new ByteArrayInputStream(Files.readAllBytes(file))),
                StandardCharsets.UTF_8))) {
      return lines.lines().limit(count).toList();
    }
  }
}
