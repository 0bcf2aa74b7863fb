package dev.stowage.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.Kinds;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.formats.ImportedModel;
import dev.stowage.formats.executorch.GraphDocumentImporter;
import dev.stowage.formats.tflite.TfliteImporter;
import dev.stowage.ir.Program;
import dev.stowage.ir.structure.Structure;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.Planner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What importers make of real files is well formed and survives its textual form. */
class ImportedProgramsTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden/graphs");
  private static final Path MODELS = Path.of("..", "models");

  @Test
  void graphDocuments_eachProgram_isWellFormedAndPrintsAndParses() throws IOException {
    int programs = 0;
    for (Path file : files(GOLDEN, ".gz")) {
      try (Source source = Source.open(file)) {
        Iterator<Entry<ImportedModel>> models = GraphDocumentImporter.read(source);
        while (models.hasNext()) {
          assertWellFormed(file, models.next().orThrow().program());
          programs++;
        }
      }
    }
    assertThat(programs).isGreaterThan(400);
  }

  @Test
  void tfliteModels_eachProgram_isWellFormedAndPrintsAndParses() throws IOException {
    List<Path> files = files(MODELS, ".tflite");
    assertThat(files).hasSizeGreaterThanOrEqualTo(12);
    for (Path file : files) {
      ImportedModel model = TfliteImporter.read(file.toString(), Files.readAllBytes(file));
      assertWellFormed(file, model.program());
    }
  }

  /** Variables and scratch of TFLite models are used without a node that yields them. */
  @Test
  void tfliteModels_defaultPipeline_isVerifiedOrRefusedForItsCalls() throws IOException {
    PassManager passManager = PassManager.withInstalledPasses();
    PlanningSettings settings =
        new PlanningSettings(
            Planner.withInstalledStrategies(),
            PlanRequest.DEFAULT,
            Optional.empty(),
            Optional.empty(),
            OptionalInt.empty(),
            OptionalLong.empty());
    for (Path file : files(MODELS, ".tflite")) {
      ImportedModel model = TfliteImporter.read(file.toString(), Files.readAllBytes(file));
      PlannedMethod method =
          passManager
              .run(model.program(), passManager.pipeline("test", "default"), settings)
              .plans()
              .get(0);
      if (method.result() instanceof PlannedMethod.Failed failed) {
        assertThat(failed.why().kind()).as(file.toString()).isEqualTo(Kinds.INPUT_UNSUPPORTED);
        assertThat(model.program().methods().get(0).body().graphs()).hasSizeGreaterThan(1);
      } else {
        assertThat(((PlannedMethod.Planned) method.result()).verification().findings())
            .as(file.toString())
            .isEmpty();
      }
    }
  }

  private static void assertWellFormed(Path file, Program program) {
    assertThat(Structure.check(program)).as("%s: %s", file, program.name()).isEmpty();
    Program parsed = ProgramParser.parse("text", ProgramPrinter.print(program));
    assertThat(parsed.equals(program)).as("%s: %s", file, program.name()).isTrue();
  }

  private static List<Path> files(Path folder, String ending) throws IOException {
    try (Stream<Path> walked = Files.walk(folder)) {
      return walked.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    }
  }
}
