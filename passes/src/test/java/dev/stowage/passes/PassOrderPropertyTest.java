package dev.stowage.passes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.passes.PassOrder.Placed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The check of the order agrees with a literal reading of the rules, and the places that it
 * suggests are right.
 */
class PassOrderPropertyTest {
  private static final int SEEDS = 10_000;

  private static final ImmutableList<Fact> FACTS =
      ImmutableList.of(new Fact("one", "one is so"), new Fact("two", "two is so"));

  private static final Pattern PLACE =
      Pattern.compile("help: put (\\S+) (?:before (?!it$)(\\S+)|at the end, after (\\S+))$|(.*)");

  /** A pipeline with what is registered and known when it begins. */
  private record Sample(
      ImmutableList<PassSpec> registered,
      ImmutableMap<Fact, Boolean> initial,
      ImmutableList<Placed> pipeline) {
    static Sample of(int seed) {
      Random random = new Random(seed);
      List<PassSpec> registered = new ArrayList<>();
      int names = 2 + random.nextInt(4);
      for (int i = 0; i < names; i++) {
        PassSpec.Builder spec = PassSpec.named("p" + i).summary("for tests");
        for (int j = random.nextInt(3); j > 0; j--) {
          switch (random.nextInt(5)) {
            case 0 -> spec.after("p" + random.nextInt(names + 1), "of a reason");
            case 1 -> spec.before("p" + random.nextInt(names + 1), "of a reason");
            case 2 -> spec.requires(fact(random), "of a reason");
            case 3 -> spec.establishes(fact(random));
            default -> spec.destroys(fact(random));
          }
        }
        registered.add(spec.build());
      }
      ImmutableMap.Builder<Fact, Boolean> initial = ImmutableMap.builder();
      for (Fact fact : FACTS) {
        if (random.nextBoolean()) {
          initial.put(fact, random.nextBoolean());
        }
      }
      // Mostly each once, so that places are found by name.
      List<PassSpec> order = new ArrayList<>(registered);
      Collections.shuffle(order, random);
      if (random.nextInt(4) == 0) {
        order.add(registered.get(random.nextInt(names)));
      }
      return new Sample(
          ImmutableList.copyOf(registered),
          initial.buildOrThrow(),
          order.stream()
              .limit(1 + random.nextInt(order.size()))
              .map(spec -> new Placed(Call.of(spec.name()), spec))
              .collect(ImmutableList.toImmutableList()));
    }

    private static Fact fact(Random random) {
      return FACTS.get(random.nextInt(FACTS.size()));
    }

    boolean hasEachOnce() {
      return pipeline.stream().map(it -> it.spec().name()).distinct().count() == pipeline.size();
    }

    List<String> names() {
      return pipeline.stream().map(it -> it.spec().name()).toList();
    }
  }

  /** One line for each rule that a pass breaks, in the order of the check: {@code index: rule}. */
  private static List<String> broken(ImmutableMap<Fact, Boolean> initial, List<Placed> pipeline) {
    List<String> broken = new ArrayList<>();
    for (int i = 0; i < pipeline.size(); i++) {
      PassSpec spec = pipeline.get(i).spec();
      for (PassSpec.Order order : spec.after()) {
        if (occurs(order.pass(), pipeline) && !occurs(order.pass(), pipeline.subList(0, i + 1))) {
          broken.add(i + ": " + spec.name() + " must come after " + order.pass());
        }
      }
      for (PassSpec.Order order : spec.before()) {
        boolean later = occurs(order.pass(), pipeline.subList(i, pipeline.size()));
        if (occurs(order.pass(), pipeline)
            && !later
            && isLeft(order.pass(), pipeline.subList(0, i))) {
          broken.add(i + ": " + spec.name() + " must come before " + order.pass());
        }
      }
      for (PassSpec.Requirement requirement : spec.requires()) {
        if (!isSo(requirement.fact(), initial, pipeline.subList(0, i))) {
          broken.add(i + ": " + spec.name() + " requires that " + requirement.fact().summary());
        }
      }
    }
    return broken;
  }

  private static boolean occurs(String name, List<Placed> pipeline) {
    return pipeline.stream().anyMatch(it -> it.spec().name().equals(name));
  }

  /** True unless all that the last run of a pass established has been destroyed by others since. */
  private static boolean isLeft(String name, List<Placed> earlier) {
    int last = earlier.size() - 1;
    while (!earlier.get(last).spec().name().equals(name)) {
      last--;
    }
    boolean anything = false;
    for (Fact fact : earlier.get(last).spec().establishes()) {
      boolean destroyed = false;
      for (int i = last + 1; i < earlier.size(); i++) {
        PassSpec spec = earlier.get(i).spec();
        boolean tooLateItself = spec.before().stream().anyMatch(it -> it.pass().equals(name));
        destroyed |=
            spec.destroys().contains(fact) && !spec.establishes().contains(fact) && !tooLateItself;
      }
      anything |= !destroyed;
    }
    return anything || earlier.get(last).spec().establishes().isEmpty();
  }

