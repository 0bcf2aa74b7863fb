package dev.stowage.passes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.ir.Program;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.passes.planning.PlanPass;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.Planner;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReproducerTest {
  private static final Planner PLANNER = Planner.withInstalledStrategies();

  private final Program program = Texts.program("", "%0 : u8[64] = input\n output(%0)");

  private static String text(Reproducer reproducer) throws IOException {
    StringBuilder text = new StringBuilder();
    reproducer.write(text);
    return text.toString();
  }

  private static Diagnostic fault(String text) {
    PassManager manager = new PassManager(List.of(new PlanPass()));
    return catchThrowableOfType(
            DiagnosticException.class, () -> Reproducer.parse("r.stow", text).pipeline(manager))
        .diagnostic();
  }

  @Test
  void parse_whatWasWritten_isTheSame() throws IOException {
    PlanningSettings settings =
        new PlanningSettings(
            PLANNER,
            PlanRequest.DEFAULT.withStrategy(Call.parse("t", "naive")).withAlignment(4),
            Optional.of(
                MemoryMap.of(
                    ImmutableList.of(
                        Bank.builder("fast one", 4096, 2).alignment(32).build(),
                        Bank.builder("sram", 1L << 40, 5).build()))),
            Optional.of(Call.parse("t", "greedy{overlap=false}")),
            OptionalInt.of(64),
            OptionalLong.of(0));
    Reproducer reproducer =
        Reproducer.of(
            "1.2",
            ImmutableList.of("a.jar", "dir, with blanks/b\n.jar"),
            program,
            Pipeline.parse("t", "x{y=\"line\\nbreak # no comment\"},plan"),
            settings,
            RunOptions.DEFAULT
                .withChecks()
                .withDeadline(Deadline.after(Duration.ofNanos(1_500_001))),
            ImmutableMap.of("a \"b\"\n.json", "{\r\n\n# x\n#|\n", "empty", "", "none\n", "\n"),
            "boom\r\nat line 3");

    Reproducer read = Reproducer.parse("r.stow", text(reproducer));

    assertThat(read).isEqualTo(reproducer);
    assertThat(read.failure()).isEqualTo("boom at line 3");
    assertThat(read.checked()).isTrue();
    assertThat(read.deadline()).hasValue(Duration.ofNanos(1_500_001));
    PlanningSettings again = read.settings(PLANNER);
    assertThat(again.request()).isEqualTo(settings.request());
    assertThat(again.strategy()).isEqualTo(settings.strategy());
    assertThat(again.alignment()).isEqualTo(settings.alignment());
    assertThat(again.capacity()).isEqualTo(settings.capacity());
    assertThat(again.map().orElseThrow().banks()).isEqualTo(settings.map().orElseThrow().banks());
    assertThat(read.pipeline().passes()).hasSize(2);
  }

  @Test
  void parse_nothingAskedFor_isTheDefault() throws IOException {
    Reproducer reproducer =
        Reproducer.of(
            "1.2",
            ImmutableList.of(),
            program,
            Pipeline.parse("t", "plan"),
            Texts.SETTINGS,
            RunOptions.DEFAULT,
            ImmutableMap.of(),
            "why");
    Reproducer read = Reproducer.parse("r.stow", text(reproducer));
    assertThat(read.settings(PLANNER).map()).isEmpty();
    assertThat(read.settings(PLANNER).request()).isEqualTo(PlanRequest.DEFAULT);
    assertThat(read.plugins()).isEmpty();
    assertThat(read.checked()).isFalse();
    assertThat(read.deadline()).isEmpty();
    assertThat(read.files()).isEmpty();
  }

  /** A reproducer of which some line is another one; without it if that is empty. */
  private static String with(String line, String other) {
    String whole =
        """
        # stowage-reproducer 1
        # version: 1.2
        # plugin: "a.jar"
        # pipeline: plan
        # settings: settings
        # failure: why
        # file: "rules"
        #|{}

        program "p"
        """;
    String old = whole.lines().filter(it -> it.startsWith(line)).findFirst().orElseThrow();
    return whole.replace(old + "\n", other.isEmpty() ? "" : other + "\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "program                |                        | 10:1 | input-syntax | expected a"
            + " program",
        "program                | programm               | 10:1 | input-syntax | expected a"
            + " program",
        "# stowage              | program                | 1:1  | input-syntax | no reproducer",
        "# stowage              | # stowage-reproducer   | 1:1  | input-syntax | no reproducer",
        "# stowage              | # stowage-reproducer 12| 1:1  | input-unsupported | form '12'",
        "# stowage              | # stowage-reproducer 1x| 1:1  | input-unsupported | form '1x'",
        "# version              |                        | 1:1  | input-member | '# version: ...'",
        "# pipeline             |                        | 1:1  | input-member | '# pipeline: ...'",
        "# settings             |                        | 1:1  | input-member | '# settings: ...'",
        "# failure              |                        | 1:1  | input-member | '# failure: ...'",
        "# plugin               | # version: 1.3         | 3:3  | input-member | a second line",
        "# plugin               | # plugins: a           | 3:1  | input-member | no such line",
        "# plugin               | # a remark             | 3:1  | input-member | no such line",
        "# plugin               | # plugin: a.jar        | 3:11 | input-syntax | expected '\"'",
        "# plugin               | # plugin: \"a\" b     | 3:15 | input-syntax | nothing may follow",
        "# plugin               | # file: \"rules\"\\n#_x | 8:9 | input-member | is there twice",
        "# plugin               | #_x                    | 3:1  | input-syntax | of no file",
        "# pipeline             | # pipeline: plan,      | 4:18 | input-syntax | expected a name",
        "# pipeline             | # pipeline:            | 4:12 | input-syntax | is empty",
        "# pipeline             | # pipeline: plan{a=1,a=2} | 4:22 | input-syntax | is set twice",
        "# pipeline             | # pipeline: plam       | 4:13 | input-reference | called 'plam'",
        "# pipeline             | # pipeline: plan{x=1}  | 4:18 | input-member | no option 'x'",
        "# pipeline             | # pipeline: plan{alignment=0} | 4:28 | input-member | is below 1",
        "# pipeline             | # pipeline: plan{profile=x} | 4:26 | input-reference | 'x'",
        "# pipeline             | # pipeline: graph(plan) | 4:19 | input-syntax | cannot stand in",
        "# settings             | # settings: set{}      | 5:13 | input-syntax | expected"
            + " settings{...}",
        "# settings             | # settings: settings x | 5:22 | input-syntax | nothing may"
            + " follow",
        "# settings             | # settings: settings{aligment=4} | 5:22 | input-member |"
            + " 'aligment'",
        "# settings             | # settings: settings{deadline=5s} | 5:31 | input-member |"
            + " duration",
        "# settings             | # settings: settings{target=b} | 5:29 | input-syntax | line 1",
        "# settings             | # settings: settings{target=\"{}\"} | 5:29 | input-member |"
            + " 'name' is missing",
        "# settings             | # settings: settings{target=\"{\\\"name\\\":\\\"a\\\",\\\"extends\\\":"
            + "\\\"b\\\"}\"} | 5:29 | map-extends | extends none",
      })
  void parse_illFormed_saysWhereAndWhy(
      String line, @Nullable String other, String place, String kind, String message) {
    String given = other == null ? "" : other.replace("\\n", "\n").replace("#_", "#|");
    String text = with(line, given);
    for (String each : List.of(text, text.replace("\n", "\r\n"))) {
      Diagnostic fault = fault(each);
      assertThat(fault.kind().name()).isEqualTo(kind);
      assertThat(fault.message()).contains(message);
      assertThat(fault.location().toString()).isEqualTo("r.stow:" + place);
      assertThat(Kinds.all()).contains(fault.kind());
    }
  }
}
