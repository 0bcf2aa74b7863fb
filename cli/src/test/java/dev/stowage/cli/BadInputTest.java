package dev.stowage.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.cli.Cli.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is wrong is said once, with the right exit code, and nothing half-written is left. */
class BadInputTest {
  private static final String GOOD =
      "{\"name\":\"two\",\"alignment\":1,\"buffers\":[{\"bytes\":7,\"lifetime\":[0,1]},"
          + "{\"bytes\":5,\"lifetime\":[1,2]}]}";
  private static final ImmutableList<String> ENDINGS =
      ImmutableList.of(".tflite", ".json", ".jsonl", ".csv", ".stow", ".json.gz", ".pte");

  @TempDir private Path folder;

  @Test
  void files_emptyOrRandom_areInvalidInAnyFormat() throws IOException {
    Random random = new Random(1);
    for (String ending : ENDINGS) {
      for (int length : new int[] {0, 1, 9, 1000}) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        for (int i = 0; i < length; i++) {
          bytes[i] = bytes[i] == '\n' ? 0 : bytes[i]; // several lines would be several documents
        }
        Path file = Files.write(folder.resolve("bad" + length + ending), bytes);
        for (String command : ImmutableList.of("plan", "inspect", "verify")) {
          assertFails(3, Cli.run(command, file.toString()), file + " seed 1 " + command);
        }
        Path out = folder.resolve("converted.json");
        assertFails(3, Cli.run("convert", file.toString(), out.toString()), file + " convert");
        assertThat(out).doesNotExist();
      }
    }
    assertThat(leftovers()).isEmpty();
  }

  @Test
  void files_truncatedAnywhere_areInvalid() throws IOException {
    Result stow =
        Cli.run(
            "convert",
            Cli.MODELS.resolve("person_detect.tflite").toString(),
            folder.resolve("whole.stow").toString());
    assertThat(stow.exit()).as(stow.err()).isZero();
    Map<String, byte[]> whole =
        ImmutableMap.of(
            ".tflite", Files.readAllBytes(Cli.MODELS.resolve("person_detect.tflite")),
            ".json", GOOD.getBytes(UTF_8),
            ".stow", Files.readAllBytes(folder.resolve("whole.stow")));
    for (Map.Entry<String, byte[]> each : whole.entrySet()) {
      byte[] bytes = each.getValue();
      for (int part = 1; part < 8; part++) {
        Path file = folder.resolve("cut" + part + each.getKey());
        Files.write(file, Arrays.copyOf(bytes, bytes.length * part / 8));
        for (String command : ImmutableList.of("plan", "inspect")) {
          assertFails(3, Cli.run(command, file.toString(), "--json"), file + " " + command);
        }
      }
    }
  }

  @Test
  void plan_truncated_isInvalid() throws IOException {
    Path problem = write("two.json", GOOD);
    String plan = Cli.run("plan", problem.toString(), "--json").out();
    for (int part = 0; part < 8; part++) {
      Path cut = write("plan" + part + ".json", plan.substring(0, plan.length() * part / 8));
      assertFails(3, Cli.run("verify", problem.toString(), cut.toString()), cut.toString());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"buffers":[{"bytes":NaN,"lifetime":[0,1]}]}                           | input-
          {"buffers":[{"bytes":9223372036854775808,"lifetime":[0,1]}]}           | input-
          {"buffers":[{"bytes":8,"lifetime":[5,4]}]}                             | input-value
          {"buffers":[{"bytes":8,"lifetime":[0,1],"base":7,"base_offset":0}]}    | input-reference
          {"buffers":[{"bytes":8,"lifetime":[0,1]}],"bufers":[]}                 | input-member
          {"buffers":[{"bytes":-1,"lifetime":[0,1]}]}                            | input-
          {"buffers":[{"bytes":8,"lifetime":[0,1]}]}}                            | input-syntax
          []                                                                     | input-
          """)
  void problem_invalid_saysWhat(String problem, String kind) throws IOException {
    Path file = write("bad.json", problem);
    Path out = folder.resolve("plan.json");
    Result result = Cli.run("plan", file.toString(), "--json", "-o", out.toString());
    assertFails(3, result, problem);
    assertThat(result.err()).contains("error[" + kind).contains(file.toString());
    assertThat(leftovers()).containsExactly("bad.json");
  }

  @Test
  void file_missingOrFolder_isUnreadable() {
    for (String command : ImmutableList.of("plan", "inspect", "verify")) {
      Result missing = Cli.run(command, folder.resolve("no.json").toString());
      assertFails(3, missing, command);
      assertThat(missing.err()).contains("does not exist");
      Result directory = Cli.run(command, folder.toString());
      assertFails(3, directory, command);
      assertThat(directory.err()).contains("is a directory");
    }
  }

  @Test
  void output_unwritable_endsBeforePlanning() throws IOException {
    Path problem = write("two.json", GOOD);
    String nowhere = folder.resolve("no").resolve("plan.json").toString();
    assertFails(3, Cli.run("plan", problem.toString(), "-o", nowhere), nowhere);
    assertFails(3, Cli.run("inspect", problem.toString(), "-o", nowhere), nowhere);
    assertFails(3, Cli.run("convert", problem.toString(), nowhere), nowhere);
    Path directory = Files.createDirectory(folder.resolve("dir.json"));
    assertFails(3, Cli.run("plan", problem.toString(), "-o", directory.toString()), "directory");
  }

  @Test
  void output_thatIsAnInput_isRefused() throws IOException {
    Path problem = write("two.json", GOOD);
    String same = folder.resolve(".").resolve("two.json").toString();
    for (Result result :
        ImmutableList.of(
            Cli.run("plan", problem.toString(), "-o", same),
            Cli.run("inspect", problem.toString(), "-o", same),
            Cli.run("convert", problem.toString(), same))) {
      assertFails(2, result, same);
      assertThat(result.err()).contains("is also an input");
    }
    assertThat(problem).hasContent(GOOD);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          plan IN --strategy gredy              | unknown-strategy | did you mean greedy
          plan IN --strategy greedy{overlp=1}   | unknown-option   | did you mean overlap
          plan IN --strategy greedy{overlap=no} | option-value     | true|false
          plan IN --strategy {                  | syntax           | ^
          plan IN --pipeline plann              | unknown-pass     | did you mean plan
          plan IN --pipeline plan,,plan         | syntax           | ^
          plan IN --alignment 0                 | option-value     | 1 to 1,073,741,824
          plan IN --alignment 1073741825        | option-value     | 1 to 1,073,741,824
          plan IN --alignment x                 | option-value     | '--alignment'
          plan IN --capacity 1.5B               | option-value     | 64KiB
          plan IN --color sometimes             | option-value     | auto
          plan IN --stratgy greedy              | unknown-option   | did you mean --strategy
          plan IN -o plan.txt                   | usage            | .jsonl
          plan IN -o                            | usage            | stowage plan --help
          plan IN --alignment 1 --alignment 2   | usage            | --alignment
          plan                                  | usage            | MODEL
          plan - -                              | usage            | standard input
          paln IN                               | usage            | did you mean plan
          verify IN                             | input-           | plan
          verify IN a b                         | usage            | 'b'
          convert IN out.txt                    | usage            | .stow
          convert IN -                          | usage            | ending
          list pases                            | usage            | did you mean passes
          list                                  | usage            | WHAT
          """)
  void usage_wrong_saysWhatToDo(String command, String kind, String part) throws IOException {
    Path problem = write("two.json", GOOD);
    Result result = Cli.run(command.strip().replace("IN", problem.toString()).split(" +"));
    assertFails(kind.startsWith("input") ? 3 : 2, result, command);
    assertThat(result.err()).contains("error[" + kind).contains(part.replace("'--", "--").strip());
    assertThat(leftovers()).containsExactly("two.json");
  }

  @Test
  void lines_oneInvalid_theOthersArePlanned() throws IOException {
    Path file = write("three.jsonl", GOOD + "\n{\"buffers\":3}\n" + GOOD.replace("two", "last"));
    Path out = folder.resolve("out.jsonl");
    Result result = Cli.run("plan", file.toString(), "--json", "-o", out.toString());
    assertThat(result.exit()).isEqualTo(1);
    assertThat(result.json()).hasSize(3);
    assertThat(result.json().get(0)).containsEntry("name", "two").containsKey("placements");
    assertThat(result.json().get(1)).containsKey("error").doesNotContainKey("placements");
    assertThat(result.json().get(2)).containsEntry("name", "last").containsKey("placements");
    assertThat(out).hasContent(result.out());
    assertThat(result.err()).isEqualTo("stowage: 1 of 3 answers have no verified plan\n");
  }

  @Test
  void capacity_tooSmall_isAnAnswerWithJson() throws IOException {
    Path file = write("two.json", GOOD);
    Path out = folder.resolve("out.json");
    Result result =
        Cli.run("plan", file.toString(), "--capacity", "11", "--json", "-o", out.toString());
    assertThat(result.exit()).isEqualTo(1);
    assertThat(result.json()).hasSize(1);
    assertThat(result.json().get(0).get("error")).asString().contains("kind=unplaceable");
    assertThat(result.err()).contains("error[unplaceable]").contains("12 bytes");
    assertThat(out).doesNotExist();
    assertThat(Cli.run("plan", file.toString(), "--capacity", "12").exit()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"plan", "fit", "inspect", "verify", "convert", "list"})
  void help_ofEachCommand_hasExamplesAndExitCodes(String command) {
    Result result = Cli.run(command, "--help");
    assertThat(result.exit()).isZero();
    assertThat(result.out()).contains("Examples:", "stowage " + command, "Exit codes:");
    assertThat(result.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(81));
    assertThat(result.err()).isEmpty();
  }

  /** One message, no stack trace, nothing on standard output. */
  private static void assertFails(int exit, Result result, String what) {
    assertThat(result.exit()).as("%s: %s", what, result.err()).isEqualTo(exit);
    assertThat(result.err().lines().filter(line -> line.contains("error[")))
        .as("messages of %s", what)
        .hasSize(1);
    assertThat(result.err()).as(what).doesNotContain("\tat ").doesNotContain("Exception");
    assertThat(result.out()).as(what).isEmpty();
  }

  private Path write(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content);
  }

  private ImmutableList<String> leftovers() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.startsWith("bad") || name.equals("bad.json"))
          .sorted()
          .collect(ImmutableList.toImmutableList());
    }
  }
}
