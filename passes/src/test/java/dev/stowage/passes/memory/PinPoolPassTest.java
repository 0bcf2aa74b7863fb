package dev.stowage.passes.memory;

import static dev.stowage.passes.Texts.SETTINGS;
import static dev.stowage.passes.memory.MemoryPasses.annotations;
import static dev.stowage.passes.memory.MemoryPasses.fault;
import static dev.stowage.passes.memory.MemoryPasses.run;
import static dev.stowage.passes.memory.MemoryPasses.statistics;
import static dev.stowage.passes.memory.MemoryPasses.warnings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Value;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.Pipeline;
import dev.stowage.passes.PipelineResult;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.passes.Texts;
import dev.stowage.planning.PlanRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PinPoolPassTest {
  private static final Program PROGRAM =
      ProgramParser.parse(
          "t",
          """
          program "p"
          state @cache : u8[96]
          method @m {
            tensor %0 "w" : f32[64] const
            tensor %1 "trained" : f32[16] const {trainable=true}
            tensor %2 "cache" : u8[96] state @cache
            tensor %3 "" : u8[48]
            graph @main {
              %4 "x" : f32[16] = input
              %5 "buffer" : f32[32] on cuda:0 = alloc
              %6 "y" : f32[32] on cuda:0 same %5 = conv.out(%4, %0, out %5)
              %7 "filled" : u8[48] same %3 = fill(out %3)
              %8 "z" : i8[64] = conv(%6, %1, %2)
              %9 "z_" : i8[64] mutates %8 = add_(inout %8, %7)
              %10 : i8[16] view %9 = view(bind %9)
              output(%9, %10)
            }
          }
          """);

  private static final PlanningSettings BANKS =
      new PlanningSettings(
          SETTINGS.planner(),
          PlanRequest.DEFAULT,
          Optional.of(
              MemoryMap.of(
                  List.of(
                      Bank.builder("dtcm", 1_024, 3).build(),
                      Bank.builder("sram", 99, 7).build()))),
          Optional.empty(),
          OptionalInt.empty(),
          OptionalLong.empty());

  @TempDir private Path folder;

  private static String pins(String options) {
    Program pinned = run(PROGRAM, "pin-pool{" + options + "}").program();
    return String.join(" ", annotations(pinned, MemoryKeys.PIN))
        + " | "
        + String.join(" ", annotations(pinned, MemoryKeys.RESULT_PIN));
  }

  @ParameterizedTest
  @CsvSource({
    // Neither constants nor handles; in-place results have a pin of their own.
    "'mem-id=2', '1=2 2=2 3=2 4=2 5=2 8=2 | 9=2'",
    "'mem-id=2,name=w', ' | '",
    "'mem-id=2,name=tr*', '1=2 | '",
    "'mem-id=2,name=z', '8=2 | '",
    "'mem-id=2,name=z_', ' | 9=2'",
    "'mem-id=2,name=buffer', '5=2 | '",
    // The name is that of the first node, where there is one.
    "'mem-id=2,name=y', ' | '",
    "'mem-id=2,name=filled', '3=2 | '",
    // The operator is that of the first node and, where that only allocates, of the one that fills.
    "'mem-id=2,op=conv*', '5=2 8=2 | '",
    "'mem-id=2,op=alloc', '5=2 | '",
    "'mem-id=2,op=fill', '3=2 | '",
    "'mem-id=2,op=add_', ' | 9=2'",
    "'mem-id=2,op=view', ' | '",
    "'mem-id=2,min-bytes=64,max-bytes=96', '1=2 2=2 4=2 8=2 | 9=2'",
    "'mem-id=2,max-bytes=0.0625KiB,dtype=i8', '8=2 | 9=2'",
    "'mem-id=2,role=input', '4=2 | '",
    // What is returned is the in-place result; the bytes below are an intermediate to ExecuTorch.
    "'mem-id=2,role=output', ' | 9=2'",
    "'mem-id=2,role=state', '2=2 | '",
    "'mem-id=2,role=intermediate', '1=2 3=2 5=2 8=2 | '",
    "'mem-id=2,device=cuda:0', '5=2 | '",
    "'mem-id=2,device=cpu,dtype=u8,role=intermediate', '3=2 | '",
  })
  void run_members_mustAllHold(String options, String expected) {
    assertThat(pins(options)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "no-inputs:outputs:state, '1=2 2=2 3=2 5=2 8=2 | 9=2'",
    "inputs:outputs:no-state, '1=2 3=2 4=2 5=2 8=2 | 9=2'",
    "inputs:no-outputs:state, '1=2 2=2 3=2 4=2 5=2 8=2 | '",
  })
  void run_whatTheCallerProvides_isNotPinned(String allocation, String expected) {
    Program program =
        PROGRAM.with(
            PROGRAM
                .methods()
                .get(0)
                .edit()
                .annotate(MemoryKeys.ALLOCATION, MemoryKeys.ALLOCATION.parse(allocation))
                .build());
    Program pinned = run(program, "pin-pool{mem-id=2}").program();
    assertThat(
            String.join(" ", annotations(pinned, MemoryKeys.PIN))
                + " | "
                + String.join(" ", annotations(pinned, MemoryKeys.RESULT_PIN)))
        .isEqualTo(expected);
  }

  @Test
  void run_ownedUnboundedAndUnused_areNotPinned() {
    Program program =
        Texts.program(
            "",
            """
            %0 : u8[64] {owner=runtime} = input
            %1 : u8[?] unbounded = f(%0)
            output(%1)
            """);
    assertThat(warnings(program, "pin-pool{mem-id=2}"))
        .singleElement()
        .asString()
        .startsWith(
            "p:1:1: warning[no-match]: pin-pool{mem-id=2} matches no tensor of the program");
  }

  @Test
  void run_again_changesNothingAndCountsNothing() {
    Program once = run(PROGRAM, "pin-pool{mem-id=2}").program();
    assertThat(run(once, "pin-pool{mem-id=2}").program()).isSameAs(once);
    assertThat(statistics(PROGRAM, "pin-pool{mem-id=2}")).containsEntry("pinned", 7L);
    assertThat(statistics(PROGRAM, "pin-pool{mem-id=2},pin-pool{mem-id=2,name=x}"))
        .containsEntry("pinned", 7L);
  }

  @Test
  void run_twoCallsThatDisagree_namesBothAndTheTensor() {
    Diagnostic fault =
        fault(
            PROGRAM,
            "pin-pool{mem-id=2,op=conv},pin-pool{mem-id=4,name=x},pin-pool{mem-id=3,name=z}");
    assertThat(fault.kind()).isEqualTo(Kinds.PIN_CONFLICT);
    assertThat(fault.location().place()).isEqualTo("1:54");
    assertThat(fault.message())
        .isEqualTo(
            "pin-pool{mem-id=3,name=z} sends tensor %8 (z) of method m to mem_id 3,"
                + " but pin-pool{mem-id=2,op=conv} to mem_id 2");
  }

  @Test
  void run_pinOfTheModel_mustNotBeContradicted() {
    Program program = Texts.program("", "%0 \"x\" : u8[64] {pin=5} = input output(%0)");
    assertThat(run(program, "pin-pool{mem-id=5}").program()).isSameAs(program);
    assertThat(fault(program, "pin-pool{mem-id=2}").message())
        .isEqualTo(
            "pin-pool{mem-id=2} sends tensor %0 (x) of method m to mem_id 2,"
                + " but the model, or another pass, has pinned it to mem_id 5");
  }

  @Test
  void run_bank_isFoundInTheMap() {
    PipelineResult result = run(PROGRAM, "pin-pool{bank=sram,role=state}", BANKS);
    assertThat(annotations(result.program(), MemoryKeys.PIN)).containsExactly("2=7");
    Diagnostic unknown = fault(PROGRAM, "pin-pool{bank=srem,role=state}", BANKS);
    assertThat(unknown.kind()).isEqualTo(Kinds.MAP_UNKNOWN_BANK);
    assertThat(unknown.location().place()).isEqualTo("1:15");
    assertThat(unknown.help()).isEqualTo("did you mean sram? possible: dtcm, sram");
    Diagnostic none = fault(PROGRAM, "pin-pool{bank=sram}");
    assertThat(none.kind()).isEqualTo(Kinds.MAP_UNKNOWN_BANK);
    assertThat(none.message()).contains("no memory map");
  }

  @Test
  void run_thenPlanned_everyProfileHeedsThePins() {
    Program program =
        Texts.program(
            "",
            """
            %0 "x" : u8[64] = input
            %1 "y" : u8[64] = f(%0)
            output(%1)
            """);
    for (String profile : List.of("sound", "executorch", "tflm")) {
      PipelineResult result =
          run(program, "pin-pool{mem-id=2,name=y},plan{profile=" + profile + "},verify");
      assertThat(result.plans().get(0).isVerified()).as(profile).isTrue();
      assertThat(((PlannedMethod.Planned) result.plans().get(0).result()).plan().arenaSizes())
          .as(profile)
          .containsExactly(0, 64, 64);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'pin-pool', '1:1', 'pin-pool does not say which pool'",
    "'plan,pin-pool{name=x}', '1:6', 'pin-pool does not say which pool'",
    "'pin-pool{bank=a,mem-id=2}', '1:17', 'not both'",
    "'pin-pool{mem-id=0}', '1:17', '0 is not from 1 to'",
    "'pin-pool{mem-id=2,min-bytes=2KiB,max-bytes=1KiB}', '1:29', 'min-bytes 2,048 is above"
        + " max-bytes 1,024, so nothing can match'",
    "'pin-pool{rules=-}', '1:16', 'from a file'",
    "'pin-pool{mem-id=1,dtype=float}', '1:25', 'possible: f64, '",
    "'pin-pool{mem-id=1,role=outputs}', '1:24', 'none of input, output, state, intermediate'",
  })
  void pipeline_optionsThatDoNotGoTogether_areRefusedBeforeAnythingRuns(
      String pipeline, String place, String message) {
    Diagnostic fault =
        catchThrowableOfType(
                DiagnosticException.class,
                () -> PassManager.withInstalledPasses().pipeline("p", pipeline))
            .diagnostic();
    assertThat(fault.kind()).isEqualTo(Kinds.OPTION_VALUE);
    assertThat(fault.location().place()).isEqualTo(place);
    assertThat(fault.message()).contains(message);
  }

  // ---- Files of rules

  private String call(String json) throws IOException {
    Path file = Files.writeString(folder.resolve("rules.json"), json);
    return "pin-pool{rules=" + new Value.Word(file.toString()) + "}";
  }

  @Test
  void rules_file_allApply() throws IOException {
    String pipeline =
        call(
            """
            {"rules": [
              {"mem_id": 2, "name": "x", "op": "input", "min_bytes": "0.0625 KiB", "max_bytes": 64},
              {"bank": "sram", "role": "state", "dtype": "u8", "device": "cpu"},
              {"bank": "dtcm", "name": "z*"},
              {"mem_id": 3, "op": "conv"}
            ]}
            """);
    Program pinned = run(PROGRAM, pipeline, BANKS).program();
    assertThat(annotations(pinned, MemoryKeys.PIN)).containsExactly("2=7", "4=2", "8=3");
    assertThat(annotations(pinned, MemoryKeys.RESULT_PIN)).containsExactly("9=3");
  }

  @Test
  void rules_withARuleInTheOptions_areRefused() throws IOException {
    String both = call("{\"rules\":[]}").replace("}", ",op=x}");
    Diagnostic fault = fault(PROGRAM, both);
    assertThat(fault.kind()).isEqualTo(Kinds.OPTION_VALUE);
    assertThat(fault.message()).isEqualTo("rules=FILE stands alone, without op");
  }

  @Test
  void rules_fileThatIsMissing_isFoundWhenThePipelineIsChecked() throws IOException {
    String text = call("{\"rules\":[{\"mem_id\":2,\"name\":\"x\"}]}");
    PassManager manager = PassManager.withInstalledPasses();
    Program pinned =
        manager.run(PROGRAM, manager.pipeline("p", text + "," + text), SETTINGS).program();
    assertThat(annotations(pinned, MemoryKeys.PIN)).containsExactly("4=2");
    Files.delete(folder.resolve("rules.json"));
    assertThat(
            catchThrowableOfType(DiagnosticException.class, () -> manager.pipeline("p", text))
                .diagnostic()
                .kind())
        .isEqualTo(Kinds.INPUT_UNREADABLE);
  }

  @Test
  void rules_compressedFile_isRead() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write("{\"rules\":[{\"mem_id\":2}]}".getBytes(StandardCharsets.UTF_8));
    }
    Path file = Files.write(folder.resolve("rules.json.gz"), bytes.toByteArray());
    Program pinned =
        run(PROGRAM, "pin-pool{rules=" + new Value.Word(file.toString()) + "}").program();
    assertThat(annotations(pinned, MemoryKeys.RESULT_PIN)).containsExactly("9=2");
  }

  @Test
  void rules_thatMatchNothing_areWarningsThatSayWhich() throws IOException {
    String pipeline =
        call("{\"rules\":[{\"mem_id\":2,\"name\":\"q\"},{\"mem_id\":2,\"name\":\"x\"}]}");
    assertThat(warnings(PROGRAM, pipeline))
        .singleElement()
        .asString()
        .contains("rules.json:rules[0]: warning[no-match]: rules[0] of ")
        .endsWith("matches no tensor of the program");
  }

  @Test
  void rules_thatDisagree_areNamedBoth() throws IOException {
    String pipeline =
        call("{\"rules\":[{\"mem_id\":2},{\"mem_id\":2},{\"mem_id\":3,\"name\":\"z\"}]}");
    Diagnostic fault = fault(PROGRAM, pipeline);
    assertThat(fault.kind()).isEqualTo(Kinds.PIN_CONFLICT);
    assertThat(fault.location().place()).isEqualTo("rules[2]");
    assertThat(fault.message()).contains("tensor %8 (z)", "rules[2] of ", "rules[0] of ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[] | input-member | line 1 | expected an object",
        "{} | input-member | line 1 | member 'rules' is missing",
        "{\"rules\":{}} | input-member | line 1, rules | expected a list",
        "{\"rule\":[]} | input-member | line 1, rule | unknown member 'rule'",
        "{\"rules\":[{}]} | input-member | line 1, rules[0] | needs bank or mem_id",
        "{\"rules\":[{\"mem_id\":1},{\"mem_id\":1,\"bank\":\"b\"}]} | input-member | line 1,"
            + " rules[1] | not both",
        "{\"rules\":[{\"mem_id\":0}]} | input-value | line 1, rules[0].mem_id | from 1 to",
        "{\"rules\":[{\"mem_id\":\"2\"}]} | input-member | line 1, rules[0].mem_id | expected a"
            + " whole number",
        "{\"rules\":[{\"mem-id\":2}]} | input-member | line 1, rules[0].mem-id | unknown member"
            + " 'mem-id'",
        "{\"rules\":[{\"mem_id\":1,\"op\":null}]} | input-member | line 1, rules[0].op | expected a"
            + " text",
        "{\"rules\":[{\"mem_id\":1,\"role\":\"in\"}]} | input-member | line 1, rules[0].role |"
            + " unknown role 'in'",
        "{\"rules\":[{\"mem_id\":1,\"dtype\":\"f31\"}]} | input-member | line 1, rules[0].dtype |"
            + " unknown element type",
        "{\"rules\":[{\"mem_id\":1,\"device\":\":1\"}]} | input-value | line 1, rules[0].device |"
            + " not a device",
        "{\"rules\":[{\"mem_id\":1,\"min_bytes\":\"4 KiB\",\"max_bytes\":9}]} | input-value | line"
            + " 1, rules[0] | above max_bytes 9",
        "{\"rules\":[{\"mem_id\":1,\"min_bytes\":-1}]} | input-value | line 1, rules[0].min_bytes |"
            + " must be 0 or more",
        "{\"rules\":[],\"rules\":[]} | input-syntax | line 1, rules | Duplicate",
        "{\"rules\":[] | input-syntax | line 1 | not well-formed JSON",
      })
  void rules_badFile_isALocatedError(String json, String kind, String place, String message)
      throws IOException {
    Diagnostic fault = fault(PROGRAM, call(json.strip()));
    assertThat(fault.kind().name()).isEqualTo(kind);
    assertThat(fault.location().source()).endsWith("rules.json");
    assertThat(fault.location().place()).startsWith(place);
    assertThat(fault.message()).contains(message);
  }

  @Test
  void rules_severalDocumentsUnknownBanksAndMissingFiles_areErrors() throws IOException {
    Diagnostic several = fault(PROGRAM, call("{\"rules\":[]}\n{\"rules\":[]}\n"));
    assertThat(several.kind()).isEqualTo(Kinds.INPUT_SYNTAX);
    Diagnostic bank = fault(PROGRAM, call("{\"rules\":[{\"bank\":\"b\"}]}"), BANKS);
    assertThat(bank.kind()).isEqualTo(Kinds.MAP_UNKNOWN_BANK);
    assertThat(bank.location().place()).isEqualTo("rules[0].bank");
    Diagnostic missing = fault(PROGRAM, "pin-pool{rules=/no/such/file}");
    assertThat(missing.kind()).isEqualTo(Kinds.INPUT_UNREADABLE);
  }

  @Test
  void rules_manyExactNames_areFoundByName() throws IOException {
    StringBuilder graph = new StringBuilder("%0 \"t0\" : u8[1] = input\n");
    StringBuilder rules = new StringBuilder("{\"rules\":[{\"mem_id\":1,\"name\":\"t0\"}");
    int count = 5_000;
    for (int i = 1; i < count; i++) {
      graph.append("%" + i + " \"t" + i + "\" : u8[1] = f\n");
      rules.append(",{\"mem_id\":" + (1 + i % 3) + ",\"name\":\"t" + i + "\"}");
    }
    Program program = Texts.program("", graph + "output()");
    PipelineResult result = run(program, call(rules + "]}"));
    assertThat(annotations(result.program(), MemoryKeys.PIN))
        .hasSize(count)
        .startsWith("0=1", "1=2", "2=3", "3=1");
    assertThat(result.warnings()).isEmpty();
  }
}
