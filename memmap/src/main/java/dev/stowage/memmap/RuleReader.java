package dev.stowage.memmap;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Kinds;
import dev.stowage.base.json.JsonCursor;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the operator rules of a target file. */
final class RuleReader {
  private static final ImmutableSet<String> MEMBERS =
      ImmutableSet.of(
          "op", "on", "requires", "not_banks", "alignment", "over_read", "reason");

  private static final ImmutableMap<String, OperatorRule.Operands> OPERANDS =
      Arrays.stream(OperatorRule.Operands.values())
          .collect(ImmutableMap.toImmutableMap(OperatorRule.Operands::word, it -> it));

  private final JsonCursor cursor;
  private final Faults faults;

  RuleReader(JsonCursor cursor, Faults faults) {
    this.cursor = cursor;
    this.faults = faults;
  }

  /** The rules that could be read, by their paths. */
  Map<String, OperatorRule> read() {
    Map<String, OperatorRule> rules = new LinkedHashMap<>();
    cursor.beginArray();
    for (int i = 0; cursor.nextElement(); i++) {
      String path = "operator_rules[" + i + "]";
      int before = faults.count();
      OperatorRule rule = faults.read(path, () -> rule(path));
      if (rule != null && faults.count() == before) {
        rules.put(path, rule);
      }
    }
    return rules;
  }

  private OperatorRule rule(String path) {
    Members members = new Members();
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      if (MEMBERS.contains(member)) {
        String name = member;
        faults.read(
            path + "." + member,
            () -> {
              if (!cursor.isNull()) {
                members.read(name, path + "." + name);
              }
              return name;
            });
      } else {
        faults.unknownMember(member, MEMBERS);
      }
    }
    faults.checkPresent(path, "op");
    return new OperatorRule(
        members.op == null ? "*" : members.op,
        members.on,
        ImmutableSet.copyOf(members.requires),
        ImmutableSet.copyOf(members.notBanks),
        members.alignment,
        members.overReadBytes,
        members.reason);
  }

  /** The members of a rule as far as they are read. */
  private final class Members {
    @Nullable String op;
    OperatorRule.Operands on = OperatorRule.Operands.ALL;
    List<String> requires = List.of();
    List<String> notBanks = List.of();
    int alignment;
    long overReadBytes;
    String reason = "";

    void read(String member, String path) {
      switch (member) {
        case "op" -> op = op();
        case "on" -> on = operands();
        case "requires" -> requires = faults.readTexts(path);
        case "not_banks" -> notBanks = faults.readTexts(path);
        case "alignment" -> alignment = cursor.integer(1, Bank.MAX_ALIGNMENT);
        case "over_read" -> overReadBytes = cursor.bytes();
        case "reason" -> reason = cursor.text();
        default -> throw new AssertionError(member);
      }
    }

    private String op() {
      String text = cursor.text();
      if (text.isBlank()) {
        throw cursor
            .error(Kinds.INPUT_VALUE, "the rule names no operators")
            .help("write * for all")
            .asException();
      }
      return text;
    }

    private OperatorRule.Operands operands() {
      String word = cursor.text();
      OperatorRule.Operands operands = OPERANDS.get(word);
      if (operands == null) {
        throw cursor.unknownWord("word", word, OPERANDS.keySet());
      }
      return operands;
    }
  }
}
