package dev.stowage.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ObjectArrays;
import dev.stowage.passes.Pass;
import dev.stowage.planning.PlanningStrategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

  /** Not even an interrupt ends it; a thread that is left behind takes no time of other tests. */
  private static final String WAIT =
      "Thread.interrupted(); java.util.concurrent.locks.LockSupport.park();";

  /** A strategy that puts everything at offset 0. */
  private static final String OVERLAPS =
      """
      package acme;

      import dev.stowage.planning.*;

      public final class Overlaps implements PlanningStrategy {
        @Override public StrategySpec spec() {
          return StrategySpec.named("acme-overlaps").summary("for tests").build();
        }

        @Override public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
          MemoryPlan.Builder plan = MemoryPlan.builder(problem);
          for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
            plan.place(buffer, 0, 0);
          }
          return PlanningOutcome.planned(plan.build());
        }
      }
      """;

  private static final String PROGRAM =
      """
      program "p"
      method @m {
        graph @main {
          %0 : u8[16] = input
          %1 : u8[16] = relu(%0)
          %2 : u8[16] = add(%0, %1)
          output(%2)
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
            .source(pass("Loop", "while (true) { " + WAIT + " }"))
            .source(pass("Crash", "throw new IllegalStateException(\"boom\");"))
            .source(pass("Exhaust", "throw new OutOfMemoryError(\"heap\");"))
            .source(
                pass(
                    "Odd",
                    "throw dev.stowage.base.Diagnostic.of(dev.stowage.base.Kinds.INPUT_VALUE,"
                        + " \"odd\").asException();"))
            .source(OVERLAPS)
            .provides(PlanningStrategy.class, "acme.Overlaps")
            .source(pass("Lie", "return dev.stowage.ir.memory.MemoryKeys.withoutPlan(method);"))
            .provides(
                Pass.class,
                "acme.DoesNull",
                "acme.DoesLoop",
                "acme.DoesCrash",
                "acme.DoesExhaust",
                "acme.DoesOdd",
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
        .contains("\n# plugin: \"" + bad + "\"\n", "\nprogram \"person_detect\"\n");

    Cli.Result again = Cli.run("run-reproducer", record, "--plugin", bad);
    assertThat(again.exit()).isEqualTo(5);
    assertThat(again.err()).contains(why, "it was run with --plugin " + bad);
  }

  @Test
  void plan_passThatLoopsForEver_endsAtTheDeadline() {
    Cli.Result late = plan("acme-loop,plan", "--plugin", bad, "--deadline", "200ms");
    assertThat(late.exit()).isEqualTo(6);
    assertThat(late.err())
        .contains("error[deadline]: pass 'acme-loop' from " + bad + " did not end within 0.2 s");
  }

  @Test
  void runReproducer_recordOfWrongInput_failsAsItFailed() throws IOException {
    String record = folder.resolve("failure.stow").toString();
    Cli.Result failed = plan("verify", "--reproducer", record);
    assertThat(failed.exit()).isEqualTo(2);
    Cli.Result again = Cli.run("run-reproducer", record, "-q");
    assertThat(again.exit()).isEqualTo(2);
    assertThat(again.err())
        .startsWith(record + ":3:13: error[misplaced-pass]: verify requires ")
        .contains("\n  note: # pipeline: verify\n                    ^^^^^^\n");
  }

  @Test
  void runReproducer_nothingFails_saysSo() throws IOException {
    Path record = folder.resolve("fine.stow");
    Files.writeString(
        record,
        """
        # stowage-reproducer 1
        # version: 0
        # pipeline: pin-pool{mem-id=3,op=none},plan
        # settings: settings
        # failure: it was mended
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

  private String model() throws IOException {
    return Files.writeString(folder.resolve("model.stow"), PROGRAM).toString();
  }

  @Test
  void plan_reproducerThatIsAnInputOrOtherOutput_isRefused() throws IOException {
    String model = model();
    String pipeline = Files.writeString(folder.resolve("pipeline.txt"), "plan").toString();
    String out = folder.resolve("out.json").toString();
    String[] plan = {"plan", model, "--pipeline", "@" + pipeline, "--plugin", bad, "-o", out};
    for (String input : List.of(model, folder + "/./model.stow", pipeline, bad)) {
      Cli.Result refused =
          Cli.run(ObjectArrays.concat(plan, new String[] {"--reproducer", input}, String.class));
      assertThat(refused.exit()).isEqualTo(2);
      assertThat(refused.err()).contains("the output '" + input + "' is also an input");
    }
    Cli.Result both =
        Cli.run(ObjectArrays.concat(plan, new String[] {"--reproducer", out}, String.class));
    assertThat(both.exit()).isEqualTo(2);
    assertThat(both.err()).contains("two outputs would be written to '" + out + "'");
    for (String none : List.of("-", "")) {
      Cli.Result refused = Cli.run("plan", model, "--reproducer", none);
      assertThat(refused.exit()).isEqualTo(2);
      assertThat(refused.err()).contains("error[option-value]: --reproducer: '" + none + "'");
    }
    assertThat(Files.readString(Path.of(model))).isEqualTo(PROGRAM);
    assertThat(Path.of(out)).doesNotExist();
  }

  @Test
  void plan_reproducerThatIsAFileOfRules_isNotWritten() throws IOException {
    String rules = folder.resolve("rules.json").toString();
    Files.writeString(Path.of(rules), "{\"rules\": []}");
    Cli.Result failed =
        run(
            "plan",
            model(),
            "--pipeline",
            "pin-pool{rules=\"" + rules + "\"},acme-crash",
            "--plugin",
            bad,
            "--reproducer",
            rules);
    assertThat(failed.exit()).isEqualTo(5);
    assertThat(failed.err()).contains("not recorded: '" + rules + "' is an input");
    assertThat(Files.readString(Path.of(rules))).isEqualTo("{\"rules\": []}");
  }

  @Test
  void plan_severalFailures_theFirstIsRecorded() throws IOException {
    String one = model();
    String other = folder.resolve("other.stow").toString();
    Files.writeString(Path.of(other), PROGRAM.replace("\"p\"", "\"q\""));
    String record = folder.resolve("failure.stow").toString();
    Cli.Result failed =
        Cli.run("plan", one, other, one, "--capacity", "11", "--reproducer", record);
    assertThat(failed.exit()).isEqualTo(1);
    assertThat(failed.err())
        .containsOnlyOnce("the failure is recorded in " + record)
        .containsOnlyOnce("further failures are not recorded, only the first");
    assertThat(Files.readString(Path.of(record))).contains("\nprogram \"p\"\n");
  }

  /** Failures that are no exceptions: no plan, or one with an error. */
  @ParameterizedTest
  @CsvSource({
    "--capacity, 11, error[unplaceable]: ",
    "--strategy, acme-overlaps, 'error[verification]: the verifier found '",
  })
  void runReproducer_recordOfAPlanThatFailed_failsAsItFailed(
      String option, String value, String error) throws IOException {
    String model = model();
    String record = folder.resolve("failure.stow").toString();
    Cli.Result failed = run("plan", model, option, value, "--plugin", bad, "--reproducer", record);
    assertThat(failed.exit()).isEqualTo(1);
    assertThat(failed.err()).contains(error);
    Cli.Result again = Cli.run("run-reproducer", record, "--plugin", bad);
    assertThat(again.exit()).isEqualTo(1);
    assertThat(again.err()).contains(error);
    assertThat(again.out()).isEmpty();
    // Unasked for, only what is a defect of a pass is recorded.
    assertThat(run("plan", model, option, value, "--plugin", bad).err()).doesNotContain("recorded");
  }

  @Test
  void runReproducer_filesThatThePassesRead_areInTheRecord() throws IOException {
    Path rules = folder.resolve("rules.json");
    Files.writeString(rules, "{\"rules\": [\n  {\"mem_id\": 2},\n {\"mem_id\": 3}]}\n");
    String record = folder.resolve("failure.stow").toString();
    String pipeline = "pin-pool{rules=\"" + rules + "\"},plan";
    Cli.Result failed = run("plan", model(), "--pipeline", pipeline, "--reproducer", record);
    assertThat(failed.exit()).isEqualTo(1);
    assertThat(failed.err()).contains("error[pin-conflict]: ");
    Files.delete(rules);
    Cli.Result again = Cli.run("run-reproducer", record, "-q");
    assertThat(again.exit()).isEqualTo(1);
    assertThat(failed.err()).contains(again.err());
  }

  @Test
  void runReproducer_deadline_isThatOfTheRecord() throws IOException {
    String record = folder.resolve("failure.stow").toString();
    Cli.Result late =
        plan("acme-loop", "--plugin", bad, "--deadline", "200ms", "--reproducer", record);
    assertThat(late.exit()).isEqualTo(6);
    Cli.Result again = Cli.run("run-reproducer", record, "--plugin", bad);
    assertThat(again.exit()).isEqualTo(6);
    assertThat(again.err()).contains("error[deadline]: ", "did not end within 0.2 s");
    Cli.Result other = Cli.run("run-reproducer", record, "--plugin", bad, "--deadline", "300ms");
    assertThat(other.err()).contains(" did not end within 0.3 s");
    Cli.Result without = Cli.run("run-reproducer", record);
    assertThat(without.exit()).isEqualTo(3);
    assertThat(without.err())
        .contains(":4:13: error[input-reference]: there is no pass called 'acme-loop'");
  }

  @Test
  void plan_strategyThatLoopsForEver_isNamedWithItsJar() throws IOException {
    String jar =
        PluginJar.at(folder.resolve("loop.jar"))
            .source(
                OVERLAPS
                    .replace("acme-overlaps", "acme-endless")
                    .replace("buffer < problem.bufferCount()", "buffer >= 0")
                    .replace("plan.place(buffer, 0, 0);", "buffer = 0; " + WAIT))
            .provides(PlanningStrategy.class, "acme.Overlaps")
            .write();
    String[] asked = {"--plugin", jar, "--strategy", "acme-endless", "--deadline", "20ms"};
    String problem = folder.resolve("problem.csv").toString();
    Files.writeString(Path.of(problem), "id,lower,upper,size\na,0,2,4\n");
    for (String input : List.of(model(), problem)) {
      Cli.Result late =
          Cli.run(ObjectArrays.concat(new String[] {"plan", input}, asked, String.class));
      assertThat(late.exit()).isEqualTo(6);
      assertThat(late.err())
          .contains(
              "error[deadline]: strategy 'acme-endless' from "
                  + jar
                  + " did not end within 0.02 s");
    }
  }

  @Test
  void plan_errorThatAPassOfAPluginReports_saysWhoReportsIt() throws IOException {
    Cli.Result odd = run("plan", model(), "--pipeline", "acme-odd,plan", "--plugin", bad);
    assertThat(odd.exit()).isEqualTo(3);
    assertThat(odd.err())
        .contains("error[input-value]: odd\n  note: reported by pass 'acme-odd' from " + bad);
  }

  @Test
  void plan_methodThatCannotBePlanned_isNoWarningOfVerify() throws IOException {
    Cli.Result failed = run("plan", model(), "--pipeline", "plan,verify", "--capacity", "11");
    assertThat(failed.exit()).isEqualTo(1);
    assertThat(failed.err()).contains("error[unplaceable]").doesNotContain("warning");
  }

  @ParameterizedTest
  @CsvSource({
    "--pipeline, @, 2, '--pipeline: ''@'' does not name a file'",
    "--pipeline, @-, 2, '--pipeline: ''@-'' does not name a file'",
    "--plugin, '', 2, is no file",
    "--pipeline, pin-pool{rules=nofile}, 3, 'option ''rules'': ''nofile'' does not exist'",
  })
  void plan_fileOfAnOptionThatIsNone_namesTheOption(
      String option, String value, int exit, String message) throws IOException {
    Cli.Result refused = Cli.run("plan", model(), option, value);
    assertThat(refused.exit()).isEqualTo(exit);
    assertThat(refused.err()).contains(option + ":", message);
  }

  @Test
  void list_nameInAnEmptyList_saysThatThereAreNone() {
    Cli.Result none = Cli.run("list", "allocators", "x");
    assertThat(none.exit()).isEqualTo(2);
    assertThat(none.err()).contains("there are none; ").doesNotContain("possible:");
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
        file,
        "\uFEFF# first\nmethod(pin-pool{mem-id=2, op=SOFTMAX}), # then\nplan{profile=tflm}\n");
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
