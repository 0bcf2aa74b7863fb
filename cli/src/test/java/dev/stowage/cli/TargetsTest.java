package dev.stowage.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.Cli.Result;
import dev.stowage.driver.Extensions;
import dev.stowage.driver.Stowage;
import dev.stowage.driver.Targets;
import dev.stowage.memmap.MemoryMap;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Targets of the catalogue and of files, as the command line takes and shows them. */
class TargetsTest {
  private static final String MODEL = Cli.MODELS.resolve("person_detect.tflite").toString();
  private static final String BOARD =
      "{\"name\":\"board\",\"extends\":\"stm32h743\",\"banks\":["
          + "{\"name\":\"dtcm\",\"size\":\"40 KiB\"},{\"name\":\"axi-sram\",\"mem_id\":9}]}";

  @TempDir Path folder;

  private String write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void list_targets_hasNamesSummariesAndBanks() {
    Result listed = Cli.run("list", "targets");
    assertThat(listed.out().replaceAll("\\s+", " "))
        .contains("rp2350 Raspberry Pi RP2350, on a Pico 2: sram 512KiB, flash 4MiB stm32h743 ST");
    assertThat(listed.out().lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    assertThat(listed.err()).isEmpty();
  }

  @Test
  void list_oneTarget_hasItsWholeBudgetAndItsSources() {
    String shown = Cli.run("list", "targets", "esp32-s3-psram").out();
    assertThat(shown)
        .contains("sram1", "425,984", "0x3fc88000", "both")
        .containsPattern("psram +3 +8,388,608 +0x3c000000 +both +cacheable, dma, external")
        // 425,984 + 65,536 + 8,388,608 bytes, less 10,480 and 32,768 that are reserved.
        .containsPattern("for tensors +8,836,880\n")
        .containsPattern("for constants +8,836,880\n")
        .contains("32,768 bytes at 0 belong to the data cache")
        .contains("\n\nEspressif ESP32-S3 technical reference manual");
    assertThat(Cli.run("list", "targets", "nrf5340").out())
        .containsPattern("flash +1,048,576 +0x0 +constants +cacheable, executable\n")
        .containsPattern("for tensors +524,288\n")
        .containsPattern("for constants +1,572,864\n");
  }

  @Test
  void list_json_hasWhatAFileWouldHave() {
    Object list = Cli.value(Cli.run("list", "targets", "corstone-300-ethos-u55", "--json").out());
    Map<?, ?> target = (Map<?, ?>) list(list).get(0);
    assertThat(target.get("name")).isEqualTo("corstone-300-ethos-u55");
    assertThat(list(target.get("sources"))).isNotEmpty();
    Map<?, ?> ddr = (Map<?, ?>) list(target.get("banks")).get(3);
    assertThat(ddr)
        .isEqualTo(
            Map.of(
                "name",
                "ddr",
                "size",
                268_435_456L,
                "mem_id",
                4L,
                "base_address",
                "0x70000000",
                "read_cost",
                8L,
                "write_cost",
                8L,
                "attributes",
                List.of("cacheable", "dma", "external", "npu"),
                "constants",
                true,
                "source",
                "ML evaluation kit, appendix, DDR"));
  }

  @Test
  void plan_targetFile_isPlannedForItsBanksAndVerifies() throws IOException {
    String board = write("board.json", BOARD);
    String plan = folder.resolve("plan.json").toString();
    Result planned = Cli.run("plan", MODEL, "--target", board, "-o", plan);
    assertThat(planned.exit()).as(planned.err()).isZero();
    assertThat(arenas(Files.readString(Path.of(plan)))).hasSize(10);
    assertThat(Cli.run("verify", MODEL, plan, "--target", board).exit()).isZero();
    assertThat(Cli.run("plan", MODEL, "--target", "stm32h743", "--json").exit()).isZero();
  }

  private static List<?> arenas(String plan) {
    Map<?, ?> method = (Map<?, ?>) list(Cli.object(plan.strip()).get("methods")).get(0);
    return list(method.get("arena_sizes"));
  }

  private static List<?> list(@Nullable Object value) {
    return (List<?>) Objects.requireNonNull(value);
  }

  @Test
  void plan_targetFromStandardInputOrGzip_isTheSame() throws IOException {
    String board = write("board.json", BOARD);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(BOARD.getBytes(UTF_8));
    }
    Path zipped = Files.write(folder.resolve("board.json.gz"), bytes.toByteArray());
    Result fromFile = Cli.run("plan", MODEL, "--target", board, "--json");
    assertThat(Cli.run("plan", MODEL, "--target", zipped.toString(), "--json")).isEqualTo(fromFile);
    assertThat(Cli.runWith(BOARD.getBytes(UTF_8), "plan", MODEL, "--target", "-", "--json"))
        .isEqualTo(fromFile);
    // Several models, one target that can be read only once.
    assertThat(
            Cli.runWith(BOARD.getBytes(UTF_8), "plan", MODEL, MODEL, "--target", "-", "--json")
                .out())
        .isEqualTo(fromFile.out() + fromFile.out());
  }

