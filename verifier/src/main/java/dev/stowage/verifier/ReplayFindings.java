package dev.stowage.verifier;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Message;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.verifier.ScheduleWalk.Step;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a replay finds: of each kind the first for each victim, a thousand listed and the others
 * counted. Not thread-safe.
 */
final class ReplayFindings {
  /** How many are listed. */
  static final int LISTED = 1_000;

  private final Method method;
  private final ReplayStorages storages;
  private final Map<Integer, Set<FindingKind>> kindsByVictim = new HashMap<>();
  private final List<Finding> listed = new ArrayList<>();
  private final Map<FindingKind, Long> further = new EnumMap<>(FindingKind.class);

  /**
   * Bytes that are not what they should be.
   *
   * @param victim handle that is read
   * @param from first byte in its arena
   * @param to last byte, exclusive
   * @param culprit who wrote there last, or null if nobody did
   * @param poisoned true if the culprit was not needed any more
   * @param after true if the bytes were right before the step
   */
  record Clash(
      int victim,
      long from,
      long to,
      Stamp.@Nullable Write culprit,
      boolean poisoned,
      boolean after) {}

  ReplayFindings(Method method, ReplayStorages storages) {
    this.method = method;
    this.storages = storages;
  }

  /**
   * Takes in a clash of two storages of which neither backs the other.
   *
   * @param lives when storages are used in this run
   */
  void add(Clash clash, Step step, Spans lives) {
    FindingKind kind = kind(clash);
    int victim = storages.storage(clash.victim());
    if (kindsByVictim.computeIfAbsent(victim, any -> EnumSet.noneOf(FindingKind.class)).add(kind)) {
      if (listed.size() == LISTED) {
        further.merge(kind, 1L, Long::sum);
      } else {
        listed.add(describe(kind, clash, step, lives));
      }
    }
  }

  private FindingKind kind(Clash clash) {
    if (clash.culprit() == null) {
      return storages.isInPlace(clash.victim())
          ? FindingKind.IN_PLACE_CLOBBER
          : FindingKind.CLOBBER;
    }
    int culprit = clash.culprit().tensor();
    if (storages.areDeclaredSiblings(storages.storage(clash.victim()), storages.storage(culprit))) {
      return FindingKind.SIBLING_CLOBBER;
    }
    return storages.isInPlace(clash.victim()) || storages.isInPlace(culprit)
        ? FindingKind.IN_PLACE_CLOBBER
        : FindingKind.CLOBBER;
  }

  private Finding describe(FindingKind kind, Clash clash, Step step, Spans lives) {
    int victim = storages.storage(clash.victim());
    ClaimedPlan.Place place = storages.place(victim);
    ImmutableList.Builder<Finding.Subject> subjects = ImmutableList.builder();
    subjects.add(subject(victim, lives));
    Stamp.Write culprit = clash.culprit();
    String found;
    if (culprit == null) {
      found = "nobody has written them";
    } else {
      int of = storages.storage(culprit.tensor());
      if (of != victim) {
        subjects.add(subject(of, lives));
      }
      found =
          Message.format(
              "%s wrote %s there at step %d%s",
              who(culprit.node()),
              handle(culprit.tensor()),
              culprit.step(),
              clash.poisoned() ? ", which nobody needs any more" : "");
    }
    Node node = step.node();
    return Finding.of(
        kind,
        Message.format(
            "%s at step %d, %s has lost its bytes [%,d, %,d) of mem_id %d: %s",
            when(step, clash.after()),
            step.clock(),
            handle(clash.victim()),
            clash.from(),
            clash.to(),
            place == null ? -1 : place.memId(),
            found),
        node == null ? -1 : node.id(),
        subjects.build());
  }

  private static String when(Step step, boolean after) {
    return switch (step.reason()) {
      case BEGIN -> "when all inputs and state are there,";
      case END -> "when the next call needs the state,";
      case UNTIL -> "when " + who(step.node()) + ", which it is to outlast, has run";
      case OPERATOR, PASSING ->
          (after ? "while " : "when ") + who(step.node()) + (after ? " writes" : " reads");
    };
  }

  private static String who(@Nullable Node node) {
    return node == null ? "the caller" : node.op() + " (node " + node.id() + ")";
  }

  private String handle(int tensor) {
    int of = storages.storage(tensor);
    return storages.number(of) == storages.number(tensor)
        ? storages.describe(of)
        : storages.describe(tensor) + ", a handle to " + storages.describe(of) + ",";
  }

  private Finding.Subject subject(int of, Spans lives) {
    ClaimedPlan.Place place = storages.place(of);
    long offset = place == null ? 0 : place.offsetBytes();
    boolean used = lives.last[of] >= 0;
    return new Finding.Subject(
        storages.number(of),
        method.tensor(of).name(),
        place == null ? -1 : place.memId(),
        offset,
        place == null ? 0 : offset + storages.to(of),
        used ? lives.first[of] : -1,
        lives.last[of]);
  }

  /**
   * The listed ones in the order in which they were found, then a count for each kind with more.
   */
  ImmutableList<Finding> build() {
    ImmutableList.Builder<Finding> all = ImmutableList.<Finding>builder().addAll(listed);
    further.forEach(
        (kind, count) ->
            all.add(
                new Finding(
                    kind,
                    Message.format(
                        "%,d more tensors, which are not listed: %s", count, kind.summary()),
                    ImmutableList.of(),
                    -1,
                    count)));
    return all.build();
  }
}
