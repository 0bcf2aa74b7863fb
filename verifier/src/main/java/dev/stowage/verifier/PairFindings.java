package dev.stowage.verifier;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Message;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Findings about pairs: the first thousand listed, the others counted. Not thread-safe. */
final class PairFindings {
  /** How many are listed. */
  static final int LISTED = 1_000;

  private final List<Finding> listed = new ArrayList<>();
  private final Map<FindingKind, Long> further = new EnumMap<>(FindingKind.class);

  /** True if the next finding is only counted. */
  boolean isFull() {
    return listed.size() == LISTED;
  }

  void add(FindingKind kind, Supplier<Finding> finding) {
    if (isFull()) {
      count(kind, 1);
    } else {
      listed.add(finding.get());
    }
  }

  /** Counts pairs that are not listed. */
  void count(FindingKind kind, long pairs) {
    if (pairs > 0) {
      further.merge(kind, pairs, Long::sum);
    }
  }

  /** The listed ones by their subjects' numbers, then a count for each kind with further pairs. */
  ImmutableList<Finding> build() {
    ImmutableList.Builder<Finding> all = ImmutableList.builder();
    listed.stream()
        .sorted(
            Comparator.comparingInt((Finding finding) -> finding.subjects().get(0).number())
                .thenComparingInt(finding -> finding.subjects().get(1).number())
                .thenComparing(Finding::kind))
        .forEach(all::add);
    further.forEach(
        (kind, pairs) ->
            all.add(
                new Finding(
                    kind,
                    Message.format(
                        "%,d more pairs, which are not listed: %s", pairs, kind.summary()),
                    ImmutableList.of(),
                    -1,
                    pairs)));
    return all.build();
  }
}
