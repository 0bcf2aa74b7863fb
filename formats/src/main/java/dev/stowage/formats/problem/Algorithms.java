package dev.stowage.formats.problem;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Call;
import dev.stowage.base.Value;
import dev.stowage.formats.json.JsonCursor;
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

  private static Value asValue(Call call) {
    return call.options().isEmpty() ? new Value.Word(call.name()) : new Value.Nested(call);
  }
}
