package dev.stowage.passes;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Checks the order of a pipeline before it runs: goes through its passes in order, keeps account of
 * the facts that they establish and destroy, and finds each pass that must come before or after
 * another, or requires what is not so. For each it looks for a place that would do.
 */
final class PassOrder {
  /** In longer pipelines no place is looked for: it takes cubic time. */
  private static final int LONGEST_SEARCHED = 100;

  private final Predicate<Fact> initial;
  private final ImmutableList<PassSpec> registered;

  /**
   * A check.
   *
   * @param initial true of what is so, or may be so, of the input
   * @param registered all passes that there are
   */
  PassOrder(Predicate<Fact> initial, ImmutableList<PassSpec> registered) {
    this.initial = initial;
    this.registered = registered;
  }

  /** A pass of the pipeline. */
  record Placed(Call call, PassSpec spec) {}

  /** What is wrong with the place of a pass. */
  private record Fault(int index, Placed pass, String why, Optional<Fact> missing) {}

  /**
   * Checks the order of all passes.
   *
   * @throws DiagnosticException of kind {@code misplaced-pass} that tells of all misplaced passes
   */
  void check(List<Placed> passes) {
    List<Fault> faults = faults(passes);
    if (faults.isEmpty()) {
      return;
    }
    Diagnostic all = diagnose(faults.get(0));
    if (faults.size() == 1) {
      throw all.help(help(faults.get(0), passes)).asException();
    }
    // Each help stands with what it is about, not that of the first behind all.
    all = all.note("help: " + help(faults.get(0), passes));
    for (Fault fault : faults.subList(1, faults.size())) {
      Diagnostic other = diagnose(fault);
      all = all.note("also: " + other.location() + ": " + other.message());
      for (String note : other.notes()) {
        all = all.note(note);
      }
      all = all.note("help: " + help(fault, passes));
    }
    throw all.asException();
  }

  private static Diagnostic diagnose(Fault fault) {
    return fault
        .pass
        .call()
        .diagnose(Kinds.MISPLACED_PASS, fault.pass.spec().name() + " " + fault.why);
  }

  private List<Fault> faults(List<Placed> passes) {
    Map<String, Integer> first = new HashMap<>();
    Map<String, Integer> last = new HashMap<>();
    for (int i = 0; i < passes.size(); i++) {
      first.putIfAbsent(passes.get(i).spec().name(), i);
      last.put(passes.get(i).spec().name(), i);
    }
    List<Fault> faults = new ArrayList<>();
    Map<Fact, Boolean> known = new HashMap<>();
    for (int i = 0; i < passes.size(); i++) {
      Placed pass = passes.get(i);
      for (PassSpec.Order order : pass.spec().after()) {
        if (first.getOrDefault(order.pass(), -1) > i) {
          faults.add(
              new Fault(
                  i,
                  pass,
                  "must come after " + order.pass() + ": " + order.why(),
                  Optional.empty()));
        }
      }
      for (PassSpec.Order order : pass.spec().before()) {
        int lastOther = last.getOrDefault(order.pass(), Integer.MAX_VALUE);
        if (lastOther < i && stands(lastOther, i, passes)) {
          faults.add(
              new Fault(
                  i,
                  pass,
                  "must come before " + order.pass() + ": " + order.why(),
                  Optional.empty()));
        }
      }
      for (PassSpec.Requirement requirement : pass.spec().requires()) {
        if (!known.computeIfAbsent(requirement.fact(), initial::test)) {
          faults.add(
              new Fault(
                  i,
                  pass,
                  "requires that " + requirement.fact().summary() + ": " + requirement.why(),
                  Optional.of(requirement.fact())));
        }
      }
      pass.spec().destroys().forEach(fact -> known.put(fact, false));
      pass.spec().establishes().forEach(fact -> known.put(fact, true));
    }
    return faults;
  }

  /**
   * False if all that a pass established has been destroyed since, as a plan is that was stripped:
   * then it is as if the pass had not run. One that must itself come before it does not count.
   */
  private static boolean stands(int index, int now, List<Placed> passes) {
    PassSpec spec = passes.get(index).spec();
    Set<Fact> left = new HashSet<>(spec.establishes());
    for (Placed between : passes.subList(index + 1, now)) {
      if (between.spec().before().stream().noneMatch(it -> it.pass().equals(spec.name()))) {
        left.removeAll(Sets.difference(between.spec().destroys(), between.spec().establishes()));
      }
    }
    return spec.establishes().isEmpty() || !left.isEmpty();
  }

  /** A place where nothing is wrong with a pass and nothing more with the others. */
  private String help(Fault fault, List<Placed> passes) {
    int from = fault.index;
    if (passes.size() <= LONGEST_SEARCHED) {
      long others = faults(passes).stream().filter(it -> it.index != from).count();
      for (int distance = 1; distance < passes.size(); distance++) {
        for (int to : new int[] {from - distance, from + distance}) {
          if (to >= 0 && to < passes.size()) {
            List<Placed> moved = new ArrayList<>(passes);
            moved.remove(from);
            moved.add(to, fault.pass);
            List<Fault> left = faults(moved);
            if (left.size() <= others && left.stream().noneMatch(it -> it.index == to)) {
              return place(moved, to);
            }
          }
        }
      }
    }
    String establishing =
        fault.missing.isEmpty()
            ? ""
            : registered.stream()
                .filter(spec -> spec.establishes().contains(fault.missing.get()))
                .map(PassSpec::name)
                .filter(name -> !name.equals(fault.pass.spec().name()))
                .reduce((one, other) -> one + " or " + other)
                .orElse("");
    return establishing.isEmpty()
        ? "no place in this pipeline would do: leave " + fault.pass.spec().name() + " out"
        : "put " + establishing + " before it";
  }

  private static String place(List<Placed> passes, int at) {
    String name = passes.get(at).spec().name();
    if (at + 1 == passes.size()) {
      return "put " + name + " at the end, after " + passes.get(at - 1).spec().name();
    }
    return "put " + name + " before " + passes.get(at + 1).spec().name();
  }
}
