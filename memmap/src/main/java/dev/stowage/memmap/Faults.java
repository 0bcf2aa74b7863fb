package dev.stowage.memmap;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.json.JsonCursor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with a document, gathered while the reading goes on, and where its members are, for
 * what turns out to be wrong afterwards. Paths are like {@code banks[2].size}.
 */
final class Faults {
  private final JsonCursor cursor;
  private final List<Diagnostic> found = new ArrayList<>();
  private final Map<String, Location> places = new HashMap<>();

  Faults(JsonCursor cursor) {
    this.cursor = cursor;
  }

  /**
   * Reads the value at the cursor, and remembers where it is. If that fails, the value is passed
   * over.
   *
   * @return what was read, or null if that failed
   * @throws DiagnosticException if the text is no JSON from here on
   */
  <T> @Nullable T read(String path, Supplier<T> reading) {
    places.put(path, cursor.location());
    try {
      return reading.get();
    } catch (DiagnosticException e) {
      if (endsReading(e.diagnostic().kind())) {
        throw e;
      }
      found.add(e.diagnostic());
      cursor.skip();
      return null;
    }
  }

  private static boolean endsReading(DiagnosticKind kind) {
    return kind.equals(Kinds.INPUT_SYNTAX) || kind.equals(Kinds.INPUT_UNREADABLE);
  }

  /** A list of texts, which leaves out those that are none. */
  List<String> readTexts(String path) {
    List<String> texts = new ArrayList<>();
    cursor.beginArray();
    for (int i = 0; cursor.nextElement(); i++) {
      String text = read(path + "[" + i + "]", cursor::text);
      if (text != null) {
        texts.add(text);
      }
    }
    return texts;
  }

  /** A member that nobody knows, at the cursor, which passes over it. */
  void unknownMember(String member, Collection<String> known) {
    found.add(cursor.unknownMember(member, known).diagnostic());
    cursor.skip();
  }

  /** Something that is wrong at a path that was read, or in the nearest part of it that was. */
  void add(String path, Diagnostic fault) {
    found.add(fault.at(placeOf(path)));
  }

  /** The same, without more to say. */
  void add(String path, DiagnosticKind kind, String message) {
    add(path, Diagnostic.of(kind, message));
  }

  private Location placeOf(String path) {
    String known = path;
    while (!places.containsKey(known)) {
      int end = Math.max(known.lastIndexOf('.'), known.lastIndexOf('['));
      if (end < 0) {
        return new Location(cursor.source(), path);
      }
      known = known.substring(0, end);
    }
    Location place = places.get(known);
    return place == null ? new Location(cursor.source(), path) : place;
  }

  /**
   * The fault that a member is missing, unless it is there.
   *
   * @param path of the object, empty for the document
   */
  void checkPresent(String path, String member) {
    String where = path.isEmpty() ? member : path + "." + member;
    if (!places.containsKey(where)) {
      add(
          path.isEmpty() ? member : path,
          Kinds.INPUT_MEMBER,
          "the member '" + member + "' is missing");
    }
  }

  /** How many there are. */
  int count() {
    return found.size();
  }

  /**
   * Ends the reading if anything is wrong.
   *
   * @throws DiagnosticException that names all of it
   */
  void throwIfAny() {
    if (!found.isEmpty()) {
      throw Diagnostic.joined(found).asException();
    }
  }

  /** The exception about what was found, and then what ended the reading. */
  DiagnosticException and(DiagnosticException end) {
    return Diagnostic.joined(
            ImmutableList.<Diagnostic>builder().addAll(found).add(end.diagnostic()).build())
        .asException();
  }
}
