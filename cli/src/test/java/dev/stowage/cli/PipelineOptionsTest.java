package dev.stowage.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ObjectArrays;
import dev.stowage.passes.Pass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pipelines from the command line: how they are run, what is shown of them, how they fail. */
@Timeout(120)
class PipelineOptionsTest {
  private static final String MODEL = Cli.MODELS.resolve("person_detect.tflite").toString();

  private static final String PASS =
      """
      package acme;

      import dev.stowage.ir.*;
      import dev.stowage.passes.*;

      public final class NAME implements MethodPass {
        @Override public PassSpec spec() {
          return PassSpec.named("PASS").summary("for tests").readOnly().build();
        }

        @Override public Method run(Method method, PassContext context) {
          BODY
        }
      }
      """;

  @TempDir private static Path jars;
  private static String bad;

  @TempDir private Path folder;

  private static String pass(String name, String body) {
    return PASS.replace("NAME", "Does" + name)
        .replace("PASS", "acme-" + name.toLowerCase(Locale.ROOT))
        .replace("BODY", body);
  }

  @BeforeAll
  static void makeJar() throws IOException {
    bad =
        PluginJar.at(jars.resolve("bad.jar"))
            .source(pass("Null", "return null;"))
            .source(pass("Loop", "while (true) {}"))
            .source(pass("Crash", "throw new IllegalStateException(\"boom\");"))
            .source(pass("Exhaust", "throw new OutOfMemoryError(\"heap\");"))
            .source(pass("Lie", "return dev.stowage.ir.memory.MemoryKeys.withoutPlan(method);"))
            .provides(
                Pass.class,
                "acme.DoesNull",
                "acme.DoesLoop",
                "acme.DoesCrash",
                "acme.DoesExhaust",
                "acme.DoesLie")
            .write();
  }

  @Test
  void plan_rulesThatDisagree_areAnAnswerOfTheirOwn() {
    Cli.Result result = plan("pin-pool{mem-id=2},pin-pool{mem-id=3},plan", "--json");
    assertThat(result.exit()).as(result.err()).isEqualTo(1);
    assertThat(result.out()).contains("\"kind\":\"pin-conflict\"");
  }

  private Cli.Result plan(String pipeline, String... more) {
    return run("plan", MODEL, "--pipeline", pipeline, more);
  }

  private static Cli.Result run(
      String command, String file, String option, String value, String... more) {
    return Cli.run(
        ObjectArrays.concat(new String[] {command, file, option, value}, more, String.class));
  }

  @ParameterizedTest
  @CsvSource({
    "acme-null, it returned null in place of a method",
    "acme-crash, java.lang.IllegalStateException: boom",
    "acme-exhaust, java.lang.OutOfMemoryError: heap",
    "'plan,acme-lie', 'it declares that it changes nothing, but changed method main'",
  })
  void plan_passOfAPluginThatFails_isNamedWithItsJarAndRecorded(String pipeline, String why)
      throws IOException {
    String record = folder.resolve("failure.stow").toString();

    Cli.Result failed = plan(pipeline, "--plugin", bad, "--reproducer", record);

    assertThat(failed.exit()).isEqualTo(5);
    assertThat(failed.out()).isEmpty();
    assertThat(failed.err()).contains(" from " + bad + " failed: ", why).doesNotContain("\tat ");
    assertThat(Files.readString(Path.of(record)))
        .startsWith("# stowage-reproducer 1\n# version: ")
        .contains("\n# plugins: " + bad + "\n", "\nprogram \"person_detect\"\n");

    Cli.Result again = Cli.run("run-reproducer", record, "--plugin", bad);
    assertThat(again.exit()).isEqualTo(5);
    assertThat(again.err()).contains(why, "it was run with --plugin " + bad);
  }

  @Test
  void plan_passThatLoopsForEver_endsAtTheDeadline() {
    Cli.Result late = plan("acme-loop,plan", "--plugin", bad, "--deadline", "20ms");
    assertThat(late.exit()).isEqualTo(6);
    assertThat(late.err())
        .contains("error[deadline]: pass 'acme-loop' from " + bad + " did not end within 0.02 s");
  }

  @Test
  void runReproducer_recordOfWrongInput_failsAsItFailed() throws IOException {
    String record = folder.resolve("failure.stow").toString();
    Cli.Result failed = plan("verify", "--reproducer", record);
    assertThat(failed.exit()).isEqualTo(2);
    Cli.Result again = Cli.run("run-reproducer", record, "-q");
    assertThat(again.exit()).isEqualTo(2);
    assertThat(again.err()).startsWith("pipeline:1:1: error[misplaced-pass]: verify requires ");
  }

