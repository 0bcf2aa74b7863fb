package dev.stowage.memmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryMapTest {
  private static Diagnostic fault(Bank... banks) {
    return catchThrowableOfType(DiagnosticException.class, () -> MemoryMap.of(List.of(banks)))
        .diagnostic();
  }

  @Test
  void of_banks_keepsTheirOrderWhateverTheirMemIds() {
    Bank fast = new Bank("dtcm", 65_536, 9, 32);
    Bank slow = new Bank("sram", 1, 2, 0);
    assertThat(MemoryMap.of(List.of(fast, slow)).banks()).containsExactly(fast, slow);
  }

  @Test
  void of_noBanks_isRefused() {
    Diagnostic fault = fault();
    assertThat(fault.kind()).isEqualTo(Kinds.MAP_EMPTY);
    assertThat(fault.message()).isEqualTo("a memory map needs at least one bank");
  }

  @Test
  void of_sameName_isRefusedAtTheSecond() {
    Diagnostic fault =
        fault(new Bank("a", 8, 1, 0), new Bank("b", 8, 2, 0), new Bank("a", 8, 3, 0));
    assertThat(fault.kind()).isEqualTo(Kinds.MAP_DUPLICATE);
    assertThat(fault.location().place()).isEqualTo("banks[2]");
    assertThat(fault.message()).isEqualTo("another bank is called 'a'");
    assertThat(fault.notes()).isEmpty();
  }

  @Test
  void of_sameMemId_isRefusedAtTheSecond() {
    Diagnostic fault = fault(new Bank("a", 8, 4, 0), new Bank("b", 8, 4, 0));
    assertThat(fault.kind()).isEqualTo(Kinds.MAP_DUPLICATE);
    assertThat(fault.location().place()).isEqualTo("banks[1]");
    assertThat(fault.message()).isEqualTo("another bank has mem_id 4");
  }

  @Test
  void of_numbersBelowOne_areRefusedByName() {
    assertValue(new Bank("a", 0, 1, 0), "size is 0, but must be 1 or more");
    assertValue(new Bank("a", -7, 1, 0), "size is -7, but must be 1 or more");
    assertValue(new Bank("a", 8, 0, 0), "mem_id is 0, but must be 1 or more");
    assertValue(new Bank("a", 8, 1, -2), "alignment is -2, but must be 1 or more");
  }

  private static void assertValue(Bank bank, String message) {
    Diagnostic fault = fault(bank);
    assertThat(fault.kind()).isEqualTo(Kinds.MAP_VALUE);
    assertThat(fault.message()).isEqualTo(message);
    assertThat(fault.location().place()).isEqualTo("banks[0]");
  }

  @Test
  void of_severalFaults_namesThemAllAtOnce() {
    Diagnostic fault = fault(new Bank("a", 0, -1, -2), new Bank("a", -3, -1, 0));
    assertThat(fault.kind()).isEqualTo(Kinds.MAP_VALUE);
    assertThat(fault.message()).isEqualTo("size is 0, but must be 1 or more");
    assertThat(fault.notes())
        .containsExactly(
            "also: banks[0]: mem_id is -1, but must be 1 or more",
            "also: banks[0]: alignment is -2, but must be 1 or more",
            "also: banks[1]: another bank is called 'a'",
            "also: banks[1]: another bank has mem_id -1",
            "also: banks[1]: size is -3, but must be 1 or more",
            "also: banks[1]: mem_id is -1, but must be 1 or more");
  }
}
