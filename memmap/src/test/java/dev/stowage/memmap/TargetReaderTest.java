package dev.stowage.memmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Device;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.io.Source;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TargetReaderTest {
  private static final Bank DTCM =
      Bank.builder("dtcm", 131_072, 1)
          .baseAddress(0x2000_0000)
          .attributes(List.of("tightly-coupled"))
          .build();
  private static final Bank SRAM =
      Bank.builder("sram", 524_288, 2)
          .alignment(32)
          .attributes(List.of("dma", "cacheable"))
          .build();
  private static final Bank FLASH = Bank.constantsOnly("flash", 1 << 20).build();

  private static final TargetCatalog CATALOG =
      new TargetCatalog(
          List.of(
              () ->
                  ImmutableList.of(
                      Target.builder("acme-m7", "an M7", MemoryMap.of(List.of(DTCM, SRAM, FLASH)))
                          .operatorRules(
                              List.of(
                                  rule("dma", ImmutableSet.of("dma"), ImmutableSet.of()),
                                  rule("conv", ImmutableSet.of(), ImmutableSet.of("dtcm"))))
                          .sources(List.of("the manual"))
                          .build())));

  private static OperatorRule rule(
      String op, ImmutableSet<String> requires, ImmutableSet<String> notBanks) {
    return new OperatorRule(op, OperatorRule.Operands.ALL, requires, notBanks, 0, 0, "");
  }

  private static Target read(String json) {
    try (Source source = Source.of("t.json", json.getBytes(StandardCharsets.UTF_8))) {
      return TargetReader.read(source, CATALOG::get);
    }
  }

  private static String error(String json) {
    return catchThrowableOfType(DiagnosticException.class, () -> read(json)).diagnostic().render();
  }

  /** The error of a file with one bank that has these members. */
  private static String bankError(String members) {
    return error("{\"name\":\"x\",\"banks\":[{" + members + "}]}");
  }

  @Test
  void read_everyMember_isKept() {
    Target target =
        read(
            """
            {
              "name": "acme-npu", "description": "two banks", "sources": ["a", "b"],
              "banks": [
                {"name": "local", "size": "12 KiB", "mem_id": 7, "alignment": 24, "device": "NPU:1",
                 "read_cost": 0.5, "write_cost": 12e-1, "section": ".local", "base_address": 4096,
                 "attributes": ["dma", "odd-word"], "max_allocation": "1 KiB", "constants": true,
                 "reserved": [{"offset": "1 KiB", "size": 16, "owner": "boot"}], "source": "p. 9"},
                {"name": "rom", "size": 9, "base_address": "0x2000", "constants": "only"},
                {"name": "plain", "size": 1, "mem_id": 1, "alignment": null, "section": null}
              ],
              "operator_rules": [
                {"op": "conv*", "on": "inputs", "requires": ["dma"], "not_banks": ["plain"],
                 "alignment": 3, "over_read": "1 KiB", "reason": "it reads ahead"},
                {"op": "*", "over_read": 1}
              ]
            }
            """);
    assertThat(target.name()).isEqualTo("acme-npu");
    assertThat(target.summary()).isEqualTo("two banks");
    assertThat(target.sources()).containsExactly("a", "b");
    assertThat(target.map().allBanks())
        .containsExactly(
            Bank.builder("local", 12_288, 7)
                .alignment(24)
                .device(new Device("NPU", 1))
                .readCost(500_000)
                .writeCost(1_200_000)
                .section(".local")
                .baseAddress(4096)
                .attributes(List.of("dma", "odd-word"))
                .maxAllocation(1024)
                .constants(true)
                .reserved(List.of(new ReservedRange(1024, 16, "boot")))
                .source("p. 9")
                .build(),
            Bank.constantsOnly("rom", 9).baseAddress(0x2000).build(),
            Bank.builder("plain", 1, 1).build());
    assertThat(target.operatorRules())
        .containsExactly(
            new OperatorRule(
                "conv*",
                OperatorRule.Operands.INPUTS,
                ImmutableSet.of("dma"),
                ImmutableSet.of("plain"),
                3,
                1024,
                "it reads ahead"),
            new OperatorRule(
                "*", OperatorRule.Operands.ALL, ImmutableSet.of(), ImmutableSet.of(), 0, 1, ""));
  }

  @Test
  void read_noDescription_listsTheBanks() {
    assertThat(read("{\"name\":\"x\",\"banks\":[{\"name\":\"a\",\"size\":2048,\"mem_id\":1}]}"))
        .extracting(Target::summary)
        .isEqualTo("a 2KiB");
  }

  @Test
  void read_severalFaults_namesThemAllWithLineAndMember() {
    assertThat(
            error(
                """
                {
                  "name": "Board",
                  "banks": [
                    {"name": "a", "size": "12 KiBs", "mem_id": 1, "alignment": -2,
                     "base_address": "0x10", "colour": 3},
                    {"name": "b", "size": 9223372036854775808, "mem_id": 1,
                     "read_cost": -0.5,
                     "reserved": [{"offset": 0, "size": true}]},
                    {"name": "a", "size": -1, "mem_id": 0}
                  ],
                  "operator_rules": [{"op": "", "requires": [3], "alignment": 0}],
                  "sourses": []
                }
                """))
        .isEqualTo(
            """
            t.json:line 2, name: error[input-value]: the name 'Board' is not in kebab-case (write lower-case letters and digits, with hyphens between words)
              note: also: line 4, banks[0].size: unknown unit 'KiBs' (one of B, KiB, MiB, GiB, TiB, kB, MB, GB, TB)
              note: also: line 5, banks[0].colour: unknown member 'colour' (possible: name, size, mem_id, alignment, device, base_address, read_cost, write_cost, attributes, reserved, max_allocation, constants, section, source, remove)
              note: also: line 6, banks[1].size: 9223372036854775808 is above 2^63 - 1
              note: also: line 7, banks[1].read_cost: -0.5 is out of range: it must be 0 or more
              note: also: line 8, banks[1].reserved[0].size: expected a whole number but found true
              note: also: line 8, banks[1].reserved[0]: the member 'owner' is missing
              note: also: line 11, operator_rules[0].op: the rule names no operators (write * for all)
              note: also: line 11, operator_rules[0].requires[0]: expected a text but found 3
              note: also: line 11, operator_rules[0].alignment: 0 is out of range: it must be from 1 to 1073741824
              note: also: line 12, sourses: unknown member 'sourses' (did you mean sources? possible: name, description, extends, sources, banks, operator_rules)
              note: also: line 9, banks[2].name: another bank is called 'a'
              note: also: line 6, banks[1].mem_id: another bank has mem_id 1
              note: also: line 4, banks[0].alignment: alignment is -2, but must be 1 or more
              note: also: line 9, banks[2].size: size is -1, but must be 1 or more
              note: also: line 9, banks[2].mem_id: mem_id is 0, but must be 1 or more\
            """);
  }

  @Test
  void read_textThatBreaksOff_alsoNamesWhatWasFoundBefore() {
    assertThat(error("{\"name\":3,\"banks\":[{\"read_cost\":NaN"))
        .startsWith(
            "t.json:line 1, name: error[input-member]: expected a text but found 3\n"
                + "  note: also: line 1, banks[0].read_cost: not well-formed JSON: ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}                       | name        | input-member | the member 'name' is missing",
        "{\"name\":\"x\"}         | banks       | input-member | the member 'banks' is missing",
        "{\"name\":\"x\",\"banks\":[]} | line 1, banks | map-empty | a memory map needs at least"
            + " one bank",
        "{\"name\":\"x\",\"banks\":{}} | line 1, banks | input-member | expected a list but found"
            + " an object",
        "{\"name\":\"x\",\"banks\":[3]} | line 1, banks[0] | input-member | expected an object but"
            + " found 3",
        "{\"name\":\"x\",\"description\":\" \",\"extends\":\"acme-m7\"} | line 1, description |"
            + " input-value | the description is empty",
        "[]                       | line 1      | input-member | expected an object but found a"
            + " list",
      })
  void read_badDocument_saysWhatAndWhere(String json, String place, String kind, String message) {
    assertThat(error(json)).startsWith("t.json:" + place + ": error[" + kind + "]: " + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"size\":1,\"mem_id\":1 |  | input-member | the member 'name' is missing",
        "\"name\":\"a\",\"mem_id\":1 |  | input-member | the member 'size' is missing",
        "\"name\":\"a\",\"size\":1 |  | input-member | the member 'mem_id' is missing",
        "\"name\":null,\"size\":1,\"mem_id\":1 | .name | input-member | expected a text but found"
            + " null",
        "\"name\":\"a\",\"size\":0,\"mem_id\":1 | .size | map-value | size is 0, but must be 1 or"
            + " more",
        "\"name\":\"a\",\"size\":1.5,\"mem_id\":1 | .size | input-value | 1.5 is no whole number",
        "\"name\":\"a\",\"size\":\"-4\",\"mem_id\":1 | .size | input-value | not a size in bytes:"
            + " '-4'",
        "\"name\":\"a\",\"size\":1,\"mem_id\":65536 | .mem_id | map-value | mem_id is 65536, but"
            + " must be from 1 to 65535",
        "\"name\":\"a\",\"size\":1,\"mem_id\":1,\"alignment\":0 | .alignment | map-value |"
            + " alignment is 0, but must be 1 or more",
        "\"name\":\"a\",\"size\":1,\"mem_id\":1,\"device\":\"a b\" | .device | input-member | not a"
            + " device (type or type:index): a b",
        "\"name\":\"a\",\"size\":1,\"mem_id\":1,\"base_address\":\"2000\" | .base_address |"
            + " input-value | not an address: '2000'",
        "\"name\":\"a\",\"size\":1,\"mem_id\":1,\"base_address\":\"0xffffffffffffffff\" |"
            + " .base_address | input-value | 0xffffffffffffffff is above 2^63 - 1",
        "\"name\":\"a\",\"size\":9,\"mem_id\":1,\"base_address\":\"0x7fffffffffffffff\" |"
            + " .base_address | map-value | the address 0x7fffffffffffffff and the size 9 add up to"
            + " more than 2^63 - 1",
        "\"name\":\"a\",\"size\":1,\"mem_id\":1,\"write_cost\":\"NaN\" | .write_cost | input-member"
            + " | expected a number but found the text \"NaN\"",
        "\"name\":\"a\",\"size\":1,\"mem_id\":1,\"write_cost\":0.0000001 | .write_cost |"
            + " input-value | 0.0000001 has more than 6 digits after the point",
        "\"name\":\"a\",\"size\":1,\"mem_id\":1,\"write_cost\":1e13 | .write_cost | input-value |"
            + " 1e13 is too large",
        "\"name\":\"a\",\"size\":1,\"mem_id\":1,\"write_cost\":1e999999999 | .write_cost |"
            + " input-value | 1e999999999 is too large",
        "\"name\":\"a\",\"size\":1,\"mem_id\":1,\"write_cost\":1e-999999999 | .write_cost |"
            + " input-value | 1e-999999999 has more than 6 digits after the point",
        "\"name\":\"a\",\"size\":1,\"mem_id\":1,\"constants\":\"onyl\" | .constants | input-member"
            + " | unknown word 'onyl'",
        "\"name\":\"a\",\"size\":1,\"mem_id\":1,\"constants\":\"only\" | .mem_id | map-value |"
            + " mem_id is 1, but a bank that holds constants only has none",
        "\"name\":\"a\",\"size\":1,\"mem_id\":1,\"attributes\":\"dma\" | .attributes | input-member"
            + " | expected a list but found the text \"dma\"",
        "\"name\":\"a\",\"size\":1,\"mem_id\":1,\"max_allocation\":0 | .max_allocation | map-value"
            + " | max_allocation is 0, but must be 1 or more",
        "\"name\":\"a\",\"size\":8,\"mem_id\":1,\"reserved\":[{\"offset\":7,\"size\":2,\"owner\":\"o\"}]"
            + " | .reserved[0] | map-overlap | the range [7, +2) of o leaves the bank, which has 8"
            + " bytes",
        "\"name\":\"a\",\"size\":1,\"mem_id\":1,\"remove\":true | .remove | map-extends | there is"
            + " nothing to remove a bank from, as the map extends no target",
      })
  void read_badBank_saysWhatAndWhere(String members, String member, String kind, String message) {
    String where = member == null ? "" : member;
    String error = bankError(members);
    if (kind.equals("map-value") && message.contains("constants only")) {
      // A map of such banks alone is empty, which is said as well.
      assertThat(error).contains("banks[0]" + where + ": " + message);
    } else if (message.startsWith("there is nothing to remove")) {
      assertThat(error).contains("banks[0]" + where + ": error[" + kind + "]: " + message);
    } else {
      assertThat(error)
          .startsWith("t.json:line 1, banks[0]" + where + ": error[" + kind + "]: " + message);
      assertThat(error).doesNotContain("also:");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"reason\":\"why\" |  | map-rule | the rule says nothing",
        "\"over_read\":0 |  | map-rule | the rule says nothing",
        "\"not_banks\":[\"drcm\"] | .not_banks | map-unknown-bank | the memory map has no bank"
            + " 'drcm'",
        "\"not_banks\":[\"flash\"] | .not_banks | map-unknown-bank | the memory map has no bank"
            + " 'flash'",
        "\"requires\":[\"dmaa\"] | .requires | map-rule | no bank has the attribute 'dmaa'",
        "\"not_banks\":[\"dtcm\",\"sram\"] |  | map-rule | the rule leaves no bank",
        "\"not_banks\":[\"sram\"],\"requires\":[\"dma\"] |  | map-rule | the rule leaves no bank",
        "\"on\":\"outputs\",\"over_read\":1 | .on | input-member | unknown word 'outputs'",
        "\"over_read\":-1 | .over_read | input-value | -1 is out of range: it must be 0 or more",
        "\"alignment\":1073741825 | .alignment | input-value | 1073741825 is out of range: it must"
            + " be from 1 to 1073741824",
        "\"need\":1,\"over_read\":1 | .need | input-member | unknown member 'need'",
      })
  void read_badRule_saysWhatAndWhere(String members, String member, String kind, String message) {
    assertThat(
            error(
                "{\"name\":\"x\",\"extends\":\"acme-m7\",\"operator_rules\":[{\"op\":\"*\","
                    + members
                    + "}]}"))
        .startsWith(
            "t.json:line 1, operator_rules[0]"
                + (member == null ? "" : member)
                + ": error["
                + kind
                + "]: "
                + message)
        .doesNotContain("also:");
  }

  @Test
  void read_ruleThatNamesAnUnknownBank_suggestsTheNearest() {
    assertThat(
            error(
                "{\"name\":\"x\",\"extends\":\"acme-m7\",\"operator_rules\":"
                    + "[{\"op\":\"*\",\"not_banks\":[\"dtmc\"]}]}"))
        .endsWith("\n  help: did you mean dtcm? possible: dtcm, sram");
  }

  // ---- Targets that extend others

  private static Target extended(String members) {
    return read("{\"name\":\"board\",\"extends\":\"acme-m7\"," + members + "}");
  }

  private static String extendedError(String members) {
    return error("{\"name\":\"board\",\"extends\":\"acme-m7\"," + members + "}");
  }

  @Test
  void extends_nothingElse_isTheBaseUnderAnotherName() {
    Target board = extended("\"sources\":[\"our board\"]");
    assertThat(board.name()).isEqualTo("board");
    assertThat(board.map()).isEqualTo(CATALOG.get("acme-m7").map());
    assertThat(board.operatorRules()).isEqualTo(CATALOG.get("acme-m7").operatorRules());
    assertThat(board.sources()).containsExactly("the manual", "our board");
  }

  @Test
  void extends_changedBanks_keepTheirPlaceAndTheirOtherMembers() {
    Target board =
        extended(
            "\"banks\":[{\"name\":\"psram\",\"size\":9,\"mem_id\":4},"
                + "{\"name\":\"sram\",\"size\":\"256 KiB\",\"alignment\":null,\"read_cost\":1}]");
    assertThat(board.map().allBanks())
        .containsExactly(
            DTCM,
            SRAM.toBuilder().size(262_144).alignment(0).readCost(1_000_000).build(),
            FLASH,
            Bank.builder("psram", 9, 4).build());
  }

  @Test
  void extends_membersInAnyOrder_areTheSame() {
    assertThat(
            read("{\"banks\":[{\"size\":8,\"name\":\"dtcm\"}],\"extends\":\"acme-m7\",\"name\":\"b\"}")
                .map()
                .bank("dtcm"))
        .isEqualTo(DTCM.toBuilder().size(8).build());
  }

  @Test
  void extends_removedBank_takesItsRulesAlong() {
    Target board =
        extended(
            "\"banks\":[{\"name\":\"dtcm\",\"remove\":true}],"
                + "\"operator_rules\":[{\"op\":\"add\",\"over_read\":8}]");
    assertThat(board.map().allBanks()).containsExactly(SRAM, FLASH);
    assertThat(board.operatorRules()).extracting(OperatorRule::op).containsExactly("dma", "add");
  }

  @Test
  void extends_constantsOnlyBank_canBeOpenedAndClosed() {
    Target board =
        extended(
            "\"banks\":[{\"name\":\"flash\",\"constants\":true,\"mem_id\":3},"
                + "{\"name\":\"dtcm\",\"constants\":\"only\"}]");
    assertThat(board.map().memIds()).containsExactly(2, 3);
    assertThat(board.map().constantBanks()).extracting(Bank::name).containsExactly("dtcm", "flash");
  }

  @Test
  void extends_smallerBudget_clipsWhatIsReserved() {
    Bank bank =
        Bank.builder("ram", 1000, 1)
            .reserved(
                List.of(
                    new ReservedRange(100, 100, "boot"),
                    new ReservedRange(450, 100, "stack"),
                    new ReservedRange(600, 10, "dma")))
            .build();
    Target base = Target.builder("big", "d", MemoryMap.of(List.of(bank))).build();
    String json =
        "{\"name\":\"small\",\"extends\":\"big\",\"banks\":[{\"name\":\"ram\",\"size\":500}]}";
    try (Source source = Source.of("t.json", json.getBytes(StandardCharsets.UTF_8))) {
      assertThat(TargetReader.read(source, name -> base).map().bank(1).reserved())
          .containsExactly(
              new ReservedRange(100, 100, "boot"), new ReservedRange(450, 50, "stack"));
    }
  }

  @Test
  void extends_budgetAboveTheRegion_isRefused() {
    assertThat(extendedError("\"banks\":[{\"name\":\"dtcm\",\"size\":131073}]"))
        .isEqualTo(
            "t.json:line 1, banks[0].size: error[map-extends]: the budget is 131,073 bytes, but"
                + " bank 'dtcm' of acme-m7 has only 131,072");
    assertThat(extended("\"banks\":[{\"name\":\"dtcm\",\"size\":131072}]").map().bank("dtcm"))
        .isEqualTo(DTCM);
  }

  @Test
  void extends_wrongChanges_areRefusedAllAtOnce() {
    assertThat(
            extendedError(
                "\"banks\":[{\"name\":\"dtmc\",\"mem_id\":1},{\"name\":\"sarm\",\"remove\":true},"
                    + "{\"name\":\"dtcm\",\"remove\":true,\"size\":1},"
                    + "{\"name\":\"sram\",\"size\":7},{\"name\":\"sram\",\"size\":8},{\"size\":3}]"))
        .isEqualTo(
            """
            t.json:line 1, banks[2].remove: error[map-extends]: a bank that is removed has no other members than its name
              note: also: line 1, banks[0].name: acme-m7 has no bank 'dtmc', and a new one needs a size (did you mean dtcm? possible: dtcm, sram, flash)
              note: also: line 1, banks[1].remove: acme-m7 has no bank 'sarm' to remove (did you mean sram? possible: dtcm, sram, flash)
              note: also: line 1, banks[4].name: another bank is called 'sram'
              note: also: line 1, banks[5]: the member 'name' is missing\
            """);
  }

  @Test
  void extends_faultOfAnInheritedBank_isAtTheExtension() {
    assertThat(extendedError("\"banks\":[{\"name\":\"dtcm\",\"mem_id\":2}]"))
        .isEqualTo(
            "t.json:line 1, extends: error[map-duplicate]: with the changes, in bank 'sram':"
                + " another bank has mem_id 2");
    assertThat(extendedError("\"banks\":[{\"name\":\"sram\",\"attributes\":[]}]"))
        .isEqualTo(
            "t.json:line 1, extends: error[map-rule]: with the changes, the rule for dma: no bank"
                + " has the attribute 'dma'");
  }

  @Test
  void extends_everythingRemoved_isAnEmptyMap() {
    assertThat(
            extendedError(
                "\"banks\":[{\"name\":\"dtcm\",\"remove\":true},{\"name\":\"sram\",\"remove\":true}]"))
        .contains("a memory map needs at least one bank that does not hold constants only");
  }

  @Test
  void extends_itselfOrNobody_isRefused() {
    assertThat(error("{\"name\":\"acme-m7\",\"extends\":\"acme-m7\"}"))
        .isEqualTo("t.json:line 1, extends: error[map-extends]: target 'acme-m7' extends itself");
    assertThat(error("{\"name\":\"x\",\"extends\":\"acme-m8\",\"banks\":[{\"name\":\"a\"}]}"))
        .isEqualTo(
            "t.json:line 1, extends: error[map-extends]: there is no target called 'acme-m8'\n"
                + "  help: did you mean acme-m7? possible: acme-m7");
  }

  @Test
  void read_rulesBesideFaultyBanks_areCheckedAsFarAsThatGoes() {
    assertThat(
            error(
                "{\"name\":\"x\",\"banks\":[{\"name\":\"a\",\"mem_id\":1,\"size\":\"12 KiBs\"}],"
                    + "\"operator_rules\":[{\"op\":\"CONV\",\"not_banks\":[\"nowhere\"]},"
                    + "{\"op\":\"ADD\"},{\"op\":\"MUL\",\"requires\":[\"unsaid\"]}]}"))
        .contains("banks[0].size")
        .contains("operator_rules[0].not_banks: the memory map has no bank 'nowhere'")
        .contains("operator_rules[1]: the rule says nothing")
        .doesNotContain("operator_rules[2]");
  }

  @Test
  void extends_unknownTarget_alsoReportsFaultsOfBanks() {
    assertThat(
            error(
                "{\"name\":\"x\",\"extends\":\"x\",\"banks\":["
                    + "{\"name\":\"a\",\"mem_id\":1,\"size\":0},"
                    + "{\"name\":\"a\",\"mem_id\":1,\"size\":8},{\"name\":\"c\"}]}"))
        .contains("extends itself")
        .contains("banks[0].size")
        .contains("banks[1].name: another bank is called 'a'")
        .contains("banks[1].mem_id: another bank has mem_id 1")
        .doesNotContain("banks[2]");
  }
}
