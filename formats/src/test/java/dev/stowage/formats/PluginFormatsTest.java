package dev.stowage.formats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.io.ByteSource;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.Plugins;
import dev.stowage.base.io.Source;
import dev.stowage.ir.Program;
import dev.stowage.ir.text.ProgramParser;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What plug-ins read and write, and how they are kept apart. */
class PluginFormatsTest {
  private static final Program PROGRAM = ProgramParser.parse("p", "program \"p\"");
  private static final PlannedModel MODEL =
      new PlannedModel("p", "acme", ByteSource.wrap(new byte[] {7}), PROGRAM);

  private record Importer(FormatSpec spec, Predicate<String> content) implements ModelImporter {
    @Override
    public boolean recognises(String name, byte[] start) {
      return content.test(new String(start, UTF_8));
    }

    @Override
    public ImportedModel read(Source source) {
      throw new IllegalStateException("cannot count to " + source.readAll().length);
    }
  }

  /** What an exporter does with the stream. */
  private interface Writing {
    void write(OutputStream out) throws IOException;
  }

  private record Exporter(FormatSpec spec, Optional<Diagnostic> refused, Writing writing)
      implements PlanExporter {
    @Override
    public Optional<Diagnostic> refusal(PlannedModel model) {
      return refused;
    }

    @Override
    public void write(PlannedModel model, OutputStream out) throws IOException {
      writing.write(out);
    }
  }

  private static Importer importer(String name, String mark, String... endings) {
    return new Importer(FormatSpec.of(name, "of tests", endings), text -> text.contains(mark));
  }

  private static Exporter exporter(String ending, Writing writing) {
    return new Exporter(FormatSpec.of("acme", "of tests", ending), Optional.empty(), writing);
  }

  @ParameterizedTest
  @CsvSource({
    "x.one, AB, one", // shown by both, the ending decides
    "x.two, AB, two",
    "x.bin, AB, one", // the first by name
    "x.one, B, two", // the content decides
    "x.two.gz, ?, two", // the content says nothing, the ending decides
    "x.bin, ?, ",
  })
  void recognise_contentThenEnding_tells(String name, String content, String format) {
    ModelImporters importers =
        new ModelImporters(List.of(importer("two", "B", ".two"), importer("one", "A", ".one")));
    assertThat(importers.formats()).extracting(FormatSpec::name).containsExactly("one", "two");
    try (Source source = Source.of(name, content.getBytes(UTF_8))) {
      assertThat(importers.recognise(source).map(FormatSpec::name))
          .isEqualTo(Optional.ofNullable(format));
      assertThat(source.readAll()).asString(UTF_8).isEqualTo(content);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "stow, .acme, two of kind importer are called 'stow': dev.stowage.formats.FileFormat from",
    "acme, .tflite, two have the ending '.tflite': Stowage's own format tflite and importer 'acme'",
    "two, .acme, two of kind importer are called 'two':",
    "acme, .two, two have the ending '.two': importer 'acme' from",
  })
  void importers_nameOrEndingThatIsTaken_isAClash(String name, String ending, String message) {
    Diagnostic fault =
        catchThrowableOfType(
                DiagnosticException.class,
                () ->
                    new ModelImporters(
                        List.of(importer("two", "", ".two"), importer(name, "", ending))))
            .diagnostic();
    assertThat(fault.kind()).isEqualTo(Kinds.PLUGIN_CLASH);
    assertThat(fault.message()).startsWith(message);
  }

  @Test
  void exporters_endingOfStowage_isAClash() {
    assertThatThrownBy(() -> new PlanExporters(List.of(exporter(".json", out -> {}))))
        .hasMessageContaining("'.json'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "acme", ".", ".a.b", ".ACME", ".gz", ".a b"})
  void spec_endingThatIsNone_isRefused(String ending) {
    assertThatThrownBy(() -> FormatSpec.of("acme", "of tests", ending))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + ending + "'");
  }

  @Test
  void exporters_withoutAnEnding_areRefused() {
    Exporter exporter =
        new Exporter(FormatSpec.of("acme", "of tests"), Optional.empty(), out -> {});
    assertThatThrownBy(() -> new PlanExporters(List.of(exporter)))
        .isInstanceOf(PluginFailedException.class)
        .hasMessageContaining("no ending");
  }

  @Test
  void read_importerThatFails_isNamed() {
    ModelImporters importers = new ModelImporters(List.of(importer("acme", "A", ".acme")));
    Source source = Source.of("x.acme", new byte[3]);
    assertThatThrownBy(() -> importers.read(importers.formats().get(0), source))
        .isInstanceOf(PluginFailedException.class)
        .hasMessageStartingWith("importer 'acme' from ")
        .hasMessageEndingWith("failed: java.lang.IllegalStateException: cannot count to 3");
  }

  @Test
  void write_exporterThatClosesTheStream_leavesItOpen() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    OutputStream out =
        new FilterOutputStream(bytes) {
          @Override
          public void close() {
            throw new IllegalStateException("closed");
          }
        };
    write(
        exporter(
            ".acme",
            stream -> {
              try (stream) {
                stream.write(new byte[] {1, 2, 3}, 1, 2);
              }
            }),
        out);
    assertThat(bytes.toByteArray()).containsExactly(2, 3);
  }

  @Test
  void write_exporterThatRefuses_writesNothing() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Diagnostic why = Diagnostic.of(Kinds.INPUT_UNSUPPORTED, "there is no place for state");
    Exporter exporter =
        new Exporter(
            FormatSpec.of("acme", "of tests", ".acme"),
            Optional.of(why),
            out -> {
              throw new AssertionError();
            });
    DiagnosticException e =
        catchThrowableOfType(DiagnosticException.class, () -> write(exporter, bytes));
    assertThat(e.diagnostic()).isEqualTo(why);
    assertThat(bytes.size()).isZero();
  }

  @Test
  void write_failures_areToldApart() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Exporter broken =
        exporter(
            ".acme",
            out -> {
              throw new NoSuchMethodError("Program.names()");
            });
    assertThatThrownBy(() -> write(broken, bytes))
        .isInstanceOf(PluginFailedException.class)
        .hasMessageContaining("exporter 'acme' from ")
        .hasMessageContaining("Program.names()");
    Exporter full =
        exporter(
            ".acme",
            out -> {
              throw new IOException("disk full");
            });
    assertThatThrownBy(() -> write(full, bytes))
        .isInstanceOf(IOException.class)
        .hasMessage("disk full");
  }

  @Test
  void installed_withoutPlugins_haveNone() {
    assertThat(ModelImporters.withImportersOf(Plugins.NONE).formats()).isEmpty();
    assertThat(PlanExporters.withExportersOf(Plugins.NONE).formats()).isEmpty();
  }

  private static void write(Exporter exporter, OutputStream out) throws IOException {
    PlanExporters exporters = new PlanExporters(List.of(exporter));
    exporters.write(exporters.ofName("x.acme.gz").orElseThrow(), MODEL, out);
  }
}
