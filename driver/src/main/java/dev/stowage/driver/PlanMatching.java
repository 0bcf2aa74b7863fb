package dev.stowage.driver;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.io.Entry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Pairs the plans of a file with the inputs that they are plans of. Both are in the same order, as
 * {@code stowage plan} writes them; inputs in between may have no plan.
 */
final class PlanMatching {
  /** How many inputs are looked at before a plan counts as one of something else. */
  private static final int LOOK_AHEAD = 1_000;

  private final Iterator<Entry<Input>> inputs;
  private final Deque<Entry<Input>> ahead = new ArrayDeque<>();
  private final String plans;
  private @Nullable Entry<Input> current;
  private int lastNumber;
  private boolean strayPlan;

  /**
   * Pairs from the beginning.
   *
   * @param plans name of the file that has the plans
   */
  PlanMatching(Iterator<Entry<Input>> inputs, String plans) {
    this.inputs = inputs;
    this.plans = plans;
  }

  /**
   * The input of a plan.
   *
   * @param number of the plan where its document asks for several, else 0
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-reference} if there is none,
   *     or that of the input if it could not be read
   */
  Input find(String name, int number) {
    Entry<Input> same = current;
    if (same == null || !nameOf(same).equals(name) || number <= lastNumber) {
      same = next(name);
      current = same;
    }
    lastNumber = number;
    return same.orThrow();
  }

  /** Passes over the input of an answer that is an error, whatever became of the input. */
  void pass(String name, int number) {
    try {
      find(name, number);
    } catch (DiagnosticException e) {
      // The answer says what is to be said.
    }
  }

  /** Notes that a plan belongs to no input that is known. */
  void stray() {
    strayPlan = true;
  }

  private Entry<Input> next(String name) {
    if (ahead.stream().anyMatch(entry -> nameOf(entry).equals(name))) {
      Entry<Input> found = ahead.remove();
      while (!nameOf(found).equals(name)) {
        found = ahead.remove();
      }
      return found;
    }
    while (inputs.hasNext() && ahead.size() < LOOK_AHEAD) {
      Entry<Input> entry = inputs.next();
      if (nameOf(entry).equals(name)) {
        ahead.clear();
        return entry;
      }
      ahead.add(entry);
    }
    stray();
    String expected =
        ahead.isEmpty()
            ? "every input has had its plan already"
            : "the next input is '" + nameOf(ahead.element()) + "'";
    throw Diagnostic.of(
            Kinds.INPUT_REFERENCE,
            Location.of(plans),
            "there is a plan of '" + name + "' here, but " + expected)
        .help("give the plan that was made of this very input")
        .asException();
  }

  /**
   * The name of an input that is left over when the plans are at their end; none if a plan found no
   * input, since then that has been said.
   */
  Optional<String> leftOver() {
    if (strayPlan) {
      return Optional.empty();
    }
    if (!ahead.isEmpty()) {
      return Optional.of(nameOf(ahead.element()));
    }
    return inputs.hasNext() ? Optional.of(nameOf(inputs.next())) : Optional.empty();
  }

  private static String nameOf(Entry<Input> entry) {
    return entry instanceof Entry.Bad<Input> bad ? bad.name() : entry.orThrow().name();
  }
}
