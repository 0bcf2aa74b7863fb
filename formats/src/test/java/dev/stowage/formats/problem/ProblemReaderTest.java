package dev.stowage.formats.problem;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.memmap.Bank;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Limits;
import dev.stowage.planning.PlanningProblem;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProblemReaderTest {
  private static ImmutableList<Entry<ProblemDocument>> readAll(
      String name, String text, ProblemOptions options) {
    try (Source source = Source.of(name, text.getBytes(StandardCharsets.UTF_8))) {
      return ImmutableList.copyOf(ProblemReader.read(source, options));
    }
  }

  private static ProblemDocument read(String text) {
    ImmutableList<Entry<ProblemDocument>> all = readAll("p.json", text, ProblemOptions.NONE);
    assertThat(all).hasSize(1);
    return all.get(0).orThrow();
  }

  private static Diagnostic error(Entry<ProblemDocument> entry) {
    assertThat(entry).isInstanceOf(Entry.Bad.class);
    return ((Entry.Bad<ProblemDocument>) entry).error();
  }

  private static Diagnostic error(String text) {
    ImmutableList<Entry<ProblemDocument>> all = readAll("p.json", text, ProblemOptions.NONE);
    assertThat(all).hasSize(1);
    return error(all.get(0));
  }

  @Test
  void read_everyMember_reachesTheProblem() {
    PlanningProblem problem =
        read("""
        {
          "name": "all", "algorithm": "banked_greedy", "alignment": 4, "extra_padding": 8,
          "reserved": [99, 0, 32, 0, 16], "allow_overlapping": false,
          "banks": [
            {"name": "fast", "size": "1 KiB", "mem_id": 2, "alignment": 8},
            {"name": "slow", "size": 4096, "mem_id": 1, "alignment": null}
          ],
          "buffers": [
            {"bytes": "2 KiB", "lifetime": [0, 3], "mem_id": 7, "offset": 128, "name": "x",
             "shape": [2, "n"], "dtype": "uint8", "device": "CPU", "over_read": 5},
            {"bytes": 10, "lifetime": [1, 9], "base": 0, "base_offset": 4, "alignment": 32,
             "initial_alignment": 64, "reads": 20, "writes": "1KiB", "must_not_share": [2]},
            {"bytes": 0, "lifetime": [2, 2], "not_banks": ["fast"], "base": null}
          ],
          "result": {"anything": [1.5]}
        }
        """)
            .problem();
    assertThat(problem.name()).isEqualTo("all");
    assertThat(problem.alignment()).isEqualTo(4);
    assertThat(problem.arenas()).extracting(Arena::memId).containsExactly(2, 1, 4, 7);
    assertThat(problem.arenas()).extracting(Arena::open).containsExactly(true, true, false, false);
    assertThat(problem.arenas()).extracting(Arena::reservedBytes).containsExactly(32L, 0L, 16L, 0L);
    assertThat(problem.arenas()).extracting(Arena::paddingBytes).containsOnly(8L);
    assertThat(problem.arenas())
        .extracting(Arena::capacityBytes)
        .containsExactly(1024L, 4096L, Arena.UNLIMITED, Arena.UNLIMITED);
    assertThat(problem.arena(0).name()).isEqualTo("fast");
    assertThat(problem.arenaAlignment(0)).isEqualTo(8);
    assertThat(problem.arenaAlignment(1)).isEqualTo(4);
    assertThat(problem.sizeBytes(0)).isEqualTo(2048);
    assertThat(problem.end(0)).as("widened over what it backs").isEqualTo(9);
    assertThat(problem.pinnedArena(0)).isEqualTo(3);
    assertThat(problem.pinnedArena(1)).isEqualTo(-1);
    assertThat(problem.fixedOffset(0)).isEqualTo(128);
    assertThat(problem.bufferName(0)).isEqualTo("x");
    assertThat(problem.overReadBytes(0)).isEqualTo(5);
    assertThat(problem.base(1)).isZero();
    assertThat(problem.baseOffset(1)).isEqualTo(4);
    assertThat(problem.bufferAlignment(1)).isEqualTo(32);
    assertThat(problem.oracleAlignment(1)).isEqualTo(64);
    assertThat(problem.readBytes(1)).isEqualTo(20);
    assertThat(problem.writeBytes(1)).isEqualTo(1024);
    assertThat(problem.separationCount()).isEqualTo(1);
    assertThat(problem.separation(0, 0)).isEqualTo(1);
    assertThat(problem.separation(0, 1)).isEqualTo(2);
    assertThat(problem.arenaSetMembers(problem.arenaSet(2))).containsExactly(1);
    assertThat(problem.arenaSet(0)).isZero();
  }

  @Test
  void read_withoutBanks_hasArenaOneFirstAndClosedOnesByMemId() {
    PlanningProblem problem =
        read("""
        {"reserved":[0,5,0,6],"buffers":[{"bytes":1,"lifetime":[0,0],"mem_id":9},
        {"bytes":1,"lifetime":[0,0],"mem_id":2}]}\
        """)
            .problem();
    assertThat(problem.arenas()).extracting(Arena::memId).containsExactly(1, 2, 3, 9);
    assertThat(problem.arenas()).extracting(Arena::open).containsExactly(true, false, false, false);
    assertThat(problem.alignment()).isEqualTo(16);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"algorithm\":\"greedy\"                                | greedy",
        "\"algorithm\":\"greedy\",\"allow_overlapping\":false    | greedy{overlap=false}",
        "\"algorithm\":\"naive\",\"allow_overlapping\":false     | naive",
        "\"allow_overlapping\":false,\"algorithm\":\"banked_greedy\"|banked-greedy{overlap=false}",
        "\"algorithm\":\"greedy_no_overlap\"                     | greedy{overlap=false}",
        "\"algorithm\":\"suite\",\"algorithms\":[\"naive\",\"greedy_no_overlap\",\"greedy\"]"
            + "| suite{of=[naive,greedy{overlap=false},greedy]}",
        "\"algorithm\":\"suite\",\"algorithms\":[\"greedy\",\"banked_greedy\"],"
            + "\"allow_overlapping\":false"
            + "| suite{of=[greedy{overlap=false},banked-greedy{overlap=false}]}",
        "\"allow_overlapping\":false                             | greedy{overlap=false}",
      })
  void read_algorithm_becomesACall(String members, String call) {
    assertThat(read("{\"buffers\":[]," + members + "}").request().strategy().orElseThrow())
        .hasToString(call);
  }

  @Test
  void read_withOptions_prefersTheCallers() {
    ProblemOptions options = ProblemOptions.NONE.withAlignment(64).withCapacity(100);
    ProblemDocument document =
        readAll("dir/p.json.gz", "{\"alignment\":8,\"buffers\":[]}", options).get(0).orThrow();
    assertThat(document.problem().alignment()).isEqualTo(64);
    assertThat(document.request().alignment()).hasValue(64);
    assertThat(document.request().strategy()).isEmpty();
    assertThat(document.problem().arena(0).capacityBytes()).isEqualTo(100);
  }

  @Test
  void read_aBadLineInTheMiddle_readsTheOthers() {
    String text =
        """
        {"name":"a","buffers":[]}

        {"name":"b","buffers":[{"bytes":1,"lifetime":[4,3]}]}
        {"name":"c","buffers":[
        {"name":"d","buffers":[]} trailing
        {"name":"e","buffers":[]}\
        """;
    ImmutableList<Entry<ProblemDocument>> all = readAll("x.jsonl", text, ProblemOptions.NONE);
    assertThat(all).hasSize(5);
    assertThat(all.get(0).orThrow().name()).isEqualTo("a");
    assertThat(((Entry.Bad<ProblemDocument>) all.get(1)).name()).isEqualTo("b");
    assertThat(error(all.get(1)).location()).hasToString("x.jsonl:line 3, buffers[0].lifetime");
    assertThat(error(all.get(2)).kind().name()).isEqualTo("input-syntax");
    assertThat(error(all.get(2)).location().place()).startsWith("line 4");
    assertThat(error(all.get(3)).kind().name()).isEqualTo("input-syntax");
    assertThat(error(all.get(3)).location().place()).isEqualTo("line 5");
    assertThat(all.get(4).orThrow().name()).isEqualTo("e");
  }

  @Test
  void read_aBadFirstLineOfJsonl_readsTheOthers() {
    ImmutableList<Entry<ProblemDocument>> all =
        readAll("x.jsonl.gz", "{\"buffers\":[\n{\"buffers\":[]}\n", ProblemOptions.NONE);
    assertThat(error(all.get(0)).kind().name()).isEqualTo("input-syntax");
    assertThat(all.get(1).orThrow().name()).isEqualTo("x:2");
  }

  @Test
  void read_documentOverManyLines_placesErrorsInTheRightLine() {
    Diagnostic error =
        error(
            """
            {
              "buffers": [
                {"bytes": 1, "lifetime": [0, 1]},
                {"bytes": -1, "lifetime": [0, 1]}
              ]
            }
            """);
    assertThat(error.location()).hasToString("p.json:line 4, buffers[1].bytes");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{                                       | input-syntax    | line 1",
        "nonsense                                | input-syntax    | line 1",
        "{\"buffers\":NaN}                       | input-syntax    | line 1, buffers",
        "{\"buffers\":[],\"buffers\":[]}         | input-syntax    | line 1, buffers",
        "[]                                      | input-member    | line 1",
        "{}                                      | input-member    | line 1, buffers",
        "{\"buffers\":null}                      | input-member    | line 1, buffers",
        "{\"buffers\":{}}                        | input-member    | line 1, buffers",
        "{\"buffers\":[3]}                       | input-member    | line 1, buffers[0]",
        "{\"bufers\":[]}                         | input-member    | line 1, bufers",
        "{\"alignment\":\"x\",\"buffers\":[]}    | input-member    | line 1, alignment",
        "{\"alignment\":0,\"buffers\":[]}        | input-value     | line 1, alignment",
        "{\"alignment\":1.5,\"buffers\":[]}      | input-value     | line 1, alignment",
        "{\"alignment\":2147483647,\"buffers\":[]}| input-value    | line 1, alignment",
        "{\"algorithm\":\"gredy\",\"buffers\":[]}| input-member    | line 1, algorithm",
        "{\"algorithm\":\"suite\",\"buffers\":[]}| input-member    | line 1, algorithms",
        "{\"banks\":[],\"buffers\":[]}           | map-empty       | line 1, banks",
        "{\"banks\":[{\"name\":\"a\"}],\"buffers\":[]} | input-member | line 1, banks[0]",
        "{\"reserved\":[0,-1],\"buffers\":[]}    | input-value     | line 1, reserved[1]",
      })
  void read_badDocument_saysKindAndPlace(String text, String kind, String place) {
    Diagnostic error = error(text);
    assertThat(error.kind().name()).isEqualTo(kind);
    assertThat(error.location()).hasToString("p.json:" + place);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"lifetime\":[0,1]                             | input-member      | ",
        "\"bytes\":1                                    | input-member      | ",
        "\"bytes\":1,\"lifetime\":[1]                   | input-member      | .lifetime",
        "\"bytes\":1,\"lifetime\":[1,2,3]               | input-member      | .lifetime",
        "\"bytes\":1,\"lifetime\":[2,1]                 | input-value       | .lifetime",
        "\"bytes\":1,\"lifetime\":[-1,1]                | input-value       | .lifetime[0]",
        "\"bytes\":1,\"lifetime\":[0,2147483647]        | input-value       | .lifetime[1]",
        "\"lifetime\":[0,1],\"bytes\":9223372036854775808 | input-value     | .bytes",
        "\"lifetime\":[0,1],\"bytes\":-1                | input-value       | .bytes",
        "\"lifetime\":[0,1],\"bytes\":\"12 QiB\"        | input-value       | .bytes",
        "\"lifetime\":[0,1],\"bytes\":true              | input-member      | .bytes",
        "\"lifetime\":[0,1],\"bytes\":null              | input-member      | .bytes",
        "\"bytes\":1,\"lifetime\":[0,1],\"base\":1      | input-reference   | .base",
        "\"bytes\":1,\"lifetime\":[0,1],\"base\":-1     | input-reference   | .base",
        "\"bytes\":1,\"lifetime\":[0,1],\"base\":0      | storage-cycle     | .base",
        "\"bytes\":1,\"lifetime\":[0,1],\"base_offset\":4 | input-value     | ",
        "\"bytes\":1,\"lifetime\":[0,1],\"mem_id\":0    | input-value       | .mem_id",
        "\"bytes\":1,\"lifetime\":[0,1],\"mem_id\":65536 | input-value      | .mem_id",
        "\"bytes\":1,\"lifetime\":[0,1],\"offset\":8    | input-member      | .offset",
        "\"bytes\":1,\"lifetime\":[0,1],\"must_not_share\":[1]|input-reference|.must_not_share",
        "\"bytes\":1,\"lifetime\":[0,1],\"not_banks\":[\"a\"]|map-unknown-bank|.not_banks",
        "\"bytes\":1,\"lifetime\":[0,1],\"address\":64  | input-reference   | .address",
        "\"bytes\":1,\"lifetime\":[0,1],\"address\":\"0xg\" | input-value   | .address",
        "\"bytes\":1,\"lifetime\":[0,1],\"address\":-1  | input-value       | .address",
        "\"bytes\":1,\"lifetime\":[0,1],\"owner\":\"o\" | input-member      | .owner",
        "\"bytes\":1,\"lifetime\":[0,1],\"scratch_of\":1| input-value       | ",
        "\"bytes\":1,\"lifetime\":[0,1],\"requires\":[\"dma\"] | map-unknown-bank | .requires",
        "\"bytes\":1,\"lifetime\":[0,1],\"device\":\"cuda:0\" | input-unsupported | .device",
        "\"bytes\":1,\"lifetime\":[0,1],\"device\":\"?\" | input-member     | .device",
        "\"byte\":1,\"lifetime\":[0,1]                  | input-member      | .byte",
      })
  void read_badBuffer_saysKindAndPlace(String members, String kind, @Nullable String place) {
    Diagnostic error = error("{\"name\":\"n\",\"buffers\":[{" + members + "}]}");
    assertThat(error.kind().name()).isEqualTo(kind);
    assertThat(error.location())
        .hasToString("p.json:line 1, buffers[0]" + (place == null ? "" : place));
  }

  @Test
  void read_unknownMember_suggestsTheNearest() {
    assertThat(error("{\"bufers\":[]}").help()).startsWith("did you mean buffers?");
  }

  @Test
  void read_wrongNamesOfBanks_areReportedInTheOrderOfTheFile() {
    String banks = "\"banks\":[{\"name\":\"fast\",\"size\":8,\"mem_id\":1}]";
    // Buffer 16 before buffer 1 in a table of 16 slots.
    String plain = "{\"bytes\":1,\"lifetime\":[0,1]},";
    String buffer = "{\"bytes\":1,\"lifetime\":[0,1],\"not_banks\":[\"fats\"]}";
    String buffers = plain + buffer + "," + plain.repeat(14) + buffer;
    Diagnostic error = error("{" + banks + ",\"buffers\":[" + buffers + "]}");
    assertThat(error.kind().name()).isEqualTo("map-unknown-bank");
    assertThat(error.location()).hasToString("p.json:line 1, buffers[1].not_banks");
    assertThat(error.message()).endsWith("'fats' (did you mean fast? possible: fast)");
    assertThat(error.notes())
        .singleElement()
        .asString()
        .startsWith("also: line 1, buffers[16].not_banks: ");
  }

  @Test
  void limits_ofBanks_areThoseOfPlanning() {
    assertThat(Bank.MAX_ALIGNMENT).isEqualTo(Limits.MAX_ALIGNMENT);
    assertThat(Bank.MAX_MEM_ID).isEqualTo(Limits.MAX_MEM_ID);
    assertThat(Bank.UNLIMITED).isEqualTo(Arena.UNLIMITED);
  }

  @Test
  void read_sumAbove63Bits_isAnOverflow() {
    String huge = "{\"bytes\":9223372036854775807,\"lifetime\":[0,1]}";
    Diagnostic error = error("{\"buffers\":[" + huge + "," + huge + "]}");
    assertThat(error.kind().name()).isEqualTo("input-overflow");
    assertThat(error.location()).hasToString("p.json:line 1, buffers");
  }

  @Test
  void read_deepNesting_isASyntaxError() {
    String deep = "[".repeat(100_000);
    assertThat(error("{\"result\":" + deep).kind().name()).isEqualTo("input-syntax");
  }

  @Test
  void read_emptyOrBlank_isOneSyntaxError() {
    assertThat(error("").message()).isEqualTo("the file is empty");
    assertThat(error("").kind().name()).isEqualTo("input-syntax");
    assertThat(error(" \n\n").kind().name()).isEqualTo("input-syntax");
  }

  @Test
  void read_truncatedOrRandomBytes_neverFailsOtherwise() {
    String whole =
        """
        {"name":"t","algorithm":"greedy","reserved":[0,1],"banks":[{"name":"a","size":9,\
        "mem_id":1}],"buffers":[{"bytes":3,"lifetime":[1,5],"base":null,"mem_id":1}]}\
        """;
    for (int length = 1; length < whole.length(); length++) {
      Diagnostic error = error(whole.substring(0, length));
      assertThat(error.kind().name()).as("cut at %s", length).isEqualTo("input-syntax");
    }
    Random random = new Random(7);
    for (int round = 0; round < 500; round++) {
      byte[] bytes = whole.getBytes(StandardCharsets.UTF_8);
      for (int change = 0; change <= round % 5; change++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try (Source source = Source.of("r", bytes)) {
        assertThat(ImmutableList.copyOf(ProblemReader.read(source, ProblemOptions.NONE)))
            .as("seed 7, round %s", round)
            .isNotEmpty();
      } catch (DiagnosticException e) {
        assertThat(e.diagnostic().kind().name()).as("seed 7, round %s", round).startsWith("input-");
      }
    }
  }

  @Test
  void read_severalFaults_areAllReportedWithLineAndMember() {
    Diagnostic error =
        error(
            """
            {
              "alignment": 0,
              "banks": [{"name": "a", "mem_id": 1, "size": 64}],
              "buffers": [
                {"bytes": -4, "lifetime": [3, 1], "nam": "x"},
                {"bytes": 4, "lifetime": [0, [1], 2], "base": 0},
                {"lifetime": [0, 1]},
                {"bytes": 4, "lifetime": [0, 1], "not_banks": ["x", "y"], "requires": ["z"]},
                {"bytes": 4, "lifetime": [0, 1], "base": 9}
              ]
            }
            """);

    String all = error.render();
    assertThat(all)
        .contains("p.json:line 2, alignment: error[input-value]")
        .contains("line 5, buffers[0].bytes: ")
        .contains("line 5, buffers[0].lifetime: the lifetime ends at step 1, before")
        .contains("line 5, buffers[0].nam: unknown member")
        .contains("line 6, buffers[1].lifetime")
        .contains("line 7, buffers[2]: the member 'bytes' is missing")
        .contains("line 8, buffers[3].not_banks: there is no bank called 'x'")
        .contains("line 8, buffers[3].not_banks: there is no bank called 'y'")
        .contains("line 8, buffers[3].requires: no bank has the attribute 'z'")
        .contains("line 9, buffers[4].base: the storage base is buffer 9, but there are only 5");
    assertThat(error.notes()).hasSize(9);
  }

  @Test
  void read_faultsWithoutEnd_stopAtAHundred() {
    Diagnostic error = error("{\"buffers\":[" + "{},".repeat(500) + "{}]}");

    assertThat(error.notes()).hasSize(99);
  }

  private static String devices(String buffers) {
    return "{\"alignment\": 4, \"banks\": [{\"name\": \"c\", \"mem_id\": 1, \"size\": 64,"
        + " \"base_address\": 4096}, {\"name\": \"n\", \"mem_id\": 2, \"size\": 64,"
        + " \"base_address\": 4096, \"device\": \"npu:0\"}], \"buffers\": ["
        + buffers
        + "]}";
  }

  @Test
  void read_addressOfTwoDevices_isInTheBankOfTheBuffersOwn() {
    PlanningProblem problem =
        read(devices(
                "{\"bytes\": 8, \"lifetime\": [0, 1], \"address\": 4100, \"device\": \"npu:0\"},"
                    + " {\"bytes\": 8, \"lifetime\": [0, 1], \"address\": \"0x1008\"},"
                    + " {\"bytes\": 8, \"lifetime\": [0, 1], \"device\": \"npu:0\"},"
                    + " {\"bytes\": 4, \"lifetime\": [0, 1], \"base\": 2, \"address\": 4128}"))
            .problem();
    assertThat(problem.pinnedArena(0)).isEqualTo(1);
    assertThat(problem.fixedOffset(0)).isEqualTo(4);
    assertThat(problem.pinnedArena(1)).isZero();
    assertThat(problem.fixedOffset(1)).isEqualTo(8);
    // A part is on the device of what it lies in.
    assertThat(problem.pinnedArena(2)).isEqualTo(1);
    assertThat(problem.fixedOffset(2)).isEqualTo(32);
  }

  @ParameterizedTest
  @CsvSource({"010", "#20", "-0x10", "0x", "20", "0x8000000000000000"})
  void read_addressText_isWrittenAsBaseAddressesAre(String text) {
    String buffer = "{\"bytes\": 4, \"lifetime\": [0, 1], \"address\": \"" + text + "\"}";
    assertThat(error(devices(buffer)).kind().name()).isEqualTo("input-value");
  }

  @Test
  void read_partOnAnotherDeviceThanItsBase_isRefused() {
    String base = "{\"bytes\": 8, \"lifetime\": [0, 1], \"device\": \"npu:0\"},";
    String part = "{\"bytes\": 8, \"lifetime\": [0, 1], \"base\": 0%s}";
    Diagnostic error = error(devices(base + String.format(part, ", \"device\": \"cpu\"")));
    assertThat(error.location().place()).contains("buffers[1].device");
    assertThat(error.message()).contains("is on device cpu", "is on npu:0");
    assertThat(read(devices(base + String.format(part, ""))).problem().bufferCount()).isEqualTo(2);
    PlanningProblem kept =
        read(devices(base + String.format(part, ", \"not_banks\": [\"c\"]"))).problem();
    assertThat(kept.arenaSetMembers(kept.arenaSet(1))).containsExactly(1);
  }

  @Test
  void read_pinOutsideOfTheBanks_goesWithForbiddenBanks() {
    PlanningProblem problem =
        read(devices(
                "{\"bytes\": 8, \"lifetime\": [0, 1], \"mem_id\": 7, \"not_banks\": [\"c\"]},"
                    + " {\"bytes\": 8, \"lifetime\": [0, 1], \"not_banks\": [\"c\"]},"
                    + " {\"bytes\": 8, \"lifetime\": [0, 1], \"base\": 1, \"mem_id\": 8}"))
            .problem();
    assertThat(problem.arenaSet(0)).isZero();
    assertThat(problem.arena(problem.pinnedArena(0)).memId()).isEqualTo(7);
    assertThat(problem.arenaSet(1)).isZero();
    assertThat(problem.arena(problem.pinnedArena(1)).memId()).isEqualTo(8);
  }
}
