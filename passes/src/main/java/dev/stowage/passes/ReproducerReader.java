package dev.stowage.passes;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.DiagnosticKind.Category;
import dev.stowage.base.Kinds;
import dev.stowage.base.Suggestions;
import dev.stowage.base.TextCursor;
import dev.stowage.base.TextSpan;
import dev.stowage.ir.text.ProgramParser;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads the text of a {@link Reproducer}, whose lines may come in any order. */
final class ReproducerReader {
  static final String FIRST_LINE = "# stowage-reproducer 1";
  static final String VERSION = "version";
  static final String PLUGIN = "plugin";
  static final String PIPELINE = "pipeline";
  static final String SETTINGS = "settings";
  static final String FAILURE = "failure";
  static final String FILE = "file";

  /** What a line of a file begins with. */
  static final String CONTENT = "#|";

  private static final ImmutableSet<String> KEYS =
      ImmutableSet.of(VERSION, PLUGIN, PIPELINE, SETTINGS, FAILURE, FILE);

  private static final String MAGIC = FIRST_LINE.substring(0, FIRST_LINE.lastIndexOf(' ') + 1);

  /** Errors of the text as kinds of an input; any other that a call can have is of its syntax. */
  private static final ImmutableMap<DiagnosticKind, DiagnosticKind> INPUT_KINDS =
      ImmutableMap.of(
          Kinds.UNKNOWN_PASS, Kinds.INPUT_REFERENCE,
          Kinds.UNKNOWN_PROFILE, Kinds.INPUT_REFERENCE,
          Kinds.UNKNOWN_OPTION, Kinds.INPUT_MEMBER,
          Kinds.OPTION_VALUE, Kinds.INPUT_MEMBER);

  private final String source;
  private final String text;
  private final boolean hasCarriageReturns;
  private final Map<String, TextSpan> values = new LinkedHashMap<>();
  private final List<String> plugins = new ArrayList<>();
  private final Map<String, String> files = new LinkedHashMap<>();

  /** The lines of the file that is being read, and its name. */
  private @Nullable List<String> content;

  private String contentOf = "";

  ReproducerReader(String source, String text) {
    this.source = source;
    this.text = text;
    int end = text.indexOf('\n');
    hasCarriageReturns = end > 0 && text.charAt(end - 1) == '\r';
  }

  /** Runs something that reads calls of a file, so that what is wrong is a fault of the file. */
  static <T> T asInput(Supplier<T> reading) {
    try {
      return reading.get();
    } catch (DiagnosticException e) {
      Diagnostic it = e.diagnostic();
      if (it.kind().category() != Category.USAGE) {
        throw e;
      }
      DiagnosticKind kind = INPUT_KINDS.getOrDefault(it.kind(), Kinds.INPUT_SYNTAX);
      throw new Diagnostic(
              kind, it.location(), it.message(), it.buffer(), it.notes(), it.help(), it.shortfall())
          .asException();
    }
  }

  Reproducer read() {
    int start = firstLine();
    while (start < text.length() && text.charAt(start) == '#') {
      int end = endOfLine(start);
      line(start, end);
      start = nextLine(start);
    }
    endFile();
    TextSpan version = required(VERSION);
    TextSpan pipeline = required(PIPELINE);
    TextSpan settings = required(SETTINGS);
    TextSpan failure = required(FAILURE);
    return new Reproducer(
        text(version),
        ImmutableList.copyOf(plugins),
        asInput(() -> Pipeline.parse(cursor(pipeline))),
        asInput(() -> settings(cursor(settings))),
        ImmutableMap.copyOf(files),
        text(failure),
        ProgramParser.parse(source, text));
  }

  /** Checks the first line; gives where the next one begins. */
  private int firstLine() {
    String line = text.substring(0, endOfLine(0));
    if (line.equals(FIRST_LINE)) {
      return nextLine(0);
    }
    TextSpan place = new TextSpan(source, text, 0, line.length());
    if (line.startsWith(MAGIC)) {
      throw place
          .diagnose(
              Kinds.INPUT_UNSUPPORTED,
              "the reproducer is of form '"
                  + line.substring(MAGIC.length())
                  + "', and this version reads form "
                  + FIRST_LINE.substring(MAGIC.length()))
          .help("run it with the version of Stowage that wrote it")
          .asException();
    }
    throw place
        .diagnose(
            Kinds.INPUT_SYNTAX, "this is no reproducer: its first line is not '" + FIRST_LINE + "'")
        .help("a program alone is run by stowage plan")
        .asException();
  }

