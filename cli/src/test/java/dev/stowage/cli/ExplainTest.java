package dev.stowage.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.Cli.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code plan --explain}, {@code plan --why-not-lower} and {@code fit}. */
class ExplainTest {
  static final String SMALL =
      "{\"name\":\"small\",\"alignment\":16,\"banks\":[{\"name\":\"fast\",\"size\":256,\"mem_id\":2},"
          + "{\"name\":\"slow\",\"size\":1024,\"mem_id\":1}],\"buffers\":["
          + "{\"bytes\":100,\"lifetime\":[0,2],\"name\":\"a\"},"
          + "{\"bytes\":160,\"lifetime\":[1,3],\"name\":\"b\"},"
          + "{\"bytes\":64,\"lifetime\":[2,4],\"name\":\"c\"},"
          + "{\"bytes\":300,\"lifetime\":[0,4],\"name\":\"d\"},"
          + "{\"bytes\":64,\"lifetime\":[0,4],\"name\":\"p\",\"mem_id\":1}]}";
  private static final String PERSON_DETECT = Cli.MODELS.resolve("person_detect.tflite").toString();

  @TempDir private Path folder;

  private static Result run(String... args) {
    return Cli.runWith(SMALL.getBytes(UTF_8), args);
  }

  @Test
  void explain_saysWhatEachBankIsToTheTensor() {
    Result result = run("plan", "-", "-q", "--explain", "a");
    assertThat(result.exit()).isZero();
    assertThat(result.out())
        .isEqualTo(
            """

            buffer 0 (a)
              100 bytes, in slow at [368, 480), rounded up to 112
              live over steps 0..2
              aligned to 16 bytes
              fast: no gap: the largest that is free over its lifetime has 32 bytes at
                offset 224, and 112 are required
                in its way    bytes  range       steps
                buffer 1 (b)    160  [0, 160)    1..3
                buffer 2 (c)     64  [160, 224)  2..4
              slow: chosen; no lower offset is free over its lifetime
                below it      bytes  range      steps
                buffer 3 (d)    304  [64, 368)  0..4
                buffer 4 (p)     64  [0, 64)    0..4
            """);
  }

  @Test
  void explain_severalTensors_eachInTheOrderOfTheOptions() {
    String out = run("plan", "-", "--explain", "4", "--explain", "d", "--explain", "c").out();
    assertThat(out)
        .containsSubsequence(
            "buffer 4 (p)",
            "pinned to slow",
            "fast: closed to it: pinned to slow",
            "slow: chosen, at its start",
            "buffer 3 (d)",
            "fast: too small: 304 bytes are required, and it has 256 in one piece",
            "buffer 2 (c)",
            "slow: has room at offset 480, but the strategy did not use it");
  }

  @Test
  void explain_json_isALineEachAfterThePlan() {
    List<Map<String, @Nullable Object>> lines =
        run("plan", "-", "--json", "--explain", "a", "--why-not-lower", "2").json();
    assertThat(lines)
        .extracting(line -> line.get("format"))
        .containsExactly("stowage-plan", "stowage-explanation", "stowage-bank-explanation");
    assertThat(lines.get(0)).isEqualTo(run("plan", "-", "--json").json().get(0));
    assertThat(lines.get(1).get("arenas"))
        .asString()
        .contains("verdict=no-gap", "required=112, available=32, offset=224", "range=[160, 224]");
    assertThat(lines.get(2))
        .containsEntry("bank", "fast")
        .containsEntry("size", 224L)
        .containsEntry("lower_bound", 224L)
        .containsEntry("fragmentation", 0L);
  }

  @Test
  void whyNotLower_ofATightBank_saysThatItCannotBeLower() {
    assertThat(run("plan", "-", "--why-not-lower", "slow").out())
        .contains("480 bytes; at step 0, 480 bytes are needed", "cannot be lower");
  }

  @Test
  void whyNotLower_ofAModel_showsPeakFragmentationAndChain() {
    String out = Cli.run("plan", PERSON_DETECT, "-q", "--why-not-lower", "1").out();
    assertThat(out)
        .containsSubsequence(
            "64,512 bytes; at step 3, node 3 (CONV_2D), 55,296 bytes are needed",
            "36,864  3..4",
            "18,432  2..3",
            "9,216 bytes (16.7%) above that are fragmentation",
            "9,216  [55,296, 64,512)  4..5           0",
            "18,432  [36,864, 55,296)  5..6           0",
            "18,432  [18,432, 36,864)  6..7           0",
            "18,432  [0, 18,432)       7..8           0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "plan IN --explain bb --strategy banked-greedy | did you mean 'b'?",
        "plan IN --explain 9 | no tensor with name or number '9'",
        "plan IN --why-not-lower fats | did you mean fast? possible: fast, slow",
        "plan MODEL --explain 30 | the plan does not place tensor '30', which is a constant",
        "plan IN MODEL --explain 1 | the input asks for several",
        "fit MODEL | a model has no banks",
        "fit IN --target stm32h743 | has arenas of its own",
        "fit MODEL --target stm32h74 | did you mean stm32h743",
        "fit IN --strategy gredy | did you mean greedy",
        "fit IN --deadline soon | no length of time",
      })
  void usage_wrong_saysWhatToDoAndPrintsNoPlan(String command, String part) throws Exception {
    Path problem = Files.writeString(folder.resolve("small.json"), SMALL);
    Result result =
        Cli.run(
            command.replace("IN", problem.toString()).replace("MODEL", PERSON_DETECT).split(" "));
    assertThat(result.exit()).as(result.err()).isEqualTo(2);
    assertThat(result.err()).contains("error[", part);
    assertThat(result.out()).isEmpty();
  }

