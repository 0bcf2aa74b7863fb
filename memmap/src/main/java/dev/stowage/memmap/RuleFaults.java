package dev.stowage.memmap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Suggestions;
import java.util.TreeSet;

/** Finds what is wrong with an operator rule beside the banks that it is for. */
final class RuleFaults {
  private RuleFaults() {}

  /** The faults; the place of each is the member of the rule that has it, or empty. */
  static ImmutableList<Diagnostic> of(OperatorRule rule, ImmutableList<Bank> banks) {
    ImmutableList.Builder<Diagnostic> faults = ImmutableList.builder();
    faults.addAll(ofItself(rule));
    ImmutableList<Bank> planned =
        banks.stream().filter(Bank::planned).collect(ImmutableList.toImmutableList());
    ImmutableSet<String> names =
        planned.stream().map(Bank::name).collect(ImmutableSet.toImmutableSet());
    faults.addAll(ofNames(rule, names));
    TreeSet<String> attributes = new TreeSet<>();
    planned.forEach(bank -> attributes.addAll(bank.attributes()));
    for (String attribute : rule.requires()) {
      if (!attributes.contains(attribute)) {
        faults.add(
            fault(Kinds.MAP_RULE, "requires", "no bank has the attribute '" + attribute + "'")
                .help(
                    attributes.isEmpty()
                        ? "the banks have no attributes"
                        : Suggestions.help(attribute, attributes)));
      }
    }
    boolean left =
        planned.stream()
            .anyMatch(
                bank ->
                    !rule.notBanks().contains(bank.name())
                        && bank.attributes().containsAll(rule.requires()));
    if (!left && attributes.containsAll(rule.requires())) {
      faults.add(fault(Kinds.MAP_RULE, "", "the rule leaves no bank"));
    }
    return faults.build();
  }

  /** The faults that a rule has whatever the banks are. */
  static ImmutableList<Diagnostic> ofItself(OperatorRule rule) {
    return rule.saysSomething()
        ? ImmutableList.of()
        : ImmutableList.of(
            fault(Kinds.MAP_RULE, "", "the rule says nothing")
                .help("give it one of requires, not_banks, alignment and over_read"));
  }

  /** The faults that it has even if banks of these names can hold whatever it asks for. */
  static ImmutableList<Diagnostic> ofNames(OperatorRule rule, ImmutableSet<String> names) {
    ImmutableList.Builder<Diagnostic> faults = ImmutableList.builder();
    for (String name : rule.notBanks()) {
      if (!names.contains(name)) {
        faults.add(
            fault(Kinds.MAP_UNKNOWN_BANK, "not_banks", "the memory map has no bank '" + name + "'")
                .help(Suggestions.help(name, names)));
      }
    }
    return faults.build();
  }

  private static Diagnostic fault(DiagnosticKind kind, String member, String message) {
    return Diagnostic.of(kind, Location.at(member), message);
  }
}