  @Test
  void plan_badTargetFile_saysEverythingAndPlansNothing() throws IOException {
    String file =
        write(
            "bad.json",
            """
            {"name": "bad", "extends": "stm32h743",
             "banks": [{"name": "dtcm", "size": "12 KiBs"},
                       {"name": "sram1", "size": "1 MiB"}],
             "operator_rules": [{"op": "*", "not_banks": 3}]}
            """);
    String plan = folder.resolve("plan.json").toString();
    Result result = Cli.run("plan", MODEL, "--target", file, "-o", plan);
    assertThat(result.exit()).isEqualTo(3);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .contains(
            file + ":line 2, banks[0].size: error[input-value]: unknown unit 'KiBs'",
            "also: line 4, operator_rules[0].not_banks: expected a list but found 3",
            "also: line 3, banks[1].size: the budget is 1,048,576 bytes, but bank 'sram1' of"
                + " stm32h743 has only 131,072");
    assertThat(Path.of(plan)).doesNotExist();
  }

  @Test
  void plan_targetThatIsNotThere_isWrongUsageByNameAndUnreadableByFile() {
    assertError(2, "error[unknown-target]", "plan", MODEL, "--target", "stm32h74");
    assertError(3, "error[input-unreadable]", "plan", MODEL, "--target", "stm32h74.json");
    assertError(3, "error[input-unreadable]", "plan", MODEL, "--target", "./stm32h743");
    assertError(3, "error[input-syntax]", "plan", MODEL, "--target", "-");
    assertError(3, "error[input-unreadable]", "verify", MODEL, "--target", "none.json");
  }

  @Test
  void plan_standardInputGivenTwice_isWrongUsage() {
    assertError(2, "standard input ('-') is given twice", "plan", "-", "--target", "-");
    assertError(2, "standard input ('-') is given twice", "verify", "-", "--target", "-");
  }

  private static void assertError(int exit, String text, String... arguments) {
    Result result = Cli.run(arguments);
    assertThat(result.exit()).as(result.err()).isEqualTo(exit);
    assertThat(result.err()).contains(text);
  }

  @Test
  void target_inAProgram_takesNamesAndFiles() throws IOException {
    try (Extensions extensions = Extensions.installed();
        Stowage session = Stowage.open(Path.of(MODEL), extensions)) {
      MemoryMap map =
          Targets.find(write("b.json", BOARD), InputStream.nullInputStream(), extensions).map();
      assertThat(map.bank("dtcm").sizeBytes()).isEqualTo(40 << 10);
      assertThat(session.target(folder.resolve("b.json").toString()).plan().answers()).hasSize(1);
    }
  }

  @Test
  void list_json_readsBackAsATargetFile() throws IOException {
    // An item of the list is a target file but for its name for the description.
    String json = Cli.run("list", "targets", "stm32h743", "--json").out().strip();
    String file =
        json.substring(1, json.length() - 1)
            .replace("\"summary\":", "\"description\":")
            .replace(",\"options\":[]", "");
    try (Extensions extensions = Extensions.installed()) {
      assertThat(
              Targets.find(write("t.json", file), InputStream.nullInputStream(), extensions).map())
          .isEqualTo(extensions.targets().get("stm32h743").map());
    }
  }

  @Test
  void list_aTargetFile_isShownWithItsBase() throws IOException {
    assertThat(Cli.run("list", "targets", write("board.json", BOARD)).out())
        .containsPattern("dtcm +1 +40,960 ")
        .containsPattern("axi-sram +9 +524,288 ");
  }

  @Test
  void plan_pipelineWithoutTheRulesOfTheTarget_isJudgedByThem() throws IOException {
    String ruled =
        write(
            "ruled.json",
            "{\"name\":\"ruled\",\"extends\":\"stm32h743\",\"operator_rules\":["
                + "{\"op\":\"CONV*\",\"not_banks\":[\"dtcm\"]}]}");
    Result without = Cli.run("plan", MODEL, "--target", ruled, "--pipeline", "plan{profile=tflm}");
    assertThat(without.exit()).isEqualTo(1);
    assertThat(without.out()).contains("closed-arena");
    assertThat(without.err()).contains("put apply-target-rules before plan");
    Result with =
        Cli.run(
            "plan",
            MODEL,
            "--target",
            ruled,
            "--pipeline",
            "apply-target-rules,plan{profile=tflm}");
    assertThat(with.exit()).isZero();
    assertThat(with.err()).isEmpty();
  }

  @Test
  void fit_modelWithConstants_saysThatTheyAreNotCounted() {
    assertThat(Cli.run("fit", MODEL, "--target", "nrf5340").out())
        .containsPattern("  [1-9][0-9,]+ bytes of constants are not counted\n");
  }

  @Test
  void plan_problemWithAPipeline_isWrongUsage() throws IOException {
    String problem = write("p.json", "{\"buffers\":[{\"bytes\":4,\"lifetime\":[0,1]}]}");
    Result planned = Cli.run("plan", problem, "--pipeline", "plan{strategy=naive}");
    assertThat(planned.exit()).isEqualTo(2);
    assertThat(planned.err()).contains("it takes no pipeline");
  }
}
