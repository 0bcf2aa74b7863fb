package dev.stowage.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.memmap.ReservedRange;
import dev.stowage.memmap.Target;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConstantBudgetTest {
  /** Activations of 64,512 bytes by the default strategy, and 218,928 bytes of constants. */
  private static final Path MODEL = Path.of("../models/person_detect.tflite");

  private static ConstantBudget budget(Bank... banks) {
    MemoryMap map = MemoryMap.of(ImmutableList.copyOf(banks));
    try (Stowage session = Stowage.open(MODEL)) {
      Answer answer =
          session.target(Target.of("board", "a board", map)).plan().answers().get(0);
      return ((Answer.ProgramPlanned) answer).constants().orElseThrow();
    }
  }

  @Test
  void constants_fillTheBanksInOrderBesideTheTensors() {
    ConstantBudget it =
        budget(
            Bank.builder("sram", 100_000, 1)
                .constants(true)
                .reserved(
                    ImmutableList.of(
                        new ReservedRange(0, 1_000, "boot"), new ReservedRange(90_000, 4_000, "rtos")))
                .build(),
            Bank.builder("dtcm", 500_000, 2).build(),
            Bank.constantsOnly("flash", 150_000).build(),
            Bank.constantsOnly("qspi", 1_000_000).build());
    assertThat(it.bytes()).isEqualTo(218_928);
    // The arena begins with the first range, which ends at 1,008 for alignment, and passes it once.
    assertThat(it.bytesIn("sram")).isEqualTo(100_000 - 65_520 - 4_000);
    assertThat(it.bytesIn("dtcm")).isZero();
    assertThat(it.bytesIn("flash")).isEqualTo(150_000);
    assertThat(it.bytesIn("qspi")).isEqualTo(218_928 - 30_480 - 150_000);
    assertThat(it.leftBytes()).isZero();
  }

  @Test
  void constants_thatFitNowhere_areLeft() {
    ConstantBudget it =
        budget(Bank.builder("sram", 100_000, 1).build(), Bank.constantsOnly("flash", 10_000).build());
    assertThat(it.bytesIn("flash")).isEqualTo(10_000);
    assertThat(it.leftBytes()).isEqualTo(208_928);
  }
}
