package dev.stowage.formats.problem;

import com.fasterxml.jackson.core.JsonGenerator;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Value;
import dev.stowage.base.json.JsonCursor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The members of a problem that say how it is to be planned, as a call of a strategy. */
final class Algorithms {
  private static final String SUITE = "suite";
  private static final ImmutableSet<String> SINGLE =
      ImmutableSet.of("greedy", "greedy_no_overlap", "naive", "banked_greedy");
  private static final ImmutableSet<String> ALL =
      ImmutableSet.<String>builder().addAll(SINGLE).add(SUITE).build();

  private @Nullable String algorithm;
  private @Nullable List<String> members;
  private boolean overlap = true;

  void readAlgorithm(JsonCursor cursor) {
    algorithm = word(cursor, ALL);
  }

  void readMembers(JsonCursor cursor) {
    members = new ArrayList<>();
    cursor.beginArray();
    while (cursor.nextElement()) {
      members.add(word(cursor, SINGLE));
    }
  }

  void readOverlap(JsonCursor cursor) {
    overlap = cursor.bool();
  }

  private static String word(JsonCursor cursor, ImmutableSet<String> known) {
    String word = cursor.text();
    if (!known.contains(word)) {
      throw cursor.unknownWord("algorithm", word, known);
    }
    return word;
  }

  /** What is wrong with the members together, or null. */
  @Nullable String fault() {
    boolean suite = SUITE.equals(algorithm);
    if (suite && (members == null || members.isEmpty())) {
      return "algorithm 'suite' needs the member 'algorithms', a list of at least one";
    }
    return !suite && members != null ? "'algorithms' needs the algorithm 'suite'" : null;
  }

  /** True if the file names a planner of ExecuTorch. */
  boolean isNamed() {
    return algorithm != null;
  }

  /** The strategy asked for; empty where the file leaves it open. */
  Optional<Call> strategy(boolean hasBanks) {
    if (algorithm == null) {
      // To forbid overlap is to ask for the default strategy with that option.
      return overlap
          ? Optional.empty()
          : Optional.of(call(hasBanks ? "banked_greedy" : "greedy", overlap));
    }
    if (!algorithm.equals(SUITE) || members == null) {
      return Optional.of(call(algorithm, overlap));
    }
    ImmutableList<Value> calls =
        members.stream()
            .map(member -> asValue(call(member, overlap)))
            .collect(ImmutableList.toImmutableList());
    return Optional.of(Call.of(SUITE).with("of", new Value.Items(calls)));
  }

  private static Call call(String name, boolean overlap) {
    return switch (name) {
      case "naive" -> Call.of("naive");
      case "greedy_no_overlap" -> withOverlap(Call.of("greedy"), false);
      default -> withOverlap(Call.of(name.replace('_', '-')), overlap);
    };
  }

  private static Call withOverlap(Call call, boolean overlap) {
    return overlap ? call : call.with("overlap", new Value.Word("false"));
  }

  /**
   * Writes a strategy as the members that read back as it.
   *
   * @throws DiagnosticException of kind {@code input-unsupported} if they cannot express it
   */
  static void write(JsonGenerator json, Call call) throws IOException {
    ImmutableList<Call> members = members(call);
    // Only greedy has a name of its own without overlap; for banks it is said of all members.
    boolean overlap =
        members.stream().noneMatch(it -> it.name().equals("banked-greedy") && isApart(it));
    if (!overlap) {
      json.writeBooleanField("allow_overlapping", false);
    }
    if (!call.name().equals(SUITE)) {
      json.writeStringField("algorithm", word(call, overlap));
      return;
    }
    json.writeStringField("algorithm", SUITE);
    json.writeArrayFieldStart("algorithms");
    for (Call member : members) {
      json.writeString(word(member, overlap));
    }
    json.writeEndArray();
  }

  private static ImmutableList<Call> members(Call call) {
    return call.options().get("of") instanceof Value.Items items
        ? items.items().stream().map(Value::asCall).collect(ImmutableList.toImmutableList())
        : ImmutableList.of(call);
  }

  private static boolean isApart(Call call) {
    return new Value.Word("false").equals(call.options().get("overlap"));
  }

  private static String word(Call call, boolean overlap) {
    String word = call.name().replace('-', '_');
    if (call.name().equals("greedy") && isApart(call) && overlap) {
      word = "greedy_no_overlap";
    }
    boolean sameOverlap = overlap || call.name().equals("naive") || isApart(call);
    if (!SINGLE.contains(word) || !sameOverlap) {
      throw Diagnostic.of(
              Kinds.INPUT_UNSUPPORTED,
              Location.of(call.toString()),
              "a problem file cannot ask for this strategy")
          .asException();
    }
    return word;
  }

  private static Value asValue(Call call) {
    return call.options().isEmpty() ? new Value.Word(call.name()) : new Value.Nested(call);
  }
}
