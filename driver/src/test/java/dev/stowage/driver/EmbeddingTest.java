package dev.stowage.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README shows to embedders works, and is what is compiled here. */
class EmbeddingTest {
  private static final Path SOURCES = Path.of("src/test/java/dev/stowage/driver");
  private static final Path EXAMPLE =
      Path.of("../examples/custom-pipeline/src/main/java/com/acme/stowage");
  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @TempDir private Path folder;

  @Test
  void planAndWrite_realModel_givesAVerifiedPlanFile() throws IOException {
    Path model = Path.of("../models/person_detect.tflite");
    Path output = folder.resolve("plan.json");

    planAndWrite(model, output);

    assertThat(Files.readString(output))
        .startsWith("{\"format\":\"stowage-program-plan\",\"version\":1,")
        .contains("\"profile\":\"tflm\"", "\"strategy\":\"greedy\"", "\"findings\":[]")
        .endsWith("}\n")
        .hasLineCount(1);
  }

  private static void planAndWrite(Path model, Path output) {
    try (Stowage session = Stowage.open(model)) {
      Plans plans = session.strategy("greedy").plan();
      plans.requireVerified();
      plans.write(output);
    }
  }

  @Test
  void readme_everyJavaBlock_isCompiledHereOrInTheExample() throws IOException {
    String compiled =
        squeezed(
            Files.readString(SOURCES.resolve("EmbeddingTest.java"))
                + Files.readString(EXAMPLE.resolve("PinOperatorPass.java"))
                + Files.readString(EXAMPLE.resolve("FirstFitStrategy.java")));
    Matcher blocks = JAVA.matcher(Files.readString(Path.of("../README.md")));
    int count = 0;
    while (blocks.find()) {
      assertThat(compiled).contains(squeezed(blocks.group(1)));
      count++;
    }
    assertThat(count).isEqualTo(3);
  }

  private static String squeezed(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }
}
