package dev.stowage.base.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.google.common.collect.AbstractIterator;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The JSON documents of a source, read one after the other: one over any number of lines, or one a
 * line. A document that is invalid does not keep the next line from being read.
 *
 * <p>Memory is that of one document, however many there are.
 */
public final class JsonDocuments<T> extends AbstractIterator<Entry<T>> {
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(64)
                  .maxNumberLength(64)
                  .maxNameLength(1 << 12)
                  .maxStringLength(1 << 20)
                  .build())
          .build();

  private final Source source;
  private final DocumentReader<T> reader;
  private final boolean lines;
  private final LineStream stream;
  private boolean anyDocument;

  /** Reads one kind of document. */
  @FunctionalInterface
  public interface DocumentReader<T> {
    /**
     * Reads the document at the cursor, an object.
     *
     * @param label the document's name so far: made from file and line; set it to the real one as
     *     soon as that is known
     * @throws DiagnosticException if it is invalid
     */
    T read(JsonCursor cursor, Label label);
  }

  /** What a document is called. */
  public static final class Label {
    private String text;

    private Label(String text) {
      this.text = text;
    }

    /** The document's name, or what stands for it. */
    public String text() {
      return text;
    }

    /** Sets the document's own name. */
    public void set(String name) {
      text = name;
    }
  }

  /** The documents of a source, which the caller closes. */
  public JsonDocuments(Source source, DocumentReader<T> reader) {
    this.source = source;
    this.reader = reader;
    this.lines = isOneEachLine(source);
    this.stream = new LineStream(source.stream(), lines);
  }

  /**
   * True if each line is a document: the first that is not blank ends where its outermost brace
   * does, or the ending is {@code .jsonl}; false if a document goes over many lines.
   */
  static boolean isOneEachLine(Source source) {
    String text = new String(source.peek(Source.PEEK_LIMIT), StandardCharsets.UTF_8).strip();
    int end = text.indexOf('\n');
    String first = (end < 0 ? text : text.substring(0, end)).strip();
    if (first.equals("{") || first.equals("[")) {
      return false;
    }
    // A line that is longer than what can be seen is not pretty printed.
    return end < 0 || source.uncompressedName().endsWith(".jsonl") || endsAtDepthZero(first);
  }

  private static boolean endsAtDepthZero(String line) {
    int depth = 0;
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quoted) {
        if (c == '\\') {
          i++;
        } else {
          quoted = c != '"';
        }
      } else if (c == '"') {
        quoted = true;
      } else if (c == '{' || c == '[') {
        depth++;
      } else if (c == '}' || c == ']') {
        depth--;
      }
    }
    return depth <= 0 && !quoted;
  }

  @Override
  protected @Nullable Entry<T> computeNext() {
    while (stream.nextLine()) {
      Entry<T> entry = readDocument();
      if (entry != null) {
        anyDocument = true;
        return entry;
      }
    }
    if (!anyDocument) {
      anyDocument = true;
      boolean empty = stream.totalBytes() == 0;
      return new Entry.Bad<>(
          source.stem(),
          empty
              ? source.emptyError()
              : Diagnostic.of(
                  Kinds.INPUT_SYNTAX, source.emptyError().location(), "the file has only blanks"));
    }
    return endOfData();
  }

  /** The document of the line, or null if the line is blank. */
  private @Nullable Entry<T> readDocument() {
    Label label = new Label(lines ? source.stem() + ":" + stream.lineNumber() : source.stem());
    try (JsonParser parser = FACTORY.createParser(new Unclosed(stream))) {
      JsonCursor cursor = new JsonCursor(parser, source.name(), stream.lineNumber() - 1);
      try {
        if (cursor.advance() == null) {
          return null;
        }
        T value = reader.read(cursor, label);
        JsonToken next = cursor.advance();
        if (next != null) {
          throw cursor
              .error(Kinds.INPUT_SYNTAX, "something follows the end of the document")
              .help("a file has one document, or one document a line")
              .asException();
        }
        return new Entry.Read<>(value);
      } catch (DiagnosticException e) {
        if (e.diagnostic().kind().equals(Kinds.INPUT_UNREADABLE)) {
          throw e;
        }
        return new Entry.Bad<>(label.text(), e.diagnostic());
      }
    } catch (IOException e) {
      return new Entry.Bad<>(
          label.text(),
          Diagnostic.of(
              Kinds.INPUT_SYNTAX,
              source.emptyError().location(),
              "the text is not UTF-8: " + e.getMessage()));
    }
  }

  /** Keeps a parser from closing the stream that the next document comes from. */
  private static final class Unclosed extends FilterInputStream {
    Unclosed(InputStream in) {
      super(in);
    }

    @Override
    public void close() {}
  }

  /** A stream that ends at the end of each line, and goes on with the next when asked. */
  private static final class LineStream extends InputStream {
    private final InputStream in;
    private final boolean lines;
    private final byte[] buffer = new byte[1 << 16];
    private int position;
    private int limit;
    private int lineNumber;
    private long totalBytes;
    private boolean lineEnded = true;

    LineStream(InputStream in, boolean lines) {
      this.in = in;
      this.lines = lines;
    }

    int lineNumber() {
      return lineNumber;
    }

    long totalBytes() {
      return totalBytes;
    }

    /** Goes to the next line that is not blank; false at the end of the input. */
    boolean nextLine() {
      while (!lineEnded && fill()) {
        position = endOfChunk();
      }
      do {
        if (!fill()) {
          return false;
        }
        lineNumber++;
        lineEnded = false;
      } while (lines && passOverBlanks());
      return true;
    }

    /** Passes over blanks at the start of the line; true if there is nothing else in it. */
    private boolean passOverBlanks() {
      while (fill()) {
        byte next = buffer[position];
        if (next == '\n') {
          position++;
          lineEnded = true;
          return true;
        }
        if (next != ' ' && next != '\t' && next != '\r') {
          return false;
        }
        position++;
      }
      return false;
    }

    /** True if there are bytes in the buffer. */
    private boolean fill() {
      if (position < limit) {
        return true;
      }
      try {
        position = 0;
        limit = Math.max(0, in.read(buffer, 0, buffer.length));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      totalBytes += limit;
      return limit > 0;
    }

    /** Where what is in the buffer of this line ends, past its line break. */
    private int endOfChunk() {
      if (lines) {
        for (int i = position; i < limit; i++) {
          if (buffer[i] == '\n') {
            lineEnded = true;
            return i + 1;
          }
        }
      }
      return limit;
    }

    @Override
    public int read() {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
      if (lineEnded || !fill()) {
        return -1;
      }
      int from = position;
      int end = Math.min(limit, from + length);
      position = end;
      if (lines) {
        for (int i = from; i < end; i++) {
          if (buffer[i] == '\n') {
            // The line break is left out: what ends too early is to be reported in its own line.
            end = i;
            position = i + 1;
            lineEnded = true;
          }
        }
      }
      System.arraycopy(buffer, from, bytes, offset, end - from);
      return end > from ? end - from : -1;
    }
  }
}
