package dev.stowage.base.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Suggestions;
import java.util.Iterator;
import java.util.Optional;

/**
 * A JSON object of a file, read strictly: every error says which file, which member, what was found
 * and what may be there.
 */
public final class JsonObject {
  private final String source;
  private final String path;
  private final JsonNode node;

  private JsonObject(String source, String path, JsonNode node) {
    this.source = source;
    this.path = path;
    this.node = node;
  }

  /**
   * A value as an object.
   *
   * @param path where it is in the source, such as {@code line 3, specs[4]}
   */
  public static JsonObject of(String source, String path, JsonNode node) {
    if (!node.isObject()) {
      throw Diagnostic.of(
              Kinds.INPUT_MEMBER,
              new Location(source, path),
              "expected an object but found " + describe(node))
          .asException();
    }
    return new JsonObject(source, path, node);
  }

  /** Where the object is. */
  public Location location() {
    return new Location(source, path);
  }

  /** Refuses members other than these. */
  public JsonObject only(Iterable<String> members) {
    ImmutableList<String> allowed = ImmutableList.copyOf(members);
    for (Iterator<String> names = node.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!allowed.contains(name)) {
        throw Diagnostic.of(
                Kinds.INPUT_MEMBER, new Location(source, path), "unknown member '" + name + "'")
            .help(Suggestions.help(name, allowed))
            .asException();
      }
    }
    return this;
  }

  /** True if the member is there and not null. */
  public boolean has(String member) {
    return node.hasNonNull(member);
  }

  /** A text that must be there. */
  public String text(String member) {
    JsonNode value = required(member);
    if (!value.isTextual()) {
      throw wrong(member, "a text", value);
    }
    return value.textValue();
  }

  /** A text, or nothing where it is absent or null. */
  public Optional<String> optionalText(String member) {
    return has(member) ? Optional.of(text(member)) : Optional.empty();
  }

  /** True or false, the default where it is absent or null. */
  public boolean bool(String member, boolean defaultValue) {
    if (!has(member)) {
      return defaultValue;
    }
    JsonNode value = required(member);
    if (!value.isBoolean()) {
      throw wrong(member, "true or false", value);
    }
    return value.booleanValue();
  }

  /** A whole number in a range that must be there. */
  public long number(String member, long least, long greatest) {
    return number(source, path + "." + member, required(member), least, greatest);
  }

  /** A whole number in a range, or the default where it is absent or null. */
  public long number(String member, long least, long greatest, long defaultValue) {
    return has(member) ? number(member, least, greatest) : defaultValue;
  }

  /** A whole number in the range of int, or the default where it is absent or null. */
  public int integer(String member, int least, int greatest, int defaultValue) {
    return (int) number(member, least, greatest, defaultValue);
  }

  /** An object that must be there. */
  public JsonObject object(String member) {
    return of(source, path + "." + member, required(member));
  }

  /** A list of objects that must be there. */
  public ImmutableList<JsonObject> objects(String member) {
    ImmutableList.Builder<JsonObject> objects = ImmutableList.builder();
    int index = 0;
    for (JsonNode item : list(member)) {
      objects.add(of(source, path + "." + member + "[" + index++ + "]", item));
    }
    return objects.build();
  }

  /** A list of whole numbers in a range; empty where it is absent or null. */
  public int[] integers(String member, int least, int greatest) {
    if (!has(member)) {
      return new int[0];
    }
    JsonNode list = list(member);
    int[] numbers = new int[list.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] =
          (int) number(source, path + "." + member + "[" + i + "]", list.get(i), least, greatest);
    }
    return numbers;
  }

  /** A list that must be there, as it is. */
  public JsonNode list(String member) {
    JsonNode value = required(member);
    if (!value.isArray()) {
      throw wrong(member, "a list", value);
    }
    return value;
  }

  /** An error about a member of this object. */
  public DiagnosticException error(DiagnosticKind kind, String member, String message) {
    return Diagnostic.of(kind, new Location(source, path + "." + member), message).asException();
  }

  private static long number(
      String source, String where, JsonNode value, long least, long greatest) {
    if (!value.isIntegralNumber()) {
      throw Diagnostic.of(
              Kinds.INPUT_MEMBER,
              new Location(source, where),
              "expected a whole number but found " + describe(value))
          .asException();
    }
    if (!value.canConvertToLong() || value.longValue() < least || value.longValue() > greatest) {
      throw Diagnostic.of(
              Kinds.INPUT_VALUE,
              new Location(source, where),
              value.asText() + " is not in " + least + ".." + greatest)
          .asException();
    }
    return value.longValue();
  }

  private JsonNode required(String member) {
    JsonNode value = node.get(member);
    if (value == null) {
      throw Diagnostic.of(
              Kinds.INPUT_MEMBER, new Location(source, path), "member '" + member + "' is missing")
          .asException();
    }
    return value;
  }

  private DiagnosticException wrong(String member, String expected, JsonNode value) {
    return error(
        Kinds.INPUT_MEMBER, member, "expected " + expected + " but found " + describe(value));
  }

  private static String describe(JsonNode value) {
    if (value.isContainerNode()) {
      return value.isArray() ? "a list" : "an object";
    }
    String text = value.toString();
    return text.length() <= 40 ? text : text.substring(0, 37) + "...";
  }
}