  /** The last one that speaks of a fact decides; what nobody speaks of is as in the input. */
  private static boolean isSo(Fact fact, Map<Fact, Boolean> initial, List<Placed> earlier) {
    for (int i = earlier.size() - 1; i >= 0; i--) {
      PassSpec spec = earlier.get(i).spec();
      if (spec.establishes().contains(fact)) {
        return true;
      }
      if (spec.destroys().contains(fact)) {
        return false;
      }
    }
    return initial.getOrDefault(fact, false);
  }

  /** All errors and notes of the check, without the reasons; empty if it accepts. */
  private static List<String> told(Sample sample) {
    DiagnosticException refusal =
        catchThrowableOfType(
            DiagnosticException.class,
            () ->
                new PassOrder(
                        fact -> sample.initial().getOrDefault(fact, false), sample.registered())
                    .check(sample.pipeline()));
    if (refusal == null) {
      return List.of();
    }
    Diagnostic all = refusal.diagnostic();
    assertThat(all.kind()).isEqualTo(Kinds.MISPLACED_PASS);
    List<String> told = new ArrayList<>();
    told.add(all.message());
    if (!all.help().isEmpty()) {
      told.add("help: " + all.help());
    }
    for (String note : all.notes()) {
      told.add(note.replaceFirst("^also: [^:]*: ", ""));
    }
    return told;
  }

  @Test
  void check_randomOrders_acceptsWhatTheRulesAccept() {
    int accepted = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Sample sample = Sample.of(seed);
      List<String> expected = new ArrayList<>();
      for (String rule : broken(sample.initial(), sample.pipeline())) {
        expected.add(rule.replaceFirst("^[0-9]+: ", "") + ": of a reason");
      }
      List<String> told = new ArrayList<>(told(sample));
      told.removeIf(line -> line.startsWith("help: "));
      assertThat(told).as("seed %s, %s", seed, sample.names()).isEqualTo(expected);
      accepted += told.isEmpty() ? 1 : 0;
    }
    assertThat(accepted).isBetween(SEEDS / 5, SEEDS * 4 / 5);
  }

  @Test
  void check_suggestedPlace_wouldDo() {
    int suggested = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Sample sample = Sample.of(seed);
      if (!sample.hasEachOnce()) {
        continue;
      }
      List<String> told = told(sample);
      for (int i = 0; i < told.size(); i += 2) {
        Matcher place = PLACE.matcher(told.get(i + 1));
        assertThat(place.matches()).isTrue();
        String name = told.get(i).split(" ", 2)[0];
        String as = "seed " + seed + ", " + sample.names() + ": " + told;
        if (place.group(1) == null) {
          assertThat(wouldDo(sample, name)).as(as).isEmpty();
          assertThat(place.group(4)).as(as).doesNotContain("put " + name + " ");
        } else {
          List<String> moved = moved(sample, name, place.group(2));
          if (place.group(3) != null) {
            assertThat(moved.get(moved.size() - 2)).as(as).isEqualTo(place.group(3));
          }
          assertThat(wouldDo(sample, name)).as(as).contains(moved);
          suggested++;
        }
      }
    }
    assertThat(suggested).isGreaterThan(SEEDS / 10);
  }

  /** The names with one of them put before another, or at the end. */
  private static List<String> moved(Sample sample, String name, @Nullable String before) {
    List<String> moved = new ArrayList<>(sample.names());
    moved.remove(name);
    moved.add(before == null ? moved.size() : moved.indexOf(before), name);
    return moved;
  }

  /** All orders with one pass moved in which it breaks no rule, and the others no more than now. */
  private static List<List<String>> wouldDo(Sample sample, String name) {
    int index = sample.names().indexOf(name);
    long now =
        broken(sample.initial(), sample.pipeline()).stream()
            .filter(rule -> !rule.startsWith(index + ": "))
            .count();
    List<List<String>> orders = new ArrayList<>();
    for (int to = 0; to < sample.pipeline().size(); to++) {
      List<Placed> moved = new ArrayList<>(sample.pipeline());
      moved.add(to, moved.remove(index));
      List<String> broken = broken(sample.initial(), moved);
      String own = to + ": ";
      if (to != index
          && broken.size() <= now
          && broken.stream().noneMatch(rule -> rule.startsWith(own))) {
        orders.add(moved.stream().map(it -> it.spec().name()).toList());
      }
    }
    return orders;
  }
}