  @Test
  void runReproducer_nothingFails_saysSo() throws IOException {
    Path record = folder.resolve("fine.stow");
    Files.writeString(
        record,
        """
        # stowage-reproducer 1
        # pipeline: pin-pool{mem-id=3,op=none},plan
        program "p"
        method @m {
          graph @main {
            %0 : u8[16] = input
            output(%0)
          }
        }
        """);
    Cli.Result fine = Cli.run("run-reproducer", record.toString());
    assertThat(fine.exit()).isZero();
    assertThat(fine.out()).isEqualTo("the pipeline runs without a failure\n");
    assertThat(fine.err()).contains("warning[no-match]: ");
    assertThat(Cli.run("run-reproducer", MODEL).exit()).isEqualTo(3);
  }

  @Test
  void plan_instruments_areShownOnStandardError() {
    Cli.Result shown =
        plan(
            "pin-pool{mem-id=2,op=SOFTMAX},plan{profile=tflm}",
            "-q",
            "--timing",
            "--statistics",
            "--verify-each",
            "--print-ir-before=pin-pool",
            "--print-ir-after-change");
    assertThat(shown.exit()).isZero();
    assertThat(shown.out()).isEmpty();
    assertThat(shown.err())
        .contains(
            "# ----- program before pin-pool (1 of 2) -----\nprogram \"person_detect\"",
            "# ----- program change by pin-pool (1 of 2) -----\n@@ ",
            "\n+    %87 ",
            "  100.0  total\n",
            "         1    tensors pinned\n")
        .doesNotContain("program before plan");
  }

  @Test
  void plan_anyNumberOfThreads_printsTheSame() {
    String[] all = {"--json", "--print-ir-after=all"};
    Cli.Result one = plan("plan{profile=tflm}", ObjectArrays.concat(all, "--threads=1"));
    Cli.Result four = plan("plan{profile=tflm}", ObjectArrays.concat(all, "--threads=4"));
    assertThat(four.out()).isEqualTo(one.out());
    assertThat(four.err()).isEqualTo(one.err());
  }

  @Test
  void plan_pipelineFromAFile_isReadWithItsComments() throws IOException {
    Path file = folder.resolve("pipeline.txt");
    Files.writeString(
        file, "# first\nmethod(pin-pool{mem-id=2, op=SOFTMAX}), # then\nplan{profile=tflm}\n");
    Cli.Result planned = plan("@" + file, "--json");
    assertThat(planned.exit()).isZero();
    assertThat(planned.out()).contains("\"mem_id\":2");

    Files.writeString(file, "plan{profile=tflm},\n  pin-pol{mem-id=2}");
    Cli.Result wrong = plan("@" + file);
    assertThat(wrong.exit()).isEqualTo(2);
    assertThat(wrong.err())
        .startsWith(file + ":2:3: error[unknown-pass]: ")
        .contains("\n          ^^^^^^^\n", "did you mean pin-pool?");
    assertThat(plan("@" + folder.resolve("none")).exit()).isEqualTo(3);
  }

  @Test
  void plan_pipelineWithoutPlan_writesTheProgramButNoPlan() throws IOException {
    Path out = folder.resolve("out.stow");
    Cli.Result changed = plan("pin-pool{mem-id=2,op=SOFTMAX}", "-o", out.toString());
    assertThat(changed.exit()).isZero();
    assertThat(changed.out()).startsWith("person_detect: the pipeline has run; it makes no plan\n");
    assertThat(Files.readString(out)).contains("pin=2").doesNotContain("placement=");

    Path json = folder.resolve("out.json");
    Cli.Result refused = plan("pin-pool{mem-id=2,op=SOFTMAX}", "-o", json.toString());
    assertThat(refused.exit()).isEqualTo(2);
    assertThat(json).doesNotExist();
    assertThat(plan("pin-pool{mem-id=2,op=SOFTMAX}", "--json").exit()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "--deadline, soon, option-value",
    "--deadline, 5, ''",
    "--threads, 0, option-value",
    "--threads, many, option-value",
    "--print-ir-after, 'plan,plam', unknown-pass",
    "--print-ir-before, all, ''",
  })
  void plan_valuesOfOptions_areChecked(String option, String value, String kind) {
    Cli.Result result = plan("plan{profile=tflm}", "-q", option, value);
    assertThat(result.exit()).isEqualTo(kind.isEmpty() ? 0 : 2);
    if (!kind.isEmpty()) {
      assertThat(result.err()).contains("error[" + kind + "]: " + option + ": ");
    }
  }

  @Test
  void list_onePass_showsAllThatItDeclares() {
    String text = Cli.run("list", "passes", "pin-pool").out();
    assertThat(text)
        .startsWith("pin-pool  ")
        .contains(
            "\nWhere a pipeline has assign-devices, it stands after that: pins go by device.\n",
            "\nCounts tensors pinned.\n",
            "  mem-id=NUMBER: ")
        .doesNotContain("strip-plan");
    Cli.Result none = Cli.run("list", "passes", "pin-pol");
    assertThat(none.exit()).isEqualTo(2);
    assertThat(none.err()).contains("did you mean pin-pool?");
  }
}
