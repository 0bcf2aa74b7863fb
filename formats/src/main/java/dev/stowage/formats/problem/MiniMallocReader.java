package dev.stowage.formats.problem;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.base.Suggestions;
import dev.stowage.base.io.Source;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Limits;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.PlanningProblem;
import java.io.BufferedReader;
import java.io.CharConversionException;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads MiniMalloc's CSV: a header, then one buffer a line up to the first empty line.
 *
 * <p>Its lifetimes are half-open, {@code [lower, upper)}, except that a column {@code end} is
 * inclusive; gaps follow the same rule. A column {@code alignment} with one value throughout is the
 * alignment of the problem, otherwise each buffer has its own. A column {@code offset} fixes the
 * offsets in arena 1.
 */
public final class MiniMallocReader {
  private enum Column {
    ID,
    LOWER,
    UPPER,
    SIZE,
    ALIGNMENT,
    HINT,
    GAPS,
    OFFSET
  }

  private static final ImmutableMap<String, Column> COLUMNS =
      ImmutableMap.<String, Column>builder()
          .put("id", Column.ID)
          .put("buffer", Column.ID)
          .put("buffer_id", Column.ID)
          .put("lower", Column.LOWER)
          .put("start", Column.LOWER)
          .put("begin", Column.LOWER)
          .put("upper", Column.UPPER)
          .put("end", Column.UPPER)
          .put("size", Column.SIZE)
          .put("alignment", Column.ALIGNMENT)
          .put("hint", Column.HINT)
          .put("gaps", Column.GAPS)
          .put("offset", Column.OFFSET)
          .buildOrThrow();

  private static final String INCLUSIVE_UPPER = "end";
  private static final int NO_HINT = -1;

  private final Source source;
  private final ProblemOptions options;
  private final PlanningProblem.Builder builder;
  private final Map<Column, Integer> indices = new EnumMap<>(Column.class);
  private long lastStepOffset = 1;
  private String line = "";
  private int lineNumber;

  /** Where the fields of the line begin; one past its end last. */
  private int[] starts = new int[0];

  private int[] alignments = new int[0];

  private MiniMallocReader(Source source, ProblemOptions options) {
    this.source = source;
    this.options = options;
    this.builder = PlanningProblem.builder(source.stem());
  }

  /**
   * Reads the problem; the caller closes the source. Its one arena is arena 1.
   *
   * @throws DiagnosticException of kind {@code input-unreadable}, {@code input-syntax}, {@code
   *     input-member} (columns), {@code input-value}, {@code input-overflow} or {@code
   *     input-unsupported}
   */
  public static ProblemDocument read(Source source, ProblemOptions options) {
    return new MiniMallocReader(source, options).readAll();
  }

  private ProblemDocument readAll() {
    Arena arena = Arena.of(1);
    if (options.capacityBytes().isPresent()) {
      arena = arena.withCapacity(options.capacityBytes().getAsLong());
    }
    builder.addArena(arena);
    // Not closed: the source is the caller's.
    BufferedReader reader =
        new BufferedReader(
            new ShortLines(
                new InputStreamReader(source.stream(), StandardCharsets.UTF_8.newDecoder())),
            1 << 16);
    try {
      String header = reader.readLine();
      if (header == null) {
        throw source.emptyError().asException();
      }
      lineNumber = 1;
      readHeader(header);
      for (String next = reader.readLine(); next != null; next = reader.readLine()) {
        lineNumber++;
        line = next;
        if (line.isBlank()) {
          break;
        }
        readBuffer();
      }
    } catch (CharacterCodingException | CharConversionException e) {
      lineNumber++;
      throw error(Kinds.INPUT_SYNTAX, "", "the text is not UTF-8").asException();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return finish();
  }

  private void readHeader(String header) {
    List<String> names = Splitter.on(',').trimResults().splitToList(header);
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      Column column = COLUMNS.get(i == 0 && name.startsWith("\uFEFF") ? name.substring(1) : name);
      if (column == null) {
        throw error(Kinds.INPUT_MEMBER, "", "unknown column '" + name + "'")
            .help(Suggestions.help(name, COLUMNS.keySet()))
            .asException();
      }
      if (indices.put(column, i) != null) {
        throw error(Kinds.INPUT_MEMBER, "", "two columns give the " + word(column) + " of a buffer")
            .asException();
      }
      if (name.equals(INCLUSIVE_UPPER)) {
        lastStepOffset = 0;
      }
    }
    for (Column column : List.of(Column.ID, Column.LOWER, Column.UPPER, Column.SIZE)) {
      if (!indices.containsKey(column)) {
        throw error(Kinds.INPUT_MEMBER, "", "the column '" + word(column) + "' is missing")
            .asException();
      }
    }
    starts = new int[names.size() + 1];
  }

