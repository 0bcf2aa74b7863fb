package dev.stowage.formats.tflite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.formats.ImportedModel;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.memory.MemoryKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The real networks in {@code models/}, against what TFLite Micro makes of them. */
class ExampleModelsTest {
  private static final Path MODELS = Path.of("..", "models");

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          # file,                 graphs, operators, tensors, planned, variables
          audio_preprocessor_int8,     1,        22,      43,      25,         0
          basic_pitch_nmp,             1,       222,     290,     223,         0
          dtln_noise_suppression,      1,         4,      45,       5,         4
          keyword_scrambled_8bit,      1,        15,      54,      16,         7
          kws_ref_model,               1,        13,      35,      14,         0
          okay_nabu,                   2,        73,     117,      52,         0
          person_detect,               1,        31,      89,      32,         0
          pretrainedResnet_quant,      1,        16,      38,      17,         0
          selfie_segmentation,         1,       246,     360,     247,         0
          torchaudio_conformer,        1,       138,     192,     140,         0
          vww_96_int8,                 1,        31,      89,      32,         0
          while_if,                    5,        10,      27,      23,         0
          """)
  void read_exampleModel_hasTheCountsOfTfliteMicro(
      String name, int graphs, int operators, int tensors, int planned, int variables)
      throws IOException {
    Method method = read(name).program().methods().get(0);

    assertThat(method.body().graphs()).hasSize(graphs);
    assertThat(method.nodes())
        .filteredOn(node -> !node.op().equals("input") && !node.op().equals("output"))
        .hasSize(operators)
        .noneMatch(node -> node.op().startsWith("BUILTIN_"));
    assertThat(method.tensors()).hasSize(tensors);
    assertThat(method.tensors()).filteredOn(tensor -> isPlanned(method, tensor)).hasSize(planned);
    assertThat(method.tensors()).filteredOn(tensor -> tensor.state() != null).hasSize(variables);
  }

  @ParameterizedTest
  @CsvSource({
    "okay_nabu",
    "person_detect",
    "while_if",
    "keyword_scrambled_8bit",
    "audio_preprocessor_int8"
  })
  void read_exampleModel_yieldsEachTensorOnceAndReadsNoneBefore(String name) throws IOException {
    Method method = read(name).program().methods().get(0);

    Set<Integer> yielded = new HashSet<>();
    for (Node node : method.nodes()) {
      for (var operand : node.operands()) {
        if (!operand.isHole()) {
          Tensor tensor = method.tensor(operand.tensor());
          assertThat(tensor.constant() || tensor.state() != null || yielded.contains(tensor.id()))
              .as("%s has a value when %s uses it", tensor.describe(), node)
              .isTrue();
        }
      }
      node.results()
          .forEach(result -> assertThat(yielded.add(result)).as("%%%s is new", result).isTrue());
    }
  }

  @Test
  void read_okayNabu_notesItsResourceVariables() throws IOException {
    ImportedModel model = read("okay_nabu");

    assertThat(model.facts().notes()).contains("6 resource variables kept by the runtime");
  }

  @Test
  void read_personDetect_namesItsOperators() throws IOException {
    assertThat(read("person_detect").program().methods().get(0).nodes())
        .extracting(Node::op)
        .contains("CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "RESHAPE", "SOFTMAX");
  }

  private static boolean isPlanned(Method method, Tensor tensor) {
    return !tensor.constant()
        && tensor.state() == null
        && tensor.type().bytes() > 0
        && method.get(MemoryKeys.OWNER, tensor.id()).isEmpty();
  }

  private static ImportedModel read(String name) throws IOException {
    String file = name + ".tflite";
    return TfliteImporter.read(file, Files.readAllBytes(MODELS.resolve(file)));
  }
}
