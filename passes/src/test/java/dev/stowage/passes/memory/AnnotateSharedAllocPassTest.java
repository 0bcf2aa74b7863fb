package dev.stowage.passes.memory;

import static dev.stowage.passes.memory.MemoryPasses.fault;
import static dev.stowage.passes.memory.MemoryPasses.run;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.Diagnostic;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Placement;
import dev.stowage.ir.memory.Shares;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.passes.PlannedMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnnotateSharedAllocPassTest {
  private static Program program(String tensors, String attributes) {
    return ProgramParser.parse(
        "t",
        """
        program "p"
        method @m {
          graph @main {
            %0 "x" : u8[64] = input
            %1 "a" : u8[64] = relu(%0)
            %2 "d" : u8[64] on cuda:0 = copy_to_device(%0)
            %3 "r" : u8[16] = alloc
            TENSORS = pick([%1, %0], %1, _, %2, out %3) {ATTRIBUTES}
            output(%4, %1)
          }
        }
        """
            .replace("TENSORS", tensors)
            .replace("ATTRIBUTES", attributes));
  }

  private static Program onlyResult(String attributes) {
    return program("%4 : u8[16] same %3", attributes);
  }

  private static Method method(Program program) {
    return program.methods().get(0);
  }

  @Test
  void annotation_ofAnOutVariant_isWrittenOnTheAllocatedStorage() {
    Program input = onlyResult("share_alloc_with_arg_idx=1, shared_alloc_offset=32");

    Program output = run(input, "annotate-shared-alloc").program();

    assertThat(method(output).get(MemoryKeys.SHARES, 3)).contains(new Shares(1, 32, false));
    assertThat(method(output).get(MemoryKeys.SHARES, 4)).contains(new Shares(1, 32, false));
    assertThat(run(output, "annotate-shared-alloc").program()).isEqualTo(output);
  }

  @Test
  void annotation_inANamedPipeline_isPlannedInsideTheArgument() {
    Program input = onlyResult("share_alloc_with_arg_idx=1, shared_alloc_offset=32");
    for (String pipeline : new String[] {"default", "executorch"}) {
      Method planned = method(run(input, pipeline).program());
      Placement base = planned.get(MemoryKeys.PLACEMENT, 1).orElseThrow();
      assertThat(planned.get(MemoryKeys.PLACEMENT, 3))
          .as(pipeline)
          .contains(new Placement(base.memId(), base.memObjId(), base.offsetBytes() + 32));
    }
  }

  @Test
  void annotation_withoutOffset_isAtTheBeginning() {
    Program output =
        run(onlyResult("share_alloc_with_arg_idx=1"), "annotate-shared-alloc").program();

    assertThat(method(output).get(MemoryKeys.SHARES, 3)).contains(new Shares(1, 0, false));
  }

  @Test
  void annotation_ofSeveralResults_isReadForEach() {
    Program input =
        program(
            "%4 : u8[16] same %3, %5 : u8[8], %6 : u8[16]",
            "share_alloc_with_arg_idx=1:_:1, shared_alloc_offset=0:_:48");

    Method method = method(run(input, "annotate-shared-alloc").program());

    assertThat(method.get(MemoryKeys.SHARES, 3)).contains(new Shares(1, 0, false));
    assertThat(method.get(MemoryKeys.SHARES, 5)).isEmpty();
    assertThat(method.get(MemoryKeys.SHARES, 6)).contains(new Shares(1, 48, false));
  }

  @Test
  void annotation_pointingAtAViewOfAnInPlaceResult_countsInTheStorage() {
    Program input =
        ProgramParser.parse(
            "t",
            """
            program "p"
            method @m {
              graph @main {
                %0 "x" : u8[64] = input
                %1 "a" : u8[64] = relu(%0)
                %2 "b" : u8[64] mutates %1 = relu_(inout %1)
                %3 "v" : u8[32] view %2+32 = view(bind %2)
                %4 "r" : u8[16] = pick(%3) {share_alloc_with_arg_idx=0, shared_alloc_offset=16}
                output(%4)
              }
            }
            """);

    Method method = method(run(input, "default").program());

    long base = method.get(MemoryKeys.PLACEMENT, 1).orElseThrow().offsetBytes();
    assertThat(method.get(MemoryKeys.PLACEMENT, 4).orElseThrow().offsetBytes())
        .isEqualTo(base + 32 + 16);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "shared_alloc_offset=16|input-member|shared_alloc_offset is given, but not the argument in"
            + " which the offset counts",
        "share_alloc_with_arg_idx=x|input-value|share_alloc_with_arg_idx is no whole number below"
            + " 2^63: 'x'",
        "share_alloc_with_arg_idx=1.5|input-value|share_alloc_with_arg_idx is no whole number"
            + " below 2^63: '1.5'",
        "share_alloc_with_arg_idx=9223372036854775808|input-value|share_alloc_with_arg_idx is no"
            + " whole number below 2^63: '9223372036854775808'",
        "share_alloc_with_arg_idx=1, shared_alloc_offset=y|input-value|shared_alloc_offset is no"
            + " whole number below 2^63: 'y'",
        "share_alloc_with_arg_idx=-1|input-reference|share_alloc_with_arg_idx is -1, but the node"
            + " has 4 positional arguments, from 0 on",
        "share_alloc_with_arg_idx=4|input-reference|share_alloc_with_arg_idx is 4, but the node has"
            + " 4 positional arguments, from 0 on",
        "share_alloc_with_arg_idx=2|input-reference|share_alloc_with_arg_idx is 2, but argument 2"
            + " is no tensor",
        "share_alloc_with_arg_idx=0|input-reference|share_alloc_with_arg_idx is 0, but argument 0"
            + " is a list of 2 tensors",
        "share_alloc_with_arg_idx=0:1|input-value|share_alloc_with_arg_idx has 2 values (0:1), but"
            + " the node has 1 results",
        "share_alloc_with_arg_idx=_, shared_alloc_offset=4|input-member|result 0 has an offset (4),"
            + " but no argument in which it counts",
        "share_alloc_with_arg_idx=3|constraints-conflict|result %4 is on cpu, but would lie in %2"
            + " (d), which is on cuda:0",
      })
  void annotation_thatIsWrong_isRefusedWithItsOwnMessage(
      String attributes, String kind, String message) {
    Diagnostic fault = fault(onlyResult(attributes), "annotate-shared-alloc");

    assertThat(fault.kind().name()).isEqualTo(kind);
    assertThat(fault.message()).isEqualTo(message);
    assertThat(fault.location()).hasToString("m/main/4 (pick)");
  }

  @Test
  void annotation_ofAView_isRefused() {
    Program input = program("%4 : u8[16] view %1", "share_alloc_with_arg_idx=1");

    assertThat(fault(input, "annotate-shared-alloc").message())
        .isEqualTo(
            "result %4 is a handle to the bytes of %1 (a) already, so that it cannot lie"
                + " elsewhere");
  }

  @Test
  void annotation_againstAnother_namesBoth() {
    Program known =
        ProgramParser.parse(
            "t",
            ProgramPrinter.print(onlyResult("share_alloc_with_arg_idx=1, shared_alloc_offset=32"))
                .replace("\"r\" : u8[16]", "\"r\" : u8[16] {shares=%0:16}"));
    assertThat(fault(known, "annotate-shared-alloc").message())
        .isEqualTo(
            "result %4 is to lie 32 bytes into %1 (a), but was put 16 bytes into %0 (x) already");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "-1|storage-negative-offset|offset -1 in tensor 1 (a) is negative",
        "9223372036854775807|input-overflow|sizes, offsets and reserved bytes add up to more"
            + " than 2^63 - 1 bytes",
        "1|storage-misaligned|offset 1 in tensor 1 (a) is no multiple of the alignment 16 where"
            + " that base lies",
        "49|storage-misaligned|offset 49 in tensor 1 (a) is no multiple of the alignment 16 where"
            + " that base lies",
        "64|storage-does-not-fit|16 bytes at offset 64 reach past the end of tensor 1 (a), which"
            + " has 64",
      })
  void offset_thatCannotBe_isRefusedWithItsNumbers(String offset, String kind, String message) {
    PlannedMethod planned =
        run(
                onlyResult("share_alloc_with_arg_idx=1, shared_alloc_offset=" + offset),
                "annotate-shared-alloc,plan")
            .plans()
            .get(0);

    Diagnostic fault = ((PlannedMethod.Failed) planned.result()).why();
    assertThat(fault.kind().name()).isEqualTo(kind);
    assertThat(fault.message()).isEqualTo(message);
  }
}
