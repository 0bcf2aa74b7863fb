package dev.stowage.passes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.ir.Program;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.Planner;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
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
    return catchThrowableOfType(
            DiagnosticException.class, () -> Reproducer.parse("r.stow", text).settings(PLANNER))
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
            ImmutableList.of("a.jar", "dir/b.jar"),
            program,
            Pipeline.parse("t", "x{y=\"line\\nbreak # no comment\"},plan"),
            settings,
            /* checked= */ true,
            "boom\r\nat line 3");

    Reproducer read = Reproducer.parse("r.stow", text(reproducer));

    assertThat(read).isEqualTo(reproducer);
    assertThat(read.failure()).isEqualTo("boom at line 3");
    assertThat(read.checked()).isTrue();
    PlanningSettings again = read.settings(PLANNER);
    assertThat(again.request()).isEqualTo(settings.request());
    assertThat(again.strategy()).isEqualTo(settings.strategy());
    assertThat(again.alignment()).isEqualTo(settings.alignment());
    assertThat(again.capacity()).isEqualTo(settings.capacity());
    assertThat(again.map().orElseThrow().banks()).isEqualTo(settings.map().orElseThrow().banks());
    assertThat(Pipeline.parse("t", read.pipeline()).passes()).hasSize(2);
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
            /* checked= */ false,
            "why");
    Reproducer read = Reproducer.parse("r.stow", text(reproducer));
    assertThat(read.settings(PLANNER).map()).isEmpty();
    assertThat(read.settings(PLANNER).request()).isEqualTo(PlanRequest.DEFAULT);
    assertThat(read.plugins()).isEmpty();
    assertThat(read.checked()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "'program \"p\"', input-syntax, this is no reproducer",
    "'# stowage-reproducer 1\nprogram \"p\"', input-member, '# pipeline: '",
    "'# stowage-reproducer 1\n# pipeline: plan\nprogrm', input-syntax, expected a program",
    "'# stowage-reproducer 1\n# pipeline: plan\n# settings: s{aligment=4}\nprogram \"p\"',"
        + " unknown-option, has no option 'aligment'",
    "'# stowage-reproducer 1\n# pipeline: plan\n# settings: s{banks=[b{name=a}]}\nprogram \"p\"',"
        + " option-value, b needs the option 'mem-id'",
  })
  void parse_illFormed_saysWhereAndWhy(String text, String kind, String message) {
    Diagnostic fault = fault(text);
    assertThat(fault.kind().name()).isEqualTo(kind);
    assertThat(fault.message()).contains(message);
    assertThat(fault.location().source()).startsWith("r.stow");
    assertThat(Kinds.all()).contains(fault.kind());
  }
}
