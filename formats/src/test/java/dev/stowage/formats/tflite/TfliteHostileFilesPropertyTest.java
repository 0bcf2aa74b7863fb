package dev.stowage.formats.tflite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged files end in a diagnostic, whatever is wrong with them, or give a model. */
class TfliteHostileFilesPropertyTest {
  private static final int CORRUPTIONS = 2_000;

  @Test
  void read_everyPrefixOfAModel_endsInADiagnostic() throws IOException {
    byte[] model = model("while_if");

    for (int length = 0; length < model.length; length++) {
      byte[] prefix = Arrays.copyOf(model, length);
      assertThatThrownBy(() -> TfliteImporter.read("cut", prefix))
          .as("first %s bytes", length)
          .isInstanceOf(DiagnosticException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"while_if", "audio_preprocessor_int8"})
  void read_oneByteChanged_givesAModelOrADiagnostic(String name) throws IOException {
    byte[] model = model(name);
    Random random = new Random(1);

    for (int i = 0; i < CORRUPTIONS; i++) {
      int at = random.nextInt(model.length);
      byte old = model[at];
      model[at] = (byte) random.nextInt(256);
      assertReadOrDiagnosed(model, name + ", seed 1, byte " + at + " set to " + model[at]);
      model[at] = old;
    }
  }

  @Test
  void read_randomBytesAfterTheIdentifier_endInADiagnostic() {
    Random random = new Random(2);

    for (int i = 0; i < CORRUPTIONS; i++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      byte[] head = {16, 0, 0, 0, 'T', 'F', 'L', '3'};
      System.arraycopy(head, 0, bytes, 0, Math.min(head.length, bytes.length));
      assertReadOrDiagnosed(bytes, "seed 2, round " + i);
    }
  }

  @Test
  void read_somethingElse_saysThatItIsNoModel() {
    byte[] text = "this is not a model".getBytes(StandardCharsets.US_ASCII);

    assertThatThrownBy(() -> TfliteImporter.read("a.txt", text))
        .isInstanceOfSatisfying(
            DiagnosticException.class,
            e -> assertThat(e.diagnostic().kind()).isEqualTo(Kinds.INPUT_MALFORMED))
        .hasMessageContaining("a.txt: error[input-malformed]: not a TensorFlow Lite model");
    assertThatCode(() -> TfliteImporter.read("empty", new byte[0]))
        .isInstanceOf(DiagnosticException.class);
  }

  private static void assertReadOrDiagnosed(byte[] bytes, String what) {
    try {
      assertThat(TfliteImporter.read("damaged", bytes).program().methods()).hasSize(1);
    } catch (DiagnosticException e) {
      assertThat(e.diagnostic().message()).as(what).isNotEmpty();
    } catch (RuntimeException | StackOverflowError e) {
      fail(what, e);
    }
  }

  private static byte[] model(String name) throws IOException {
    return Files.readAllBytes(Path.of("..", "models", name + ".tflite"));
  }
}