  @Test
  void explain_unknownTensor_writesNoFile() throws Exception {
    Path problem = Files.writeString(folder.resolve("small.json"), SMALL);
    Path plan = folder.resolve("plan.json");
    Result result = Cli.run("plan", problem.toString(), "-o", plan.toString(), "--explain", "x");
    assertThat(result.exit()).isEqualTo(2);
    assertThat(plan).doesNotExist();
  }

  @Test
  void plan_ofAProblemWithBanks_showsTheBudget() {
    assertThat(run("plan", "-").out())
        .contains(
            """
              bank   bytes  capacity   used  tensors  lower bound
              fast     224       256  87.5%        2            -
              slow     480     1,024  46.9%        3           64
              total    704     1,280  55.0%        5          704
            """);
  }

  @Test
  void plan_forATarget_showsWhereTheConstantsGo() {
    assertThat(Cli.run("plan", PERSON_DETECT, "--target", "nrf5340").out())
        .contains(
            """
              bank    bytes  constants   capacity   used  tensors  lower bound
              ram    64,512    218,928    524,288  54.1%       32       55,296
              flash                  -  1,048,576   0.0%
              total  64,512    218,928  1,572,864  18.1%       32       55,296
            """);
  }

  @Test
  void fit_table_hasEachBank() {
    Result result = run("fit", "-");
    assertThat(result.exit()).isZero();
    assertThat(result.out())
        .isEqualTo(
            """
            small
              bank   size  smallest found  proven minimum  gap
              fast    256      not needed
              slow  1,024             480             480    0
              not needed: the other banks hold everything, as large as they are
            """);
    assertThat(result.err()).contains("slow: smallest found 480 bytes, proven minimum 480");
    assertThat(run("fit", "-", "-q").err()).isEmpty();
  }

  @Test
  void fit_thatHasNoPlan_isTheErrorOfPlan() {
    byte[] tight = SMALL.replace("1024", "380").getBytes(UTF_8);
    Result result = Cli.runWith(tight, "fit", "-", "--json");
    assertThat(result.exit()).isEqualTo(1);
    assertThat(result.err()).contains("error[unplaceable]");
    assertThat(result.json()).hasSize(1);
    assertThat(result.json().get(0).get("error")).asString().contains("kind=unplaceable");
  }

  @ParameterizedTest
  @MethodSource("dev.stowage.cli.Cli#models")
  void text_ofAnyModel_fitsIntoLines(Path model) {
    String target = "raspberry-pi-4";
    String name = model.toString();
    List<String> first =
        Cli.run("plan", name, "--json").json().get(0).get("tensors") instanceof List<?> tensors
            ? List.of(String.valueOf(((Map<?, ?>) tensors.get(0)).get("tensor")))
            : List.of();
    Result plan =
        Cli.run(
            "plan", name, "--target", target, "--explain", first.get(0), "--why-not-lower", "1");
    Result fit = Cli.run("fit", name, "--target", target, "--strategy", "banked-greedy");
    for (Result result : List.of(plan, fit)) {
      assertThat(result.exit()).as(result.err()).isZero();
      assertThat(result.out().lines())
          .allSatisfy(line -> assertThat(line.length()).as(line).isLessThanOrEqualTo(80));
    }
  }

  @Test
  void fit_linesThatCannotBeRead_haveTheirLine() {
    String bad = SMALL.replace("\"lifetime\":[0,2]", "\"lifetime\":[2,0]") + "\n";
    Result first = Cli.runWith((bad + SMALL + "\n" + bad).getBytes(UTF_8), "fit", "-", "--json");
    assertThat(first.exit()).isEqualTo(1);
    List<String> lines = first.out().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).contains("\"banks\":[]", "input-value");
    assertThat(lines.get(1)).contains("\"error\":null");
    assertThat(lines.get(2)).contains("input-value");
    Result alone = Cli.runWith(bad.getBytes(UTF_8), "fit", "-", "--json");
    assertThat(alone.exit()).isEqualTo(3);
    assertThat(alone.out()).isEmpty();
  }

  @Test
  void reservedRanges_areNamedAndCountAlikeEverywhere() {
    String reserved =
        SMALL.replace(
            "\"size\":256,",
            "\"size\":256,\"reserved\":[{\"offset\":0,\"size\":64,\"owner\":\"boot\"}],");
    Result explained = Cli.runWith(reserved.getBytes(UTF_8), "plan", "-", "-q", "--explain", "d");
    assertThat(explained.out().replaceAll("\\s+", " "))
        .contains("too small: 304 bytes are required, and it has 192 in one piece")
        .contains("fast (mem_id 2) has 256 bytes, of which are: 64 reserved for boot");
    String pinned = reserved.replace("\"name\":\"b\"", "\"name\":\"b\",\"mem_id\":2");
    Result table = Cli.runWith(pinned.getBytes(UTF_8), "plan", "-", "--why-not-lower", "fast");
    assertThat(table.out().replaceAll("\\s+", " "))
        .contains("fast 224 256")
        .contains("224 bytes are needed for what is live in it")
        .contains("64 reserved for boot");
    assertThat(table.out().lines().filter(it -> it.startsWith("  fast")).findFirst().orElse(""))
        .endsWith(" 224");
  }
}
