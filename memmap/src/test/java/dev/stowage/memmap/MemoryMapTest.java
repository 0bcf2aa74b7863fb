package dev.stowage.memmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.base.Device;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import java.util.List;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class MemoryMapTest {
  private static final Device NPU = Device.parse("npu:1");
  private static final Bank DTCM = Bank.builder("dtcm", 65_536, 9).alignment(32).build();
  private static final Bank SRAM = Bank.builder("sram", 1, 2).constants(true).build();
  private static final Bank FLASH = Bank.constantsOnly("flash", 4096).build();
  private static final Bank LOCAL = Bank.builder("local", 8, 4).device(NPU).build();
  private static final MemoryMap MAP =
      MemoryMap.builder().add(LOCAL).add(FLASH).add(DTCM).add(SRAM).build();

  private static Diagnostic fault(Bank... banks) {
    return thrown(() -> MemoryMap.of(List.of(banks)));
  }

  private static Diagnostic thrown(ThrowingCallable call) {
    return catchThrowableOfType(DiagnosticException.class, call).diagnostic();
  }

  @Test
  void banks_ofAMap_keepTheirOrderAndLeaveOutConstantsOnly() {
    assertThat(MAP.banks()).containsExactly(LOCAL, DTCM, SRAM);
    assertThat(MAP.memIds()).containsExactly(4, 9, 2);
    assertThat(MAP.constantBanks()).containsExactly(FLASH, SRAM);
    assertThat(MAP.allBanks()).containsExactly(LOCAL, FLASH, DTCM, SRAM);
    assertThat(MAP.devices()).containsExactly(Device.CPU, NPU);
    assertThat(MAP.banksOf(Device.CPU)).containsExactly(DTCM, SRAM);
    assertThat(MAP.banksOf(NPU)).containsExactly(LOCAL);
    assertThat(MAP.banksOf(Device.parse("npu:0"))).isEmpty();
    assertThat(MAP.describe()).isEqualTo("local 8, flash 4KiB, dtcm 64KiB, sram 1");
    assertThat(MAP)
        .hasToString(
            "local(mem_id=4, size=8), flash(constants, size=4096), dtcm(mem_id=9, size=65536),"
                + " sram(mem_id=2, size=1)");
  }

  @Test
  void manages_undeclaredAndConstants_isFalse() {
    assertThat(MAP.manages(9)).isTrue();
    assertThat(MAP.manages(1)).isFalse();
    assertThat(MAP.manages(0)).isFalse();
  }

  @Test
  void bank_declared_isFoundByIdAndByName() {
    assertThat(MAP.bank(2)).isSameAs(SRAM);
    assertThat(MAP.bank("dtcm")).isSameAs(DTCM);
  }

  @Test
  void bank_undeclared_isRefusedWithWhatThereIs() {
    Diagnostic byId = thrown(() -> MAP.bank(1));
    assertThat(byId.kind()).isEqualTo(Kinds.MAP_UNKNOWN_BANK);
    assertThat(byId.message()).isEqualTo("the memory map has no bank with mem_id 1");
    assertThat(byId.help()).isEqualTo("it has " + MAP);
    Diagnostic byName = thrown(() -> MAP.bank("dtmc"));
    assertThat(byName.kind()).isEqualTo(Kinds.MAP_UNKNOWN_BANK);
    assertThat(byName.message()).isEqualTo("the memory map has no bank 'dtmc'");
    assertThat(byName.help()).isEqualTo("did you mean dtcm? possible: local, dtcm, sram");
    assertThat(thrown(() -> MAP.bank("flash")).message())
        .isEqualTo("no tensors are placed in bank 'flash', which holds constants only");
  }

  @Test
  void of_noBanksForTensors_isRefused() {
    assertThat(fault().render())
        .isEqualTo("banks: error[map-empty]: a memory map needs at least one bank");
    assertThat(fault(FLASH).render())
        .isEqualTo(
            "banks: error[map-empty]: a memory map needs at least one bank that does not hold"
                + " constants only");
  }

  @Test
  void of_sameNameOrMemId_isRefusedAtTheSecond() {
    assertThat(fault(bank("a", 1), bank("b", 2), Bank.constantsOnly("a", 8).build()).render())
        .isEqualTo("banks[2].name: error[map-duplicate]: another bank is called 'a'");
    assertThat(fault(bank("a", 4), bank("b", 4)).render())
        .isEqualTo("banks[1].mem_id: error[map-duplicate]: another bank has mem_id 4");
  }

  @Test
  void of_valueOutOfRange_isRefusedAtItsMember() {
    assertFault(it -> it.size(0), "size", "size is 0, but must be 1 or more");
    assertFault(it -> it.size(-7), "size", "size is -7, but must be 1 or more");
    assertFault(it -> it.memId(0), "mem_id", "mem_id is 0, but must be 1 or more");
    assertFault(it -> it.memId(65_536), "mem_id", "mem_id is 65536, but must be from 1 to 65535");
    assertFault(it -> it.alignment(-2), "alignment", "alignment is -2, but must be 1 or more");
    assertFault(
        it -> it.alignment((1 << 30) + 1),
        "alignment",
        "alignment is 1073741825, but must be from 1 to 1073741824");
    assertFault(it -> it.readCost(-1), "read_cost", "read_cost is -1, but must be 0 or more");
    assertFault(it -> it.writeCost(-9), "write_cost", "write_cost is -9, but must be 0 or more");
    assertFault(
        it -> it.maxAllocation(0), "max_allocation", "max_allocation is 0, but must be 1 or more");
    assertFault(
        it -> it.baseAddress(-4), "base_address", "base_address is -4, but must be 0 or more");
    assertFault(
        it -> it.baseAddress(Long.MAX_VALUE - 99),
        "base_address",
        "the address 0x7fffffffffffff9c and the size 100 add up to more than 2^63 - 1");
    assertFault(
        it -> it.attributes(List.of("dma", "No_Word")),
        "attributes",
        "the attribute 'No_Word' is no word in kebab-case, such as dma");
    assertThat(fault(Bank.builder(" ", 1, 1).build()).render())
        .isEqualTo("banks[0].name: error[map-value]: a bank needs a name");
    assertThat(fault(DTCM, Bank.constantsOnly("rom", 1).memId(3).build()).render())
        .isEqualTo(
            "banks[1].mem_id: error[map-value]: mem_id is 3, but a bank that holds constants only"
                + " has none");
  }

  @Test
  void of_valuesAtTheirLimits_areAccepted() {
    assertThat(
            MemoryMap.of(
                    List.of(
                        hundred()
                            .alignment(1 << 30)
                            .memId(65_535)
                            .maxAllocation(1)
                            .baseAddress(Long.MAX_VALUE - 100)
                            .reserved(
                                List.of(
                                    new ReservedRange(90, 10, "b"), new ReservedRange(0, 90, "a")))
                            .build()))
                .memIds())
        .containsExactly(65_535);
    assertThat(MemoryMap.of(List.of(Bank.builder("all", Long.MAX_VALUE, 1).baseAddress(0).build())))
        .hasToString("all(mem_id=1, size=9223372036854775807)");
  }

  @Test
  void of_reservedRange_isRefusedAtItsMember() {
    assertReserved("[0].offset", "offset is -1, but must be 0 or more", range(-1, 8));
    assertReserved("[1].size", "size is 0, but must be 1 or more", range(0, 1), range(1, 0));
    assertReserved("[0].owner", "a reserved range needs an owner", new ReservedRange(0, 1, ""));
    assertOverlap(
        "reserved[0]",
        "the range [93, +8) of boot leaves the bank, which has 100 bytes",
        range(93, 8));
    assertOverlap(
        "reserved[0]",
        "the range [9223372036854775807, +9223372036854775807) of boot leaves the bank, which has"
            + " 100 bytes",
        range(Long.MAX_VALUE, Long.MAX_VALUE));
    assertOverlap(
        "reserved",
        "the ranges [8, +3) of boot and [10, +2) of boot overlap",
        range(10, 2),
        range(8, 3));
  }

  @Test
  void of_banksWithCommonAddresses_areRefusedOnOneDeviceOnly() {
    Bank first = Bank.builder("a", 0x100, 1).baseAddress(0x1000).build();
    Bank second = Bank.builder("b", 0x100, 2).baseAddress(0xfff).build();
    String what = "the bytes 0x1000 to 0x10ff overlap those of bank 'b', 0xfff to 0x10fe";
    Diagnostic fault = fault(first, second);
    assertThat(fault.kind()).isEqualTo(Kinds.MAP_OVERLAP);
    assertThat(fault.location().place()).isEqualTo("banks[0].base_address");
    assertThat(fault.message()).isEqualTo(what);
    Bank behind = second.toBuilder().baseAddress(0x1100).build();
    Bank ofNpu = second.toBuilder().device(NPU).build();
    assertThat(MemoryMap.of(List.of(first, behind)).banks()).containsExactly(first, behind);
    assertThat(MemoryMap.of(List.of(first, ofNpu)).banks()).containsExactly(first, ofNpu);
  }

  @Test
  void of_bankInsideAnother_isRefusedThoughASmallerOneLiesBetween() {
    Bank large = Bank.builder("large", 100, 1).baseAddress(0).build();
    Bank small = Bank.builder("small", 10, 2).baseAddress(10).build();
    Bank far = Bank.builder("far", 10, 3).baseAddress(50).build();
    Diagnostic fault = fault(large, small, far);
    assertThat(fault.location().place()).isEqualTo("banks[1].base_address");
    assertThat(fault.notes())
        .containsExactly(
            "also: banks[2].base_address: the bytes 0x32 to 0x3b overlap those of bank 'large',"
                + " 0x0 to 0x63");
  }

  @Test
  void of_severalFaults_namesThemAllAtOnce() {
    Diagnostic fault =
        fault(Bank.builder("a", 0, -1).alignment(-2).build(), Bank.builder("a", -3, -1).build());
    assertThat(fault.render())
        .isEqualTo(
            """
            banks[1].name: error[map-duplicate]: another bank is called 'a'
              note: also: banks[1].mem_id: another bank has mem_id -1
              note: also: banks[0].size: size is 0, but must be 1 or more
              note: also: banks[0].alignment: alignment is -2, but must be 1 or more
              note: also: banks[0].mem_id: mem_id is -1, but must be 1 or more
              note: also: banks[1].size: size is -3, but must be 1 or more
              note: also: banks[1].mem_id: mem_id is -1, but must be 1 or more\
            """);
  }

  @Test
  void equals_eachField_counts() {
    List<UnaryOperator<Bank.Builder>> changes =
        List.of(
            it -> it.size(99),
            it -> it.memId(2),
            it -> it.alignment(2),
            it -> it.device(NPU),
            it -> it.baseAddress(0),
            it -> it.readCost(1),
            it -> it.writeCost(1),
            it -> it.attributes(List.of("dma")),
            it -> it.reserved(List.of(range(0, 1))),
            it -> it.maxAllocation(1),
            it -> it.constants(true),
            it -> it.section(".a"),
            it -> it.source("here"));
    Bank bank = hundred().build();
    assertThat(bank.toBuilder().build()).isEqualTo(bank).hasSameHashCodeAs(bank);
    for (UnaryOperator<Bank.Builder> change : changes) {
      Bank changed = change.apply(bank.toBuilder()).build();
      assertThat(changed).isNotEqualTo(bank);
      assertThat(changed.toBuilder().build()).isEqualTo(changed);
    }
  }

  @Test
  void build_builderThatGoesOn_leavesTheBankAsItIs() {
    Bank.Builder builder = hundred();
    Bank bank = builder.build();
    builder.size(7);
    assertThat(bank.sizeBytes()).isEqualTo(100);
  }

  private static Bank bank(String name, int memId) {
    return Bank.builder(name, 8, memId).build();
  }

  private static Bank.Builder hundred() {
    return Bank.builder("a", 100, 1);
  }

  private static ReservedRange range(long offset, long size) {
    return new ReservedRange(offset, size, "boot");
  }

  private static void assertFault(
      UnaryOperator<Bank.Builder> change, String member, String message) {
    assertFault(Kinds.MAP_VALUE, change.apply(hundred()).build(), member, message);
  }

  private static void assertReserved(String member, String message, ReservedRange... ranges) {
    Bank bank = hundred().reserved(List.of(ranges)).build();
    assertFault(Kinds.MAP_VALUE, bank, "reserved" + member, message);
  }

  private static void assertOverlap(String member, String message, ReservedRange... ranges) {
    Bank bank = hundred().reserved(List.of(ranges)).build();
    assertFault(Kinds.MAP_OVERLAP, bank, member, message);
  }

  private static void assertFault(DiagnosticKind kind, Bank bank, String member, String message) {
    Diagnostic fault = fault(bank);
    assertThat(fault.kind()).isEqualTo(kind);
    assertThat(fault.location().place()).isEqualTo("banks[0]." + member);
    assertThat(fault.message()).isEqualTo(message);
    assertThat(fault.notes()).isEmpty();
  }
}
