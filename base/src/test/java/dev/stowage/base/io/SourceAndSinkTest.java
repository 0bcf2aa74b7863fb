package dev.stowage.base.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceAndSinkTest {
  @TempDir Path folder;

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static Diagnostic errorOf(Runnable action) {
    DiagnosticException e = catchThrowableOfType(DiagnosticException.class, action::run);
    return Objects.requireNonNull(e, "no error").diagnostic();
  }

  private static void assertError(Diagnostic error, String kind, String source) {
    assertThat(error.kind().name()).isEqualTo(kind);
    assertThat(error.location()).hasToString(source);
  }

  private List<Path> listing() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  @Test
  void source_gzipContent_isDecompressedWhateverItsName() throws IOException {
    Path file = Files.write(folder.resolve("plain.txt"), gzip(ascii("hello")));
    try (Source source = Source.open(file)) {
      assertThat(source.peek(3)).isEqualTo(ascii("hel"));
      assertThat(source.peek(2)).isEqualTo(ascii("he"));
      assertThat(source.readAll()).isEqualTo(ascii("hello"));
    }
  }

  @Test
  void source_plainContentNamedGz_isReadAsItIs() {
    try (Source source = Source.of("dir/a.b.json.gz", ascii("x"))) {
      assertThat(source.readAll()).isEqualTo(ascii("x"));
      assertThat(source.stem()).isEqualTo("a.b");
      assertThat(source.uncompressedName()).isEqualTo("dir/a.b.json");
    }
  }

  @Test
  void source_dash_isStandardInput() {
    try (Source source = Source.open("-", new ByteArrayInputStream(ascii("in")))) {
      assertThat(source.readAll()).isEqualTo(ascii("in"));
      assertThat(source.name()).isEqualTo("standard input");
    }
  }

  @Test
  void source_directoryOrMissing_isUnreadable() {
    String directory = folder.toString();
    assertError(errorOf(() -> open(directory)), "input-unreadable", directory);
    assertThat(errorOf(() -> open(directory)).message()).contains("is a directory");
    String missing = folder.resolve("none.json").toString();
    assertError(errorOf(() -> open(missing)), "input-unreadable", missing);
    assertThat(errorOf(() -> open(missing)).message()).contains("does not exist");
  }

  private static void open(String name) {
    Source.open(name, InputStream.nullInputStream()).close();
  }

  @Test
  void source_truncatedGzip_isUnreadableAtEveryLength() throws IOException {
    byte[] whole = gzip(ascii("some text that is long enough to be cut"));
    for (int length = 2; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      Diagnostic error =
          errorOf(
              () -> {
                try (Source source = Source.of("cut.gz", cut)) {
                  source.readAll();
                }
              });
      assertError(error, "input-unreadable", "cut.gz");
      assertThat(error.message()).contains("gzip");
    }
  }

  @Test
  void sink_commit_replacesTheTarget() throws IOException {
    Path target = Files.writeString(folder.resolve("out.txt"), "old");
    try (Sink sink = Sink.open(target)) {
      sink.stream().write(ascii("new"));
      assertThat(target).hasContent("old");
      sink.commit();
    }
    assertThat(target).hasContent("new");
    assertThat(listing()).containsExactly(target);
  }

  @Test
  void sink_withoutCommit_leavesNothing() throws IOException {
    try (Sink sink = Sink.open(folder.resolve("out.txt"))) {
      sink.stream().write(ascii("half"));
    }
    assertThat(listing()).isEmpty();
  }

  @Test
  void sink_gz_isCompressedAlwaysTheSameWay() throws IOException {
    Path one = folder.resolve("one.gz");
    Path two = folder.resolve("two.gz");
    for (Path path : List.of(one, two)) {
      try (Sink sink = Sink.open(path)) {
        sink.stream().write(ascii("content"));
        sink.commit();
      }
    }
    assertThat(one).hasSameBinaryContentAs(two);
    assertThat(Arrays.copyOfRange(Files.readAllBytes(one), 4, 8))
        .as("no time in the header")
        .containsOnly(0);
    try (Source source = Source.open(one)) {
      assertThat(source.readAll()).isEqualTo(ascii("content"));
    }
  }

  @Test
  void sink_dash_isStandardOutputAndStaysOpen() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Sink sink = Sink.open("-", out)) {
      sink.stream().write(ascii("x"));
      sink.commit();
    }
    assertThat(out.toByteArray()).isEqualTo(ascii("x"));
  }

  @Test
  void sink_unwritable_saysSo() throws IOException {
    String directory = folder.toString();
    assertError(errorOf(() -> sink(directory)), "output-unwritable", directory);
    String missing = folder.resolve("no/such/out.json").toString();
    assertError(errorOf(() -> sink(missing)), "output-unwritable", missing);
    Path file = Files.writeString(folder.resolve("file"), "");
    String below = file.resolve("out.json").toString();
    assertError(errorOf(() -> sink(below)), "output-unwritable", below);
  }

  private static void sink(String name) {
    Sink.open(name, OutputStream.nullOutputStream()).close();
  }

  @Test
  void sink_streamThatFails_isUnwritable() {
    OutputStream broken =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("disk full");
          }
        };
    Diagnostic error =
        errorOf(
            () -> {
              try (Sink sink = Sink.open("-", broken)) {
                sink.stream().write(1);
                sink.commit();
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    assertError(error, "output-unwritable", "standard output");
    assertThat(error.message()).contains("disk full");
  }
}
