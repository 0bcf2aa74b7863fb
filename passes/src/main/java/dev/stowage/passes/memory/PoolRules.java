package dev.stowage.passes.memory;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ListMultimap;
import java.util.ArrayList;
import java.util.List;

/** Rules in the order written, which find those that match in less than a look at each. */
final class PoolRules {
  private final ImmutableList<PoolRule> rules;

  /** The indices of rules for one name only, by that name. */
  private final ListMultimap<String, Integer> byName = ArrayListMultimap.create();

  private final List<Integer> others = new ArrayList<>();

  PoolRules(ImmutableList<PoolRule> rules) {
    this.rules = rules;
    for (int index = 0; index < rules.size(); index++) {
      Glob name = rules.get(index).name().orElse(null);
      if (name != null && name.isExact()) {
        byName.put(name.pattern(), index);
      } else {
        others.add(index);
      }
    }
  }

  /** The rules. */
  ImmutableList<PoolRule> all() {
    return rules;
  }

  /** The indices of the rules that match, in order. */
  ImmutableList<Integer> matching(PoolCandidate candidate) {
    List<Integer> found = new ArrayList<>();
    for (List<Integer> some : List.of(byName.get(candidate.name()), others)) {
      for (int index : some) {
        if (rules.get(index).matches(candidate)) {
          found.add(index);
        }
      }
    }
    return ImmutableList.sortedCopyOf(found);
  }
}
