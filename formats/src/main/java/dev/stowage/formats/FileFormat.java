package dev.stowage.formats;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.io.Source;
import dev.stowage.formats.flatbuffers.FlatBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What an input is: found by its content first, by its ending where the content does not say. */
public enum FileFormat {
  /** A TensorFlow Lite model. */
  TFLITE("tflite", "TensorFlow Lite models", Support.READ, ".tflite"),
  /** An ExecuTorch program. */
  PTE("pte", "ExecuTorch programs", Support.RECOGNISED, ".pte"),
  /** Planning problems, one in the file or one a line. */
  PROBLEM("problem", "planning problems", Support.READ_AND_WRITTEN, ".json", ".jsonl"),
  /** ExecuTorch graph documents, one in the file or one a line. */
  GRAPH("executorch-graph", "ExecuTorch graph documents", Support.READ, ".json", ".jsonl"),
  /** Plans of problems, one in the file or one a line. */
  PLAN("stowage-plan", "plans of problems", Support.READ_AND_WRITTEN, ".json", ".jsonl"),
  /** Plans of programs, one in the file or one a line. */
  PROGRAM_PLAN(
      "stowage-program-plan", "plans of programs", Support.READ_AND_WRITTEN, ".json", ".jsonl"),
  /** A planning problem as MiniMalloc writes it. */
  MINIMALLOC_CSV(
      "minimalloc-csv", "problems and solutions of MiniMalloc", Support.READ_AND_WRITTEN, ".csv"),
  /** The textual form of the IR. */
  STOW("stow", "programs as text", Support.READ_AND_WRITTEN, ".stow");

  /** What is done with files of a format. */
  private enum Support {
    RECOGNISED,
    READ,
    READ_AND_WRITTEN,
  }

  private static final ImmutableSet<String> MARKS =
      ImmutableSet.of("specs", "graphs", "format", "buffers");
  private static final ImmutableSet<String> CSV_FIRST_STEP =
      ImmutableSet.of("lower", "start", "begin");

  private final String word;
  private final String summary;
  private final Support support;
  private final ImmutableSet<String> endings;

  FileFormat(String word, String summary, Support support, String... endings) {
    this.word = word;
    this.summary = summary;
    this.support = support;
    this.endings = ImmutableSet.copyOf(endings);
  }

  /**
   * Tells what an input is by a mark in its content that only one format has; reads nothing of it.
   * Empty if there is no such mark.
   *
   * @throws DiagnosticException of kind {@code input-syntax} if the input is empty
   */
  public static Optional<FileFormat> marked(Source source) {
    byte[] prefix = source.peek(Source.PEEK_LIMIT);
    if (prefix.length == 0) {
      throw source.emptyError().asException();
    }
    if (FlatBuffer.hasIdentifier(prefix, "TFL3")) {
      return Optional.of(TFLITE);
    }
    if (FlatBuffer.hasIdentifier(prefix, "ET12")) {
      return Optional.of(PTE);
    }
    String text = text(prefix);
    if (text.startsWith("{")) {
      return mark(text).flatMap(FileFormat::ofMark);
    }
    if (text.startsWith("program") && (text.length() == 7 || !isWordPart(text.charAt(7)))) {
      return Optional.of(STOW);
    }
    int lineEnd = text.indexOf('\n');
    List<String> header =
        Splitter.on(',').trimResults().splitToList(lineEnd < 0 ? text : text.substring(0, lineEnd));
    return header.size() > 2
            && header.contains("size")
            && header.stream().anyMatch(CSV_FIRST_STEP::contains)
        ? Optional.of(MINIMALLOC_CSV)
        : Optional.empty();
  }

  /**
   * Tells what an input is, by a mark or else by what is likely; reads nothing of it. Content that
   * begins like a format but is damaged further on is that format, whose reader says what is wrong.
   *
   * @throws DiagnosticException of kind {@code input-syntax} if the input is empty, {@code
   *     input-unknown-format} if neither content nor ending tells
   */
  public static FileFormat detect(Source source) {
    return marked(source)
        .or(() -> ofJson(source))
        .or(() -> ofEnding(source))
        .orElseThrow(() -> unknown(source, "neither its content nor its ending tells what it is"));
  }

  private static String text(byte[] prefix) {
    String text = new String(prefix, StandardCharsets.UTF_8).strip();
    return text.startsWith("\uFEFF") ? text.substring(1).strip() : text;
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '-';
  }

  /**
   * A member by which formats are told apart.
   *
   * @param text its value, if that is a text
   */
  private record Mark(String member, @Nullable String text) {}

  /** The first such member of a JSON object; empty if it has none or is damaged before it. */
  private static Optional<Mark> mark(String json) {
    try (JsonParser parser = new JsonFactory().createParser(json)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String member = parser.currentName();
        JsonToken value = parser.nextToken();
        if (MARKS.contains(member)) {
          return Optional.of(
              new Mark(member, value == JsonToken.VALUE_STRING ? parser.getText() : null));
        }
        parser.skipChildren();
      }
    } catch (IOException e) {
      // Damaged, or longer than the prefix.
    }
    return Optional.empty();
  }

  private static Optional<FileFormat> ofMark(Mark mark) {
    if (mark.member().equals("buffers")) {
      return Optional.of(PROBLEM);
    }
    if (mark.text() == null || !mark.member().equals("format")) {
      return Optional.of(GRAPH);
    }
    return Stream.of(PLAN, PROGRAM_PLAN).filter(it -> it.word.equals(mark.text())).findFirst();
  }

  /** JSON without a mark is a problem, which has none of its own where it has no buffers. */
  private static Optional<FileFormat> ofJson(Source source) {
    String text = text(source.peek(Source.PEEK_LIMIT));
    if (!text.startsWith("{")) {
      return Optional.empty();
    }
    mark(text)
        .ifPresent(
            mark -> {
              throw unknown(
                  source,
                  "its member 'format' is '" + mark.text() + "', which this version does not know");
            });
    return Optional.of(PROBLEM);
  }

  /** Of formats with the same ending, the first is the one that it stands for. */
  private static Optional<FileFormat> ofEnding(Source source) {
    String name = source.uncompressedName();
    for (FileFormat format : values()) {
      if (format.endings.stream().anyMatch(name::endsWith)) {
        return Optional.of(format);
      }
    }
    return Optional.empty();
  }

  private static DiagnosticException unknown(Source source, String why) {
    return Diagnostic.of(
            Kinds.INPUT_UNKNOWN_FORMAT, Location.of(source.name()), "unknown format: " + why)
        .help(
            "readable are problems and graph documents (.json, .jsonl), MiniMalloc CSV, .tflite,"
                + " .stow, and plans for verify")
        .asException();
  }

  /** One line without a full stop. */
  public String summary() {
    return summary;
  }

  /** The endings of such files, with their dots. */
  public ImmutableSet<String> endings() {
    return endings;
  }

  /** True if such files are read, and not only told from others. */
  public boolean isRead() {
    return support != Support.RECOGNISED;
  }

  /** True if such files are written. */
  public boolean isWritten() {
    return support == Support.READ_AND_WRITTEN;
  }

  /** The word for it, as {@code stowage list formats} shows it. */
  @Override
  public String toString() {
    return word;
  }
}
