package dev.stowage.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.base.DiagnosticException;
import dev.stowage.base.io.Source;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileFormatTest {
  private static FileFormat detect(String name, String content) {
    try (Source source = Source.of(name, content.getBytes(StandardCharsets.UTF_8))) {
      return FileFormat.detect(source);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "x.json   | ....TFL3....                                      | tflite",
        "x        | ....ET12....                                      | pte",
        "-        | {\"name\":\"p\",\"buffers\":[]}                   | problem",
        "-        | {\"name\":\"p\",\"algorithm\":\"greedy\",          | problem",
        "-        | {\"format\":1,\"name\":\"g\",\"specs\":[]}         | executorch-graph",
        "-        | {\"name\":\"g\",\"graphs\":[]}                    | executorch-graph",
        "x.csv    | {\"format\":\"stowage-plan\",\"version\":1}       | stowage-plan",
        "-        | {\"name\":\"\",\"format\":\"stowage-program-plan\"} | stowage-program-plan",
        "-        | size,begin,end,id                                 | minimalloc-csv",
        "-        | program \"m\" {                                   | stow",
        "x.jsonl  | broken first line                                 | problem",
        "x.csv.gz | no header                                         | minimalloc-csv",
        "x.tflite | short                                             | tflite",
        "x.stow   | programme                                         | stow",
      })
  void detect_contentThenEnding_tells(String name, String content, String format) {
    assertThat(detect(name, content)).hasToString(format);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "x.acme | ....TFL3....                     | tflite",
        "x.acme | {\"name\":\"p\",\"buffers\":[]}  | problem",
        "x.acme | {\"graphs\":[]}                 | executorch-graph",
        "x.acme | program \"m\" {                  | stow",
        "x.json | {\"name\":\"p\",\"layers\":[]}   |",
        "x.json | {\"format\":\"acme\",\"specs\":1} |",
        "x.csv  | no header                        |",
      })
  void marked_contentThatOnlyOneFormatHas_tells(String name, String content, String format) {
    try (Source source = Source.of(name, content.getBytes(StandardCharsets.UTF_8))) {
      assertThat(FileFormat.marked(source).map(FileFormat::toString))
          .isEqualTo(Optional.ofNullable(format));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "x.bin  | whatever                  | input-unknown-format",
        "x.json | {\"format\":\"other\"}    | input-unknown-format",
        "x.json | ``                        | input-syntax",
      })
  void detect_nothingTells_isAnError(String name, String content, String kind) {
    DiagnosticException e =
        catchThrowableOfType(DiagnosticException.class, () -> detect(name, content));
    assertThat(e.diagnostic().kind().name()).isEqualTo(kind);
    assertThat(e.diagnostic().location()).hasToString(name);
  }

  @Test
  void detect_prettyPrinted_isFoundToo() {
    assertThat(detect("-", "\n{\n  \"name\": \"x\",\n  \"specs\": [\n"))
        .isEqualTo(FileFormat.GRAPH);
  }
}
