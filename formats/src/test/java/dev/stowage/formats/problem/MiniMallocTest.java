package dev.stowage.formats.problem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.io.Source;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome.Planned;
import dev.stowage.planning.PlanningProblem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MiniMallocTest {
  private static PlanningProblem read(String text) {
    return read(text, ProblemOptions.NONE).problem();
  }

  private static ProblemDocument read(String text, ProblemOptions options) {
    try (Source source = Source.of("dir/c.12.csv", text.getBytes(StandardCharsets.UTF_8))) {
      return MiniMallocReader.read(source, options);
    }
  }

  private static Diagnostic error(String text) {
    DiagnosticException e = catchThrowableOfType(DiagnosticException.class, () -> read(text));
    return Objects.requireNonNull(e, text).diagnostic();
  }

  private static String write(PlanningProblem problem, Optional<MemoryPlan> plan) {
    StringBuilder out = new StringBuilder();
    try {
      MiniMallocWriter.write(out, problem, plan);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return out.toString();
  }

  private static String resource(String name) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(MiniMallocTest.class.getResourceAsStream("/minimalloc/" + name))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void read_halfOpenLifetime_becomesInclusive() {
    PlanningProblem problem = read("size,id,upper,lower\r\n7,b1,3,0\r\n8,b2,2147483647,3\r\n");
    assertThat(problem.name()).isEqualTo("c.12");
    assertThat(problem.bufferCount()).isEqualTo(2);
    assertThat(problem.sizeBytes(0)).isEqualTo(7);
    assertThat(problem.bufferName(0)).isEqualTo("b1");
    assertThat(problem.start(0)).isZero();
    assertThat(problem.end(0)).isEqualTo(2);
    assertThat(problem.end(1)).isEqualTo(2147483646);
    assertThat(problem.alignment()).isEqualTo(1);
  }

  @Test
  void read_endColumn_isInclusiveAlsoInGaps() {
    PlanningProblem inclusive = read("buffer,start,end,size,gaps\na,0,9,1,2-3 6-6\n");
    PlanningProblem exclusive = read("buffer_id,begin,upper,size,gaps\na,0,10,1,6-7 2-4\n");
    for (PlanningProblem problem : new PlanningProblem[] {inclusive, exclusive}) {
      assertThat(problem.end(0)).isEqualTo(9);
      assertThat(problem.gapCount()).isEqualTo(2);
      assertThat(problem.gapStart(0)).isEqualTo(2);
      assertThat(problem.gapEnd(0)).isEqualTo(3);
      assertThat(problem.gapStart(1)).isEqualTo(6);
      assertThat(problem.gapEnd(1)).isEqualTo(6);
    }
  }

  @Test
  void read_oneAlignmentThroughout_isThePlans() {
    PlanningProblem problem = read("id,lower,upper,size,alignment\na,0,1,5,8\nb,0,1,5,8\n");
    assertThat(problem.alignment()).isEqualTo(8);
    assertThat(problem.constraints()).isEmpty();
  }

  @Test
  void read_severalAlignments_areTheBuffers() {
    PlanningProblem problem = read("id,lower,upper,size,alignment\na,0,1,5,1\nb,0,1,5,8\n");
    assertThat(problem.alignment()).isEqualTo(1);
    assertThat(problem.bufferAlignment(0)).isEqualTo(1);
    assertThat(problem.bufferAlignment(1)).isEqualTo(8);
  }

  @Test
  void read_withOptions_prefersTheCallers() {
    ProblemDocument document =
        read(
            "id,lower,upper,size,alignment,hint\na,0,1,5,8,-1\n\nrest,is,not,read\n",
            ProblemOptions.NONE.withAlignment(4).withCapacity(12));
    assertThat(document.problem().alignment()).isEqualTo(4);
    assertThat(document.problem().bufferAlignment(0)).isEqualTo(8);
    assertThat(document.problem().arena(0).capacityBytes()).isEqualTo(12);
    assertThat(document.problem().bufferCount()).isEqualTo(1);
  }

  @Test
  void read_offsetColumn_fixesOffsetsInArenaOne() {
    PlanningProblem problem = read("id,lower,upper,size,offset\na,0,1,5,64\n");
    assertThat(problem.fixedOffset(0)).isEqualTo(64);
    assertThat(problem.arena(problem.pinnedArena(0)).memId()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "id,lower,upper                        | input-member      | line 1",
        "id,lower,upper,size,colour            | input-member      | line 1",
        "id,lower,upper,size,begin             | input-member      | line 1",
        "id,lower,upper,end,size               | input-member      | line 1",
        "id,lower,upper,size/a,0,1             | input-syntax      | line 2",
        "id,lower,upper,size/a,0,1,2,3         | input-syntax      | line 2",
        "id,lower,upper,size/a,0,1,2/b,0,x,2   | input-syntax      | line 3, column upper",
        "id,lower,upper,size/a,0,1,            | input-syntax      | line 2, column size",
        "id,lower,upper,size/a,0,1,1.5         | input-syntax      | line 2, column size",
        "id,lower,upper,size/a,0,1,-           | input-syntax      | line 2, column size",
        "id,lower,upper,size/a,0,1,-1          | input-value       | line 2, column size",
        "id,lower,upper,size/a,0,1,9223372036854775808 | input-value | line 2, column size",
        "id,lower,upper,size/a,0,1,99999999999999999999999 | input-value | line 2, column size",
        "id,lower,upper,size/a,3,3,1           | input-value       | line 2, column upper",
        "id,lower,upper,size/a,3,2,1           | input-value       | line 2, column upper",
        "id,lower,upper,size/a,-1,2,1          | input-value       | line 2, column lower",
        "id,lower,upper,size/a,0,2147483648,1  | input-value       | line 2, column upper",
        "id,lower,upper,size,alignment/a,0,1,1,0 | input-value     | line 2, column alignment",
        "id,lower,upper,size,hint/a,0,1,1,0    | input-unsupported | line 2, column hint",
        "id,lower,upper,size,gaps/a,0,9,1,1-2@0:1 | input-unsupported | line 2, column gaps",
        "id,lower,upper,size,gaps/a,0,9,1,1-4 3-5 | input-value    | line 2, column gaps",
        "id,lower,upper,size,gaps/a,1,9,1,0-4  | input-value       | line 2, column gaps",
        "id,lower,upper,size,gaps/a,1,9,1,4-4  | input-value       | line 2, column gaps",
        "id,lower,upper,size,gaps/a,1,9,1,4    | input-syntax      | line 2, column gaps",
      })
  void read_badText_saysKindAndPlace(String lines, String kind, String place) {
    Diagnostic error = error(lines.replace('/', '\n'));
    assertThat(error.kind().name()).isEqualTo(kind);
    assertThat(error.location()).hasToString("dir/c.12.csv:" + place);
  }

  @Test
  void read_emptyFile_isASyntaxError() {
    assertThat(error("").message()).isEqualTo("the file is empty");
  }

  @Test
  void read_notUtf8_isASyntaxError() {
    byte[] bytes = "id,lower,upper,size\n\u00e9,0,1,2\n".getBytes(StandardCharsets.ISO_8859_1);
    try (Source source = Source.of("c.csv", bytes)) {
      DiagnosticException e =
          catchThrowableOfType(
              DiagnosticException.class, () -> MiniMallocReader.read(source, ProblemOptions.NONE));
      assertThat(e.diagnostic().kind().name()).isEqualTo("input-syntax");
    }
  }

  @ParameterizedTest
  @CsvSource({"input.12.csv, 5, 12", "small-e.12.csv, 5, 12", "A.1048576.csv, 154, 1048576"})
  void read_publishedInstance_hasItsBufferCountAndLoad(String file, int count, long load)
      throws IOException {
    PlanningProblem problem = read(resource(file));
    assertThat(problem.bufferCount()).isEqualTo(count);
    assertThat(LowerBounds.of(problem).totalBytes()).isEqualTo(load);
  }

  @Test
  void write_plan_appendsOffsets() {
    PlanningProblem problem = read("id,start,end,size\nx,0,1,4\ny,1,2,4\n");
    MemoryPlan plan = MemoryPlan.builder(problem).place(0, 0, 4).place(1, 0, 0).build();
    assertThat(write(problem, Optional.of(plan)))
        .isEqualTo("id,lower,upper,size,offset\nx,0,2,4,4\ny,1,3,4,0\n");
  }

  @Test
  void write_whatTheFormatLacks_isRefused() {
    PlanningProblem.Builder problem = PlanningProblem.builder("p");
    problem.addBuffer(4, 0, 1);
    problem.bufferName(0, "a,b");
    DiagnosticException e =
        catchThrowableOfType(
            DiagnosticException.class, () -> write(problem.build(), Optional.empty()));
    assertThat(e.diagnostic().kind().name()).isEqualTo("input-unsupported");
    assertThat(e.diagnostic().message()).contains("a,b");
  }

  @Test
  void writeAndRead_publishedInstanceWithPlan_fixesTheSameOffsets() throws IOException {
    PlanningProblem problem = read(resource("A.1048576.csv"));
    Planned planned = (Planned) Planner.withInstalledStrategies().plan(problem, Call.of("greedy"));
    PlanningProblem solved = read(write(problem, Optional.of(planned.plan())));
    for (int i = 0; i < problem.bufferCount(); i++) {
      assertThat(solved.fixedOffset(i)).isEqualTo(planned.plan().offsetBytes(i));
    }
  }

  @Test
  void writeAndRead_randomProblems_areEqual() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      StringBuilder text = new StringBuilder("id,lower,upper,size,alignment,gaps\n");
      int count = 2 + random.nextInt(20);
      for (int i = 0; i < count; i++) {
        int lower = random.nextInt(50);
        int upper = lower + 10 + random.nextInt(50);
        int alignment = i == 0 ? 4 : 1 << random.nextInt(6);
        text.append("b ").append(i).append(',').append(lower).append(',').append(upper);
        text.append(',').append(random.nextLong(1L << 40)).append(',').append(alignment);
        text.append(',').append(lower + 1).append('-').append(lower + 3);
        text.append(random.nextBoolean() ? " " + (lower + 4) + "-" + upper : "").append('\n');
      }
      String once = text.toString();
      assertThat(write(read(once), Optional.empty())).as("seed %s", seed).isEqualTo(once);
    }
  }
}