  private void readBuffer() {
    splitLine();
    long lower = number(Column.LOWER, 0, BufferParser.MAX_STEP);
    long last = number(Column.UPPER, 0, BufferParser.MAX_STEP + lastStepOffset) - lastStepOffset;
    if (last < lower) {
      throw error(
              Kinds.INPUT_VALUE,
              word(Column.UPPER),
              Message.format(
                  "the lifetime from %s to %s has no step in it",
                  field(Column.LOWER), field(Column.UPPER)))
          .asException();
    }
    int buffer = builder.addBuffer(number(Column.SIZE, 0, Long.MAX_VALUE), (int) lower, (int) last);
    builder.bufferName(buffer, field(Column.ID));
    if (indices.containsKey(Column.ALIGNMENT)) {
      if (buffer == alignments.length) {
        alignments = Arrays.copyOf(alignments, Math.max(16, buffer + (buffer >> 1)));
      }
      alignments[buffer] = (int) number(Column.ALIGNMENT, 1, Limits.MAX_ALIGNMENT);
    }
    if (indices.containsKey(Column.OFFSET)) {
      builder.pin(buffer, 0).fixedOffset(buffer, number(Column.OFFSET, 0, Long.MAX_VALUE));
    }
    if (indices.containsKey(Column.HINT)
        && number(Column.HINT, Long.MIN_VALUE, Long.MAX_VALUE) != NO_HINT) {
      throw error(
              Kinds.INPUT_UNSUPPORTED,
              word(Column.HINT),
              "this version cannot plan with a hint (" + field(Column.HINT) + ")")
          .help("write -1, which means none")
          .asException();
    }
    if (indices.containsKey(Column.GAPS)) {
      readGaps(buffer, (int) lower, (int) last);
    }
  }

  private void splitLine() {
    int count = 0;
    int at = 0;
    while (at >= 0 && count < starts.length) {
      starts[count++] = at;
      at = line.indexOf(',', at) + 1;
      if (at == 0) {
        at = -1;
      }
    }
    int fields = starts.length - 1;
    if (count != fields || at >= 0) {
      long found = line.chars().filter(c -> c == ',').count() + 1;
      throw error(
              Kinds.INPUT_SYNTAX,
              "",
              "the line has " + found + " fields, but the header has " + fields)
          .asException();
    }
    starts[fields] = line.length() + 1;
  }

  private String field(Column column) {
    int index = indices.getOrDefault(column, 0);
    return line.substring(starts[index], starts[index + 1] - 1).strip();
  }

  private long number(Column column, long least, long most) {
    int index = indices.getOrDefault(column, 0);
    return number(line, starts[index], starts[index + 1] - 1, column, least, most);
  }

