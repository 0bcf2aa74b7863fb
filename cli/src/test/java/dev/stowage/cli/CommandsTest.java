package dev.stowage.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.Cli.Result;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandsTest {
  private static final String PERSON_DETECT = Cli.MODELS.resolve("person_detect.tflite").toString();
  private static final String TWO =
      "{\"name\":\"two\",\"alignment\":1,\"buffers\":[{\"bytes\":7,\"lifetime\":[0,1]},"
          + "{\"bytes\":5,\"lifetime\":[1,2]}]}";

  @TempDir private Path folder;

  @Test
  void plan_model_printsTheTable() throws IOException {
    Result result = Cli.run("plan", PERSON_DETECT);
    assertThat(result.exit()).isZero();
    assertThat(result.err()).isEmpty();
    String golden;
    try (InputStream in = CommandsTest.class.getResourceAsStream("/golden/person_detect.txt")) {
      golden = new String(in.readAllBytes(), UTF_8);
    }
    assertThat(result.out().replaceAll("[0-9.,]+ ms", "TIME ms")).isEqualTo(golden);
  }

  static List<Path> inputs() {
    return Stream.concat(Cli.models().stream(), Cli.problems().stream()).toList();
  }

  @ParameterizedTest
  @MethodSource("inputs")
  void text_ofAnyInput_fitsIntoLines(Path input) {
    for (String command : List.of("plan", "inspect")) {
      Result result = Cli.run(command, input.toString());
      assertThat(result.exit()).as(result.err()).isLessThanOrEqualTo(1);
      assertThat(result.out().lines())
          .as("%s %s", command, input)
          .allSatisfy(line -> assertThat(line.length()).as(line).isLessThanOrEqualTo(80));
    }
  }

  @ParameterizedTest
  @MethodSource("inputs")
  void json_ofAnyInput_isOneObjectALine(Path input) {
    boolean model = input.toString().endsWith(".tflite");
    List<Map<String, Object>> plans = cast(Cli.run("plan", input.toString(), "--json").json());
    assertThat(plans)
        .isNotEmpty()
        .allSatisfy(
            plan ->
                assertThat(plan)
                    .containsEntry("format", model ? "stowage-program-plan" : "stowage-plan")
                    .containsEntry("version", 1L)
                    .containsKey("name"));
    List<Map<String, Object>> inspections =
        cast(Cli.run("inspect", input.toString(), "--json").json());
    assertThat(inspections)
        .hasSameSizeAs(plans)
        .allSatisfy(it -> assertThat(it).containsEntry("format", "stowage-inspection"));
  }

  @Test
  void inspect_model_saysWhereThePeakIs() {
    Map<String, ?> inspection = Cli.run("inspect", PERSON_DETECT, "--json").json().get(0);
    assertThat(inspection.get("input_format")).isEqualTo("tflite");
    assertThat(inspection.get("methods"))
        .asString()
        .contains("lower_bound=55296", "peak_step=3", "tensors=", "live_at_peak=[{number=");
    String text = Cli.run("inspect", PERSON_DETECT).out();
    assertThat(text).contains("55,296", "peak at step 3", "activations", "constants");
  }

  @Test
  void plan_withJsonOfOneDocument_isExactlyTheAnswer() {
    Result result = Cli.runWith(TWO.getBytes(UTF_8), "plan", "-", "--json");
    assertThat(result.exit()).isZero();
    assertThat(result.out())
        .startsWith("{\"format\":\"stowage-plan\",\"version\":1,\"name\":\"two\"")
        .endsWith("}\n")
        .hasLineCount(1);
    Result dash = Cli.runWith(TWO.getBytes(UTF_8), "plan", "-", "-o", "-");
    assertThat(dash.out()).isEqualTo(result.out());
  }

  @Test
  void plan_thenVerify_agrees() throws IOException {
    for (String input : List.of(PERSON_DETECT, write("two.json", TWO).toString())) {
      String plan = folder.resolve("plan.json.gz").toString();
      Result planned = Cli.run("plan", input, "-o", plan);
      assertThat(planned.exit()).isZero();
      assertThat(planned.out()).contains("written to " + plan);
      Result verified = Cli.run("verify", input, plan);
      assertThat(verified.exit()).as(verified.out() + verified.err()).isZero();
      assertThat(verified.out()).contains("verified: ", " placements, no errors");
      Map<String, ?> verdict = Cli.run("verify", input, plan, "--json").json().get(0);
      assertThat(verdict.get("format")).isEqualTo("stowage-verdict");
      assertThat(verdict.get("verified")).isEqualTo(true);
      assertThat(verdict.get("error")).isNull();
    }
  }

  @Test
  void verify_model_isReplayedAsToldAndSaysSo() {
    String plan = folder.resolve("plan.json").toString();
    Cli.run("plan", PERSON_DETECT, "-o", plan);
    Map<String, String> replayByOption =
        Map.of(
            "--color=never",
            "done",
            "--replay",
            "done",
            "--no-replay",
            "off",
            "--replay-bytes",
            "done");
    replayByOption.forEach(
        (option, replay) -> {
          Result result = Cli.run("verify", PERSON_DETECT, plan, "--json", option);
          assertThat(result.exit()).as(option).isZero();
          assertThat(result.json().get(0).get("replay")).as(option).isEqualTo(replay);
        });
    Result both = Cli.run("verify", PERSON_DETECT, plan, "--replay", "--no-replay");
    assertThat(both.exit()).isEqualTo(2);
    assertThat(both.err()).contains("--replay", "--no-replay", "mutually exclusive");
  }

  @Test
  void verify_scheduleWithoutAnEndInSight_saysThatItIsNotReplayed() throws IOException {
    Path model =
        write(
            "long.stow",
            "program \"long\" method @main {profile=sound, alignment=1, arenas=0:8} {"
                + " graph @main { %0 : u8[8] {placement=1:0:-1} = input\n 1: op(%0)\n"
                + "jump_if_false(%0) -> 1\n".repeat(12)
                + " output(%0) } }");
    Result result = Cli.run("verify", model.toString());
    assertThat(result.exit()).as(result.err()).isZero();
    assertThat(result.out().replaceAll("\\s+", " "))
        .contains("verified: 1 placement, no errors note: not replayed, which takes ")
        .contains("by itself up to 1,000,000; --replay does it all the same");
    assertThat(Cli.run("verify", model.toString(), "--json").json().get(0).get("replay"))
        .isEqualTo("left-out");
  }

  @Test
  void verify_brokenPlan_listsTheFinding() throws IOException {
    Path problem = write("two.json", TWO);
    String plan = Cli.run("plan", problem.toString(), "--json").out();
    assertThat(plan).contains("\"offset\":5");
    Path broken = write("broken.json", plan.replace("\"offset\":5", "\"offset\":3"));
    Result text = Cli.run("verify", problem.toString(), broken.toString());
    assertThat(text.exit()).isEqualTo(1);
    assertThat(text.out())
        .contains("error[overlap]", "#0", "#1", "[3, 10)", "live 0..1", "not verified");
    Result json = Cli.run("verify", problem.toString(), broken.toString(), "--json");
    assertThat(json.exit()).isEqualTo(1);
    Map<String, ?> verdict = json.json().get(0);
    assertThat(verdict.get("verified")).isEqualTo(false);
    assertThat(verdict.get("findings"))
        .asString()
        .contains("kind=overlap", "severity=error", "range=[3, 10]", "lifetime=[0, 1]");
    assertThat(Cli.run("verify", problem.toString(), broken.toString(), "-q").exit()).isEqualTo(1);
  }

  @Test
  void plan_intoStow_isVerifiedFromThere() {
    String stow = folder.resolve("planned.stow").toString();
    Result planned = Cli.run("plan", PERSON_DETECT, "--pipeline", "default", "-o", stow);
    assertThat(planned.exit()).as(planned.err()).isZero();
    Result verified = Cli.run("verify", stow);
    assertThat(verified.exit()).as(verified.out() + verified.err()).isZero();
  }

  @Test
  void plan_intoCsv_isASolution() throws IOException {
    Path problem = write("two.json", TWO);
    Path csv = folder.resolve("two.csv");
    assertThat(Cli.run("plan", problem.toString(), "-o", csv.toString()).exit()).isZero();
    assertThat(csv).hasContent("id,lower,upper,size,offset\n0,0,2,7,5\n1,1,3,5,0\n");
  }

  @Test
  void plan_intoFormThatDoesNotFit_writesNothing() throws IOException {
    Path one = write("two.json", TWO);
    Path both = write("both.jsonl", TWO + "\n" + TWO + "\n");
    Path csv = folder.resolve("out.csv");
    Path stow = folder.resolve("out.stow");
    assertThat(Cli.run("plan", PERSON_DETECT, "-o", csv.toString()).exit()).isEqualTo(2);
    assertThat(Cli.run("plan", one.toString(), "-o", stow.toString()).exit()).isEqualTo(2);
    Result many = Cli.run("plan", both.toString(), "-o", csv.toString());
    assertThat(many.exit()).isEqualTo(2);
    assertThat(many.err()).contains("can hold one plan only");
    assertThat(csv).doesNotExist();
    assertThat(stow).doesNotExist();
  }

  @Test
  void plan_ofManyAnswers_hasALineEach() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 21; i++) {
      lines.append(TWO.replace("two", "p" + i)).append('\n');
    }
    lines.append("{\"buffers\":[{\"bytes\":-4,\"lifetime\":[0,1]}]}\n");
    Result result = Cli.run("plan", write("many.jsonl", lines.toString()).toString());
    assertThat(result.exit()).isEqualTo(1);
    List<String> out = result.out().lines().toList();
    assertThat(out).hasSize(24);
    assertThat(out.get(0)).contains("name", "lower bound", "ratio");
    assertThat(out.get(1)).startsWith("p0 ").contains(" 12 ", "1.000", "verified");
    assertThat(out.get(22)).contains("error[input-");
    assertThat(out.get(23)).startsWith("21 planned, 1 failed, 21 verified, ");
  }

  @Test
  void plan_ofSeveralFilesOneMissing_plansTheOthers() throws IOException {
    Path problem = write("two.json", TWO);
    Result result =
        Cli.run("plan", folder.resolve("no.json").toString(), problem.toString(), PERSON_DETECT);
    assertThat(result.exit()).isEqualTo(1);
    assertThat(result.err()).contains("no.json").contains("input-unreadable");
    assertThat(result.out()).contains("two: greedy", "2 planned, 1 failed, 2 verified");
  }

  @Test
  void plan_refusedDocument_isAnswerAndError() {
    String refused = "src/test/resources/golden/cond_model.json.gz";
    Result one = Cli.run("plan", refused, "--json", "--strategy", "greedy");
    assertThat(one.exit()).isEqualTo(3);
    assertThat(one.json()).hasSize(1);
    assertThat(one.json().get(0).get("error")).asString().contains("kind=input-unsupported");
    assertThat(one.err()).contains("error[input-unsupported]").hasLineCount(1);
    Result many = Cli.run("plan", refused, "--json");
    assertThat(many.exit()).isEqualTo(1);
    assertThat(many.json())
        .hasSizeGreaterThan(1)
        .allSatisfy(it -> assertThat(it).containsKey("error").doesNotContainKey("methods"));
  }

  @Test
  void plan_quiet_printsNothing() {
    Result result = Cli.run("plan", PERSON_DETECT, "-q");
    assertThat(result).isEqualTo(new Result(0, "", ""));
  }

  @Test
  void color_always_paints() {
    assertThat(Cli.run("plan", PERSON_DETECT, "--color", "always").out()).contains("\u001b[1m");
    assertThat(Cli.run("plan", PERSON_DETECT, "--color", "auto").out()).doesNotContain("\u001b");
  }

  @Test
  void names_withEscapeSequences_areShownHarmless() {
    String evil = TWO.replace("two", "a\\u001b[31m\\nb");
    assertThat(Cli.runWith(evil.getBytes(UTF_8), "plan", "-").out())
        .startsWith("a?[31m?b: ")
        .doesNotContain("\u001b");
  }

  @Test
  void convert_model_becomesAProblemThatPlansAlike() {
    String problem = folder.resolve("problem.json").toString();
    Result converted = Cli.run("convert", PERSON_DETECT, problem);
    assertThat(converted).isEqualTo(new Result(0, "", ""));
    assertThat(Cli.run("plan", problem).out()).contains("64,512", "55,296");
  }

  @ParameterizedTest
  @ValueSource(strings = {"passes", "strategies", "formats", "pipelines"})
  void list_json_isAnArrayOfNamedObjects(String what) {
    Object list = Cli.value(Cli.run("list", what, "--json").out());
    assertThat((List<?>) list)
        .isNotEmpty()
        .allSatisfy(
            item -> {
              Map<?, ?> object = (Map<?, ?>) item;
              assertThat(object.get("name")).asString().isNotEmpty();
              assertThat(object.get("summary")).asString().isNotEmpty();
            });
    assertThat(Cli.run("list", what).out().lines())
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
  }

  @Test
  void list_strategies_showsOptionsWithDefaults() {
    assertThat(Cli.run("list", "strategies").out())
        .contains("greedy ", "overlap=true|false", "(default: true)", "of=[CALL,...]");
    assertThat(Cli.run("list", "strategies", "--json").out())
        .contains("\"name\":\"overlap\"", "\"default\":\"true\"", "\"values\":\"true|false\"");
  }

  @Test
  void version_anywhere_isTheBuilds() {
    assertThat(Cli.run("--version").out()).matches("stowage \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\n");
    assertThat(Cli.run("plan", "--version")).isEqualTo(Cli.run("--version"));
  }

  @Test
  void output_closedByReader_endsQuietly() throws IOException {
    Path lines = write("many.jsonl", (TWO + "\n").repeat(50));
    Path file = folder.resolve("plans.jsonl");
    assertThat(runOn(new BrokenStream("Broken pipe"), "plan", lines.toString(), "--json"))
        .isEqualTo(new Result(0, "", ""));
    assertThat(
            runOn(
                new BrokenStream("Broken pipe"),
                "plan",
                lines.toString(),
                "--json",
                "-o",
                file.toString()))
        .isEqualTo(new Result(0, "", ""));
    assertThat(file).content().hasLineCount(50);
    Result full = runOn(new BrokenStream("No space left on device"), "plan", PERSON_DETECT);
    assertThat(full.exit()).isEqualTo(3);
    assertThat(full.err()).contains("error[output-unwritable]", "No space left on device");
  }

  private static Result runOn(OutputStream out, String... args) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    InputStream in = new ByteArrayInputStream(new byte[0]);
    int exit = Main.run(new Terminal(in, out, err, false, false, false), args);
    return new Result(exit, "", err.toString(UTF_8));
  }

  /** Takes a few bytes and then fails. */
  private static final class BrokenStream extends OutputStream {
    private final String why;
    private int room = 100;

    BrokenStream(String why) {
      this.why = why;
    }

    @Override
    public void write(int b) throws IOException {
      if (--room < 0) {
        throw new IOException(why);
      }
    }
  }

  @SuppressWarnings("unchecked") // only looked at
  private static List<Map<String, Object>> cast(List<?> objects) {
    return (List<Map<String, Object>>) objects;
  }

  private Path write(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content);
  }
}
