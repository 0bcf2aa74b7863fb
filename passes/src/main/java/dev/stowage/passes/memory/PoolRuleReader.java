package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import dev.stowage.base.Device;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.base.json.JsonCursor;
import dev.stowage.base.json.JsonDocuments;
import dev.stowage.ir.DType;
import dev.stowage.planning.Limits;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file of rules: {@code {"rules": [{"mem_id": 2, "op": "conv*"}, ...]}}. Each rule has
 * {@code bank} or {@code mem_id}, and any of {@code op}, {@code name}, {@code min_bytes}, {@code
 * max_bytes}, {@code role}, {@code dtype} and {@code device}.
 */
final class PoolRuleReader {
  private static final ImmutableList<String> MEMBERS =
      ImmutableList.of(
          "bank", "mem_id", "op", "name", "min_bytes", "max_bytes", "role", "dtype", "device");

  private static final ImmutableMap<String, PoolRole> ROLES =
      Maps.uniqueIndex(
          Arrays.asList(PoolRole.values()), role -> role.name().toLowerCase(Locale.ROOT));

  private static final ImmutableMap<String, DType> DTYPES =
      Maps.uniqueIndex(Arrays.asList(DType.values()), DType::toString);

  private final JsonCursor cursor;

  private PoolRuleReader(JsonCursor cursor) {
    this.cursor = cursor;
  }

  /**
   * The rules of a file.
   *
   * @param file what it is called in errors
   * @throws dev.stowage.base.DiagnosticException of a kind {@code input-*}
   */
  static ImmutableList<PoolRule> read(String file, String text) {
    try (Source source = Source.of(file, text.getBytes(StandardCharsets.UTF_8))) {
      Iterator<Entry<ImmutableList<PoolRule>>> documents =
          new JsonDocuments<>(source, (cursor, label) -> new PoolRuleReader(cursor).rules());
      ImmutableList<PoolRule> rules = documents.next().orThrow();
      if (documents.hasNext()) {
        throw Diagnostic.of(
                Kinds.INPUT_SYNTAX, Location.of(file), "a file of rules has one document only")
            .asException();
      }
      return rules;
    }
  }

  private ImmutableList<PoolRule> rules() {
    ImmutableList<PoolRule> rules = null;
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      if (!member.equals("rules")) {
        throw cursor.unknownMember(member, ImmutableList.of("rules"));
      }
      rules = list();
    }
    if (rules == null) {
      throw cursor.error(Kinds.INPUT_MEMBER, "member 'rules' is missing").asException();
    }
    return rules;
  }

  private ImmutableList<PoolRule> list() {
    ImmutableList.Builder<PoolRule> rules = ImmutableList.builder();
    cursor.beginArray();
    for (int index = 0; cursor.nextElement(); index++) {
      rules.add(new RuleMembers().read(new PoolRule.InFile(cursor.source(), index)));
    }
    return rules.build();
  }

  /** The members of one rule. */
  private final class RuleMembers {
    private @Nullable String bank;
    private @Nullable Integer memId;
    private @Nullable String op;
    private @Nullable String name;
    private @Nullable Long minBytes;
    private @Nullable Long maxBytes;
    private @Nullable PoolRole role;
    private @Nullable DType dtype;
    private @Nullable Device device;

    PoolRule read(PoolRule.InFile place) {
      cursor.beginObject();
      for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
        read(member);
      }
      if (bank != null && memId != null) {
        throw fault(place, "a rule has bank or mem_id, not both");
      }
      if (minBytes != null && maxBytes != null && minBytes > maxBytes) {
        throw cursor
            .errorAt(
                Kinds.INPUT_VALUE,
                place.path(),
                "min_bytes " + minBytes + " is above max_bytes " + maxBytes)
            .asException();
      }
      PoolRule.Pool pool;
      if (memId != null) {
        pool = new PoolRule.MemId(memId);
      } else if (bank != null) {
        pool = new PoolRule.BankName(bank);
      } else {
        throw fault(place, "a rule needs bank or mem_id");
      }
      return new PoolRule(
          place,
          pool,
          Optional.ofNullable(op).map(Glob::new),
          Optional.ofNullable(name).map(Glob::new),
          Optional.ofNullable(minBytes),
          Optional.ofNullable(maxBytes),
          Optional.ofNullable(role),
          Optional.ofNullable(dtype),
          Optional.ofNullable(device));
    }

    private RuntimeException fault(PoolRule.InFile place, String message) {
      return cursor.errorAt(Kinds.INPUT_MEMBER, place.path(), message).asException();
    }

    private void read(String member) {
      switch (member) {
        case "bank" -> bank = cursor.text();
        case "mem_id" -> memId = cursor.integer(1, Limits.MAX_MEM_ID);
        case "op" -> op = cursor.text();
        case "name" -> name = cursor.text();
        case "min_bytes" -> minBytes = cursor.bytes();
        case "max_bytes" -> maxBytes = cursor.bytes();
        case "role" -> role = oneOf("role", ROLES);
        case "dtype" -> dtype = oneOf("element type", DTYPES);
        case "device" -> device = device();
        default -> throw cursor.unknownMember(member, MEMBERS);
      }
    }

    private <T> T oneOf(String what, ImmutableMap<String, T> words) {
      String word = cursor.text();
      T value = words.get(word);
      if (value == null) {
        throw cursor.unknownWord(what, word, words.keySet());
      }
      return value;
    }

    private Device device() {
      try {
        return Device.parse(cursor.text());
      } catch (IllegalArgumentException e) {
        throw cursor.error(Kinds.INPUT_VALUE, String.valueOf(e.getMessage())).asException();
      }
    }
  }
}
