package dev.stowage.base.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.stowage.base.ByteSize;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Suggestions;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A position in a JSON document that is read value by value, never held as a whole. Its errors say
 * in which line and at which member, such as {@code line 3, buffers[5].lifetime}.
 *
 * <p>Methods that read a value expect the cursor on it, where {@link #nextMember} and {@link
 * #nextElement} leave it. They throw {@link DiagnosticException}: {@code input-syntax} where the
 * text is no JSON, {@code input-member} for a value of the wrong type, {@code input-value} for a
 * number outside its range.
 */
public final class JsonCursor {
  private static final ObjectMapper TREES = new ObjectMapper();

  /** What a parser's messages say of its own settings, which no user can change. */
  private static final Pattern PARSER_SETTINGS =
      Pattern.compile(
          "\\[Source: REDACTED [^;]*; ?|: enable `[^`]*`[^.]*|, or enable[^.]*| \\(from `[^`]*`\\)"
              + "|\\(`?[A-Za-z.]*Feature[^)]*\\)");

  private final JsonParser parser;
  private final String source;
  private final int lineOffset;

  /** Reads from a parser whose first line is line {@code lineOffset + 1} of the source. */
  JsonCursor(JsonParser parser, String source, int lineOffset) {
    this.parser = parser;
    this.source = source;
    this.lineOffset = lineOffset;
  }

  /** Goes to the next token; null at the end. */
  @Nullable JsonToken advance() {
    try {
      return parser.nextToken();
    } catch (JsonProcessingException e) {
      throw syntax(e.getOriginalMessage());
    } catch (IOException e) {
      // The source turns its own failures into diagnostics; what is left is bad encoding.
      throw syntax("the text is not UTF-8: " + e.getMessage());
    }
  }

  private DiagnosticException syntax(String message) {
    // The first sentence; what follows lists the parser's own settings.
    int end = message.indexOf('\n');
    String first =
        PARSER_SETTINGS.matcher(end < 0 ? message : message.substring(0, end)).replaceAll("");
    int column = parser.currentLocation().getColumnNr();
    return error(Kinds.INPUT_SYNTAX, "not well-formed JSON: " + first)
        .note("at column " + column)
        .asException();
  }

  /** Begins an object, whose members {@link #nextMember} gives. */
  public void beginObject() {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw wrongType("an object");
    }
  }

  /** The name of the next member, the cursor on its value; null at the end of the object. */
  public @Nullable String nextMember() {
    if (advance() == JsonToken.END_OBJECT) {
      return null;
    }
    try {
      String name = parser.currentName();
      advance();
      return name;
    } catch (IOException e) {
      throw syntax(String.valueOf(e.getMessage()));
    }
  }

  /** Begins an array, whose elements {@link #nextElement} goes through. */
  public void beginArray() {
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      throw wrongType("a list");
    }
  }

  /** Goes to the next element of the array; false at its end. */
  public boolean nextElement() {
    return advance() != JsonToken.END_ARRAY;
  }

  /** True on {@code null}. */
  public boolean isNull() {
    return parser.currentToken() == JsonToken.VALUE_NULL;
  }

  /** True on a text. */
  public boolean isText() {
    return parser.currentToken() == JsonToken.VALUE_STRING;
  }

  /** A text. */
  public String text() {
    if (!isText()) {
      throw wrongType("a text");
    }
    return currentText();
  }

  private String currentText() {
    try {
      return parser.getText();
    } catch (JsonProcessingException e) {
      throw syntax(e.getOriginalMessage());
    } catch (IOException e) {
      throw syntax(String.valueOf(e.getMessage()));
    }
  }

  /** {@code true} or {@code false}. */
  public boolean bool() {
    JsonToken token = parser.currentToken();
    if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) {
      throw wrongType("true or false");
    }
    return token == JsonToken.VALUE_TRUE;
  }

  /** A whole number within a range, both ends inclusive. */
  public int integer(int least, int most) {
    return (int) integer((long) least, (long) most);
  }

  /** A whole number within a range, both ends inclusive. */
  public long integer(long least, long most) {
    JsonToken token = parser.currentToken();
    if (token == JsonToken.VALUE_NUMBER_FLOAT) {
      throw error(Kinds.INPUT_VALUE, shown() + " is no whole number").asException();
    }
    if (token != JsonToken.VALUE_NUMBER_INT) {
      throw wrongType("a whole number");
    }
    try {
      if (parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
        return inRange(parser.getLongValue(), least, most);
      }
    } catch (JsonProcessingException e) {
      throw syntax(e.getOriginalMessage());
    } catch (IOException e) {
      throw syntax(String.valueOf(e.getMessage()));
    }
    String side = currentText().startsWith("-") ? "below -2^63" : "above 2^63 - 1";
    throw error(Kinds.INPUT_VALUE, shown() + " is " + side).asException();
  }

  /** A number of bytes, 0 or more, as a number or as a text such as {@code "128 KiB"}. */
  public long bytes() {
    if (!isText()) {
      return integer(0L, Long.MAX_VALUE);
    }
    try {
      return ByteSize.parse(currentText());
    } catch (IllegalArgumentException e) {
      throw error(Kinds.INPUT_VALUE, String.valueOf(e.getMessage())).asException();
    }
  }

  /**
   * A number, 0 or more, as a whole number of its smallest steps: with 6 digits 1.5 is 1,500,000.
   *
   * @param digits after the point, at most
   */
  public long fixedPoint(int digits) {
    JsonToken token = parser.currentToken();
    if (token != JsonToken.VALUE_NUMBER_FLOAT && token != JsonToken.VALUE_NUMBER_INT) {
      throw wrongType("a number");
    }
    BigDecimal steps = decimal().scaleByPowerOfTen(digits);
    if (steps.signum() < 0) {
      throw error(Kinds.INPUT_VALUE, shown() + " is out of range: it must be 0 or more")
          .asException();
    }
    if (steps.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw error(Kinds.INPUT_VALUE, shown() + " is too large").asException();
    }
    try {
      return steps.longValueExact();
    } catch (ArithmeticException e) {
      throw error(
              Kinds.INPUT_VALUE, shown() + " has more than " + digits + " digits after the point")
          .asException();
    }
  }

  private BigDecimal decimal() {
    try {
      return parser.getDecimalValue();
    } catch (JsonProcessingException e) {
      throw syntax(e.getOriginalMessage());
    } catch (IOException e) {
      throw syntax(String.valueOf(e.getMessage()));
    }
  }

  private long inRange(long value, long least, long most) {
    if (value < least || value > most) {
      String range =
          most == Long.MAX_VALUE
              ? "must be " + least + " or more"
              : "must be from " + least + " to " + most;
      throw error(Kinds.INPUT_VALUE, value + " is out of range: it " + range).asException();
    }
    return value;
  }

  /** The value as a whole, for documents whose parts refer to one another. */
  public JsonNode tree() {
    try {
      return TREES.readTree(parser);
    } catch (JsonProcessingException e) {
      throw syntax(e.getOriginalMessage());
    } catch (IOException e) {
      throw syntax(String.valueOf(e.getMessage()));
    }
  }

  /** The line of the source that the cursor is in, from 1 on. */
  public int line() {
    return lineOffset + parser.currentLocation().getLineNr();
  }

  /** The name of the source. */
  public String source() {
    return source;
  }

  /** Passes over the value, whatever it is. */
  public void skip() {
    try {
      parser.skipChildren();
    } catch (JsonProcessingException e) {
      throw syntax(e.getOriginalMessage());
    } catch (IOException e) {
      throw syntax(String.valueOf(e.getMessage()));
    }
  }

  /** Stands for the value at the cursor, so that {@link #passOver} can find its end. */
  public int mark() {
    int depth = parser.getParsingContext().getNestingDepth();
    JsonToken token = parser.currentToken();
    return token != null && token.isStructStart() ? depth - 1 : depth;
  }

  /** Passes over what is left of a value that a mark stands for, wherever its reading failed. */
  public void passOver(int mark) {
    while (parser.getParsingContext().getNestingDepth() > mark && advance() != null) {
      skip();
    }
  }

  /** An error because of a member that nobody knows, with the nearest that there is. */
  public DiagnosticException unknownMember(String member, Collection<String> known) {
    return error(Kinds.INPUT_MEMBER, "unknown member '" + member + "'")
        .help(Suggestions.help(member, known))
        .asException();
  }

  /** An error because of a word that is none of those allowed. */
  public DiagnosticException unknownWord(String what, String word, Collection<String> known) {
    return error(Kinds.INPUT_MEMBER, "unknown " + what + " '" + word + "'")
        .help(Suggestions.help(word, known))
        .asException();
  }

  private DiagnosticException wrongType(String expected) {
    return error(Kinds.INPUT_MEMBER, "expected " + expected + " but found " + shown())
        .asException();
  }

  private String shown() {
    JsonToken token = parser.currentToken();
    if (token == null) {
      return "nothing";
    }
    return switch (token) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "a list";
      case VALUE_STRING -> "the text \"" + shortened(currentText()) + "\"";
      default -> shortened(currentText());
    };
  }

  private static String shortened(String text) {
    return text.length() <= 40 ? text : text.substring(0, 37) + "...";
  }

  /** An error at the cursor. */
  public Diagnostic error(DiagnosticKind kind, String message) {
    return Diagnostic.of(kind, location(), message);
  }

  /** Where the cursor is. */
  public Location location() {
    return new Location(source, place());
  }

  /** An error at a path that has been read already, such as {@code buffers[5].base}. */
  public Diagnostic errorAt(DiagnosticKind kind, String path, String message) {
    return Diagnostic.of(kind, new Location(source, placeOf(path)), message);
  }

  /** The same, for what began in a line that the caller remembers. */
  public Diagnostic errorAt(DiagnosticKind kind, int line, String path, String message) {
    return Diagnostic.of(kind, new Location(source, "line " + line + ", " + path), message);
  }

  /** An error from elsewhere, placed at a path that has been read already. */
  public Diagnostic relocated(Diagnostic error, String path) {
    return error.at(new Location(source, placeOf(path)));
  }

  private String placeOf(String path) {
    String line = "line " + (lineOffset + parser.currentLocation().getLineNr());
    // Of a document over many lines, only the path is known afterwards.
    return parser.currentLocation().getLineNr() == 1 ? line + ", " + path : path;
  }

  private String place() {
    String line = "line " + (lineOffset + parser.currentLocation().getLineNr());
    StringBuilder path = new StringBuilder();
    for (JsonStreamContext at = parser.getParsingContext(); at != null; at = at.getParent()) {
      if (at.inObject() && at.hasCurrentName()) {
        path.insert(0, (at.getParent().inRoot() ? "" : ".") + at.getCurrentName());
      } else if (at.inArray() && at.hasCurrentIndex()) {
        path.insert(0, "[" + at.getCurrentIndex() + "]");
      }
    }
    return path.length() == 0 ? line : line + ", " + path;
  }
}
