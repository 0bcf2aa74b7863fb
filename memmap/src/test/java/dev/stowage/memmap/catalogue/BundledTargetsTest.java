package dev.stowage.memmap.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Plugins;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.memmap.Target;
import dev.stowage.memmap.TargetCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BundledTargetsTest {
  private static final TargetCatalog INSTALLED = TargetCatalog.withTargetsOf(Plugins.NONE);

  @Test
  void installed_eachFile_isATargetUnderItsName() throws IOException {
    try (Stream<Path> files =
        Files.list(Path.of("src/main/resources/dev/stowage/memmap/catalogue"))) {
      ImmutableList<String> names =
          files
              .map(file -> file.getFileName().toString().replace(".json", ""))
              .sorted()
              .collect(ImmutableList.toImmutableList());
      assertThat(names).hasSizeGreaterThanOrEqualTo(13);
      assertThat(INSTALLED.all()).extracting(Target::name).isEqualTo(names);
    }
  }

  @Test
  void installed_everyBank_saysWhereItsFiguresComeFrom() {
    for (Target target : INSTALLED.all()) {
      assertThat(target.sources()).as(target.name()).isNotEmpty();
      assertThat(target.map().allBanks())
          .as(target.name())
          .allSatisfy(bank -> assertThat(bank.source()).as(bank.name()).isPresent());
      assertThat(target.map().constantBanks()).as(target.name()).isNotEmpty();
    }
  }

  @Test
  void stm32h743_banks_areThoseOfTheManual() {
    MemoryMap map = INSTALLED.get("stm32h743").map();
    assertThat(map)
        .hasToString(
            "dtcm(mem_id=1, size=131072), axi-sram(mem_id=2, size=524288), sram1(mem_id=3,"
                + " size=131072), sram2(mem_id=4, size=131072), sram3(mem_id=5, size=32768),"
                + " sram4(mem_id=6, size=65536), flash(constants, size=2097152)");
    assertThat(map.bank("axi-sram").baseAddress()).hasValue(0x2400_0000L);
    assertThat(map.constantBanks()).extracting(Bank::name).containsExactly("axi-sram", "flash");
  }

  @Test
  void corstone300_costs_areTimesRelativeToSram() {
    MemoryMap map = INSTALLED.get("corstone-300-ethos-u55").map();
    assertThat(map.bank("sram").readCost()).isEqualTo(Bank.COST_UNIT);
    assertThat(map.bank("ddr").readCost()).isEqualTo(8L * Bank.COST_UNIT);
    assertThat(map.bank("dtcm").attributes()).doesNotContain("npu");
  }
}
