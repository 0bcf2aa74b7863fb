package dev.stowage.formats.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.formats.plan.ProgramPlan.ArenaDevice;
import dev.stowage.formats.plan.ProgramPlan.MethodEntry;
import dev.stowage.formats.plan.ProgramPlan.TensorEntry;
import dev.stowage.planning.Arena;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.ClaimedPlan.Place;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.Finding.Subject;
import dev.stowage.verifier.FindingKind;
import dev.stowage.verifier.RatedFinding;
import dev.stowage.verifier.RatedFinding.Severity;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanFilesTest {
  private static final RatedFinding FINDING =
      new RatedFinding(
          Finding.of(
              FindingKind.OVERLAP,
              "both \"live\"",
              -1,
              ImmutableList.of(
                  new Subject(0, "a", 1, 0, 16, 2, 5), new Subject(1, "", -1, -8, 4, 0, 2))),
          Severity.WARNING);

  private static PlanningProblem problem() {
    PlanningProblem.Builder problem = PlanningProblem.builder("p");
    problem.addArena(Arena.of(1).withReserved(8, 4));
    problem.addArena(Arena.of(3).closed());
    problem.addBuffer(10, 0, 2);
    problem.bufferName(0, "a");
    problem.addBuffer(6, 1, 5);
    problem.storage(1, 0, 4);
    problem.addBuffer(7, 3, 3);
    problem.pin(2, 1);
    return problem.alignment(4).build();
  }

  private static <T> ImmutableList<Entry<T>> list(Iterator<Entry<T>> entries) {
    return ImmutableList.copyOf(entries);
  }

  private static ImmutableList<Entry<PlanDocument>> readPlans(String text) {
    try (Source source = Source.of("p.json", text.getBytes(StandardCharsets.UTF_8))) {
      return list(PlanReader.read(source));
    }
  }

  private static ImmutableList<Entry<ProgramPlan>> readPrograms(String text) {
    try (Source source = Source.of("p.json", text.getBytes(StandardCharsets.UTF_8))) {
      return list(ProgramPlanReader.read(source));
    }
  }

  @Test
  void writePlan_everyMember_isInTheForm() throws IOException {
    PlanningProblem problem = problem();
    MemoryPlan plan =
        MemoryPlan.builder(problem).place(0, 0, 8, 0).place(1, 0, 12, 0).place(2, 1, 0).build();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (PlanWriter writer = new PlanWriter(out)) {
      writer.write(
          "p",
          "greedy{overlap=false}",
          problem,
          plan,
          LowerBounds.of(problem),
          ImmutableList.of(FINDING));
    }
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            """
            {"format":"stowage-plan","version":1,"name":"p","strategy":"greedy{overlap=false}",\
            "alignment":4,"arena_sizes":[0,24,0,8],"lower_bound":20,"lower_bounds":[0,24,0,8],\
            "optimal":true,"placements":[\
            {"buffer":0,"name":"a","mem_id":1,"mem_obj_id":0,"offset":8,"size":12,\
            "lifetime":[0,5]},\
            {"buffer":1,"name":"","mem_id":1,"mem_obj_id":0,"offset":12,"size":8,\
            "lifetime":[1,5],"base":0},\
            {"buffer":2,"name":"","mem_id":3,"mem_obj_id":null,"offset":0,"size":8,\
            "lifetime":[3,3]}],\
            "findings":[{"kind":"overlap","severity":"warning","message":"both \\"live\\"",\
            "tensors":[{"buffer":0,"name":"a","mem_id":1,"range":[0,16],"lifetime":[2,5]},\
            {"buffer":1,"name":"","mem_id":null,"range":[-8,4],"lifetime":[0,2]}],\
            "node":null,"count":1}]}
            """);
    PlanDocument read = readPlans(out.toString(StandardCharsets.UTF_8)).get(0).orThrow();
    assertThat(read.name()).isEqualTo("p");
    assertThat(read.error()).isEmpty();
    assertThat(read.plan().arenaSizes()).containsExactly(0, 24, 0, 8);
    assertThat(read.plan().places())
        .containsExactly(new Place(0, 1, 0, 8), new Place(1, 1, 0, 12), new Place(2, 3, -1, 0));
  }

  @Test
  void writeError_diagnostic_isOneTextAndReadBack() throws IOException {
    Diagnostic diagnostic =
        Diagnostic.of(Kinds.UNPLACEABLE, Location.at("buffer 3"), "9 bytes fit in no bank")
            .aboutBuffer(3)
            .note("a has 4 left")
            .help("enlarge a bank")
            .shortfall(new Diagnostic.Shortfall(9, 4, 1, ImmutableList.of(3, 0)));
    PlanningProblem.Builder builder = PlanningProblem.builder("e").speakOf("tensor", 10);
    for (int i = 0; i < 4; i++) {
      builder.bufferNumber(builder.addBuffer(8, 0, 1), 2 * i);
    }
    PlanningProblem problem = builder.build();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (PlanWriter writer = new PlanWriter(out)) {
      writer.writeError("e", PlanError.of(diagnostic, problem));
      writer.writeError("f", new PlanError("input-syntax", "m", -1, Optional.empty()));
    }
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            """
            {"format":"stowage-plan","version":1,"name":"e","error":{"kind":"unplaceable",\
            "message":"buffer 3: 9 bytes fit in no bank; a has 4 left; enlarge a bank",\
            "buffer":6,"proof":{"required":9,"available":4,"missing":5,"step":11,\
            "buffers":[6,0]}}}
            {"format":"stowage-plan","version":1,"name":"f","error":{"kind":"input-syntax",\
            "message":"m","buffer":null}}
            """);
    ImmutableList<Entry<PlanDocument>> read = readPlans(out.toString(StandardCharsets.UTF_8));
    assertThat(read).hasSize(2);
    assertThat(read.get(0).orThrow().error()).contains(PlanError.of(diagnostic, problem));
    assertThat(read.get(1).orThrow().plan().places()).isEmpty();
  }

  @Test
  void writeAndReadPlans_random_areEqual() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    List<List<Place>> wanted = new ArrayList<>();
    List<long[]> sizes = new ArrayList<>();
    Random random = new Random(5);
    try (PlanWriter writer = new PlanWriter(out)) {
      for (int round = 0; round < 100; round++) {
        PlanningProblem.Builder builder = PlanningProblem.builder("p" + round);
        builder.addArena(Arena.of(1 + random.nextInt(5)));
        builder.addArena(Arena.of(10));
        int count = random.nextInt(20);
        for (int i = 0; i < count; i++) {
          builder.addBuffer(random.nextLong(1L << 40), i, i + random.nextInt(9));
        }
        PlanningProblem problem = builder.build();
        MemoryPlan.Builder plan = MemoryPlan.builder(problem);
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          int arena = random.nextInt(2);
          long offset = random.nextLong(1L << 40);
          int object = random.nextInt(4) - 1;
          plan.place(i, arena, offset, object);
          places.add(new Place(i, problem.arena(arena).memId(), object, offset));
        }
        MemoryPlan built = plan.build();
        writer.write("p" + round, "s", problem, built, LowerBounds.of(problem), ImmutableList.of());
        wanted.add(places);
        sizes.add(built.arenaSizes());
      }
    }
    ImmutableList<Entry<PlanDocument>> read = readPlans(out.toString(StandardCharsets.UTF_8));
    assertThat(read).hasSize(100);
    for (int round = 0; round < 100; round++) {
      PlanDocument document = read.get(round).orThrow();
      assertThat(document.name()).isEqualTo("p" + round);
      assertThat(document.plan().places())
          .as("seed 5, round %s", round)
          .isEqualTo(wanted.get(round));
      assertThat(document.plan().arenaSizes()).isEqualTo(sizes.get(round));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}                                                   | input-member      | line 1",
        "{\"format\":\"x\"}                                   | input-member      | line 1, format",
        "{\"format\":\"stowage-plan\",\"version\":2}          | input-unsupported | line 1,"
            + " version",
        "{\"format\":\"stowage-plan\",\"version\":1}          | input-member      | line 1",
        "{\"placements\":[{\"buffer\":0,\"mem_id\":1}]}       | input-member | line 1,"
            + " placements[0]",
        "{\"placements\":[{\"bufer\":0}]}             | input-member | line 1, placements[0].bufer",
        "{\"arena_sizes\":[-1]}                       | input-value  | line 1, arena_sizes[0]",
        "{\"placements\":[{\"offset\":1e3}]}          | input-value  | line 1,"
            + " placements[0].offset",
        "{\"findings\":[{\"kind\":\"overlp\"}]}       | input-member | line 1, findings[0].kind",
      })
  void readPlan_bad_saysKindAndPlace(String text, String kind, String place) {
    Diagnostic error = ((Entry.Bad<PlanDocument>) readPlans(text).get(0)).error();
    assertThat(error.kind().name()).isEqualTo(kind);
    assertThat(error.location()).hasToString("p.json:" + place);
  }

  @Test
  void writeAndReadProgramPlans_everyMember_areEqual() throws IOException {
    MethodEntry forward =
        new MethodEntry(
            "forward",
            ImmutableLongArray.of(0, 64),
            ImmutableList.of(new ArenaDevice(2, "CUDA", 1)),
            ImmutableMap.of("cond.true", ImmutableLongArray.of(0, 8)),
            ImmutableIntArray.of(2, 0),
            OptionalLong.of(3),
            Optional.of("ok"),
            48,
            true,
            ImmutableList.of(FINDING),
            Optional.empty());
    MethodEntry plain =
        new MethodEntry(
            "plain",
            ImmutableLongArray.of(0, 0),
            ImmutableList.of(),
            ImmutableMap.of(),
            ImmutableIntArray.of(),
            OptionalLong.empty(),
            Optional.empty(),
            0,
            false,
            ImmutableList.of(),
            Optional.empty());
    PlanError error = new PlanError("unplaceable", "no room", -1, Optional.empty());
    List<ProgramPlan> plans =
        List.of(
            new ProgramPlan(
                "doc",
                2,
                "executorch",
                "greedy",
                16,
                ImmutableList.of(forward, plain, MethodEntry.failed("other", error)),
                ImmutableList.of(
                    new TensorEntry(5, "t", 48, 0, 3, 1, -1, 16, -1),
                    new TensorEntry(7, "", 16, 1, 1, 1, 4, 0, 5)),
                Optional.empty()),
            ProgramPlan.failed("bad", 0, error));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ProgramPlanWriter writer = new ProgramPlanWriter(out)) {
      for (ProgramPlan plan : plans) {
        writer.write(plan);
      }
    }
    String text = out.toString(StandardCharsets.UTF_8);
    assertThat(text.lines().toList().get(1))
        .isEqualTo(
            "{\"format\":\"stowage-program-plan\",\"version\":1,\"name\":\"bad\",\"plan\":0,"
                + "\"error\":{\"kind\":\"unplaceable\",\"message\":\"no room\"}}");
    assertThat(text)
        .contains("{\"tensor\":0,\"name\":\"a\"")
        .contains("\"arena_devices\":[{\"mem_id\":2,\"device_type\":\"CUDA\",\"device_index\":1}]")
        .contains("\"storage_reuse_pairs\":null,\"io_check\":null");
    assertThat(readPrograms(text)).extracting(Entry::orThrow).isEqualTo(plans);
  }
}