  /** Reads a whole number by hand: a million lines of four numbers are read in a second. */
  private long number(String text, int from, int to, Column column, long least, long most) {
    int at = from;
    int end = to;
    while (at < end && text.charAt(at) == ' ') {
      at++;
    }
    while (end > at && text.charAt(end - 1) == ' ') {
      end--;
    }
    boolean negative = at < end && text.charAt(at) == '-';
    int digits = negative ? at + 1 : at;
    long value = 0;
    boolean overflow = false;
    for (int i = digits; i < end; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        throw notANumber(text, from, to, column);
      }
      overflow |= value > (Long.MAX_VALUE - digit) / 10;
      value = 10 * value + digit;
    }
    if (digits >= end) {
      throw notANumber(text, from, to, column);
    }
    value = negative ? -value : value;
    if (overflow || value < least || value > most) {
      throw error(
              Kinds.INPUT_VALUE,
              word(column),
              Message.format(
                  "%s is out of range: it must be from %d to %d",
                  text.substring(at, end), least, most))
          .asException();
    }
    return value;
  }

  private DiagnosticException notANumber(String text, int from, int to, Column column) {
    return error(
            Kinds.INPUT_SYNTAX,
            word(column),
            "expected a whole number but found '" + text.substring(from, to) + "'")
        .asException();
  }

  private void readGaps(int buffer, int start, int end) {
    String text = field(Column.GAPS);
    if (text.isEmpty()) {
      return;
    }
    List<String> parts = Splitter.on(' ').omitEmptyStrings().splitToList(text);
    int[][] gaps = new int[parts.size()][];
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] = readGap(parts.get(i));
    }
    Arrays.sort(gaps, (a, b) -> Integer.compare(a[0], b[0]));
    int free = start;
    for (int[] gap : gaps) {
      if (gap[0] < free || gap[1] > end) {
        throw error(
                Kinds.INPUT_VALUE,
                word(Column.GAPS),
                "the gaps '" + text + "' overlap, or are not inside the lifetime")
            .asException();
      }
      builder.addGap(buffer, gap[0], gap[1]);
      free = gap[1] + 1;
    }
  }

  /** First and last step of a gap. */
  private int[] readGap(String gap) {
    if (gap.indexOf('@') >= 0) {
      throw error(
              Kinds.INPUT_UNSUPPORTED,
              word(Column.GAPS),
              "this version cannot plan with gaps that keep a part of the buffer ('" + gap + "')")
          .asException();
    }
    int dash = gap.indexOf('-');
    if (dash < 0) {
      throw error(
              Kinds.INPUT_SYNTAX,
              word(Column.GAPS),
              "a gap is 'from-to', but this is '" + gap + "'")
          .asException();
    }
    long from = number(gap, 0, dash, Column.GAPS, 0, BufferParser.MAX_STEP);
    long last =
        number(gap, dash + 1, gap.length(), Column.GAPS, 0, BufferParser.MAX_STEP + lastStepOffset)
            - lastStepOffset;
    if (last < from) {
      throw error(Kinds.INPUT_VALUE, word(Column.GAPS), "the gap '" + gap + "' has no step in it")
          .asException();
    }
    return new int[] {(int) from, (int) last};
  }

  private ProblemDocument finish() {
    int common = commonAlignment();
    int alignment = options.alignment().orElse(common);
    builder.alignment(alignment);
    if (indices.containsKey(Column.ALIGNMENT)) {
      for (int buffer = 0; buffer < builder.bufferCount(); buffer++) {
        // The plan's alignment already gives what divides it.
        if (alignment % alignments[buffer] != 0) {
          builder.bufferAlignment(buffer, alignments[buffer]);
        }
      }
    }
    PlanningProblem problem;
    try {
      problem = builder.build();
    } catch (DiagnosticException e) {
      throw e.diagnostic().in(source.name()).asException();
    }
    return new ProblemDocument(
        source.stem(), problem, PlanRequest.DEFAULT.withAlignment(alignment), Optional.empty());
  }

  /** The alignment that all buffers ask for, or 1. */
  private int commonAlignment() {
    if (!indices.containsKey(Column.ALIGNMENT) || builder.bufferCount() == 0) {
      return 1;
    }
    for (int buffer = 1; buffer < builder.bufferCount(); buffer++) {
      if (alignments[buffer] != alignments[0]) {
        return 1;
      }
    }
    return alignments[0];
  }

  private Diagnostic error(DiagnosticKind kind, String column, String message) {
    String place = "line " + lineNumber + (column.isEmpty() ? "" : ", column " + column);
    return Diagnostic.of(kind, new Location(source.name(), place), message);
  }

  private static String word(Column column) {
    return switch (column) {
      case ID -> "id";
      case LOWER -> "lower";
      case UPPER -> "upper";
      case SIZE -> "size";
      case ALIGNMENT -> "alignment";
      case HINT -> "hint";
      case GAPS -> "gaps";
      case OFFSET -> "offset";
    };
  }

  /** Refuses lines that no problem has, before they fill the memory. */
  private final class ShortLines extends FilterReader {
    private static final int LONGEST = 1 << 20;

    private int length;

    ShortLines(Reader in) {
      super(in);
    }

    @Override
    public int read(char[] chars, int offset, int count) throws IOException {
      int read = in.read(chars, offset, count);
      for (int i = offset; i < offset + read; i++) {
        length = chars[i] == '\n' || chars[i] == '\r' ? 0 : length + 1;
      }
      if (length > LONGEST) {
        lineNumber++;
        throw error(
                Kinds.INPUT_SYNTAX,
                "",
                Message.format("the line is longer than %,d characters", LONGEST))
            .asException();
      }
      return read;
    }
  }
}