  private void line(int start, int end) {
    if (text.startsWith(CONTENT, start)) {
      if (content == null) {
        throw new TextSpan(source, text, start, end)
            .diagnose(Kinds.INPUT_SYNTAX, "this is the content of no file")
            .help("name it in a line above: # " + FILE + ": \"NAME\"")
            .asException();
      }
      content.add(text.substring(start + CONTENT.length(), end));
      return;
    }
    endFile();
    int keyStart = start + 1;
    while (keyStart < end && text.charAt(keyStart) == ' ') {
      keyStart++;
    }
    int colon = text.indexOf(':', keyStart);
    String key = colon < 0 || colon > end ? "" : text.substring(keyStart, colon);
    if (!KEYS.contains(key)) {
      throw new TextSpan(source, text, start, end)
          .diagnose(Kinds.INPUT_MEMBER, "the head of a reproducer has no such line")
          .help(
              Suggestions.help(key, KEYS)
                  + "; comments of your own may stand below the first line without #")
          .asException();
    }
    int valueStart = colon + 1;
    while (valueStart < end && text.charAt(valueStart) == ' ') {
      valueStart++;
    }
    TextSpan value = new TextSpan(source, text, valueStart, end);
    switch (key) {
      case PLUGIN -> plugins.add(quoted(value));
      case FILE -> beginFile(quoted(value), value);
      default -> {
        if (values.put(key, value) != null) {
          throw new TextSpan(source, text, keyStart, colon)
              .diagnose(Kinds.INPUT_MEMBER, "the head has a second line '# " + key + ": ...'")
              .help("leave one of them out")
              .asException();
        }
      }
    }
  }

  private void beginFile(String name, TextSpan place) {
    if (files.containsKey(name)) {
      throw place
          .diagnose(Kinds.INPUT_MEMBER, "the file '" + name + "' is there twice")
          .help("leave one of them out")
          .asException();
    }
    content = new ArrayList<>();
    contentOf = name;
  }

  private void endFile() {
    if (content != null) {
      files.put(contentOf, String.join("\n", content));
      content = null;
    }
  }

  private TextSpan required(String key) {
    TextSpan value = values.get(key);
    if (value == null) {
      throw new TextSpan(source, text, 0, endOfLine(0))
          .diagnose(
              Kinds.INPUT_MEMBER, "the reproducer has no line '# " + key + ": ...' in its head")
          .asException();
    }
    return value;
  }

  private static Call settings(TextCursor cursor) {
    Call call = Call.read(cursor);
    requireEnd(cursor);
    RecordedSettings.check(call);
    return call;
  }

  private String quoted(TextSpan value) {
    TextCursor cursor = cursor(value);
    String read = cursor.quoted();
    requireEnd(cursor);
    return read;
  }

  private static void requireEnd(TextCursor cursor) {
    if (!cursor.atEnd()) {
      throw cursor.error(cursor.position(), "nothing may follow on this line");
    }
  }

  private String text(TextSpan value) {
    return text.substring(value.start(), value.endExclusive());
  }

  /** A cursor on a value, which sees the text up to its end, and so tells places in the file. */
  private TextCursor cursor(TextSpan value) {
    String seen = text.substring(0, value.endExclusive());
    TextCursor cursor = new TextCursor(source, seen, Kinds.INPUT_SYNTAX);
    cursor.moveTo(value.start());
    return cursor;
  }

  private int endOfLine(int start) {
    int end = text.indexOf('\n', start);
    if (end < 0) {
      return text.length();
    }
    return hasCarriageReturns && end > start && text.charAt(end - 1) == '\r' ? end - 1 : end;
  }

  private int nextLine(int start) {
    int end = text.indexOf('\n', start);
    return end < 0 ? text.length() : end + 1;
  }
}
