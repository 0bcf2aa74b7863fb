package dev.stowage.memmap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.base.json.JsonCursor;
import dev.stowage.base.json.JsonDocuments;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a target from a file: its banks and rules, or what it changes of another target that it
 * extends. Everything that is wrong with a file is reported at once.
 */
public final class TargetReader {
  private static final ImmutableSet<String> MEMBERS =
      ImmutableSet.of("name", "description", "extends", "sources", "banks", "operator_rules");

  private final JsonCursor cursor;
  private final Faults faults;
  private final Function<String, Target> bases;

  private @Nullable String name;
  private @Nullable String description;
  private @Nullable Target base;
  private @Nullable String baseName;
  private boolean banksGiven;
  private ImmutableList<BankDraft> drafts = ImmutableList.of();
  private List<String> sources = List.of();
  private Map<String, OperatorRule> rules = Map.of();

  private TargetReader(JsonCursor cursor, Function<String, Target> bases) {
    this.cursor = cursor;
    this.bases = bases;
    faults = new Faults(cursor);
  }

  /**
   * The target of a file.
   *
   * @param source one JSON document, which the caller closes
   * @param bases finds the target of a name, which a file may extend; throws a {@link
   *     DiagnosticException} if there is none
   * @throws DiagnosticException that names everything that is wrong; of a kind {@code input-*} or
   *     {@code map-*}
   */
  public static Target read(Source source, Function<String, Target> bases) {
    Iterator<Entry<Target>> documents =
        new JsonDocuments<>(source, (cursor, label) -> new TargetReader(cursor, bases).read());
    Target target = documents.next().orThrow();
    if (documents.hasNext()) {
      throw Diagnostic.of(
              Kinds.INPUT_SYNTAX,
              Location.of(source.name()),
              "something follows the end of the target")
          .help("a file has one target")
          .asException();
    }
    return target;
  }

  private Target read() {
    try {
      readMembers();
    } catch (DiagnosticException e) {
      throw faults.and(e);
    }
    faults.checkPresent("", "name");
    if (baseName == null) {
      faults.checkPresent("", "banks");
    }
    findBase();
    // Where the base is not known, nothing can be said of what changes it.
    boolean known = baseName == null || base != null;
    ImmutableList<Bank> banks =
        known && (banksGiven || base != null)
            ? new MapDraft(drafts, base, faults).build()
            : wholeDrafts().isEmpty()
                ? ImmutableList.of()
                : new MapDraft(wholeDrafts(), null, faults).build();
    if (known && drafts.stream().noneMatch(draft -> draft.faulty)) {
      checkRules(banks);
    } else {
      checkRulesAlone(known);
    }
    faults.throwIfAny();
    MemoryMap map = MemoryMap.of(banks);
    return Target.builder(
            Objects.requireNonNull(name), description == null ? map.describe() : description, map)
        .operatorRules(allRules(banks))
        .sources(allSources())
        .build();
  }

  private void readMembers() {
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      if (!MEMBERS.contains(member)) {
        faults.unknownMember(member, MEMBERS);
      } else if (member.equals("banks")) {
        banksGiven = true;
        drafts = new BankReader(cursor, faults).read();
      } else {
        String present = member;
        faults.read(
            member,
            () -> {
              readMember(present);
              return present;
            });
      }
    }
  }

  private void readMember(String member) {
    switch (member) {
      case "name" -> name = name();
      case "description" -> description = description();
      case "extends" -> baseName = cursor.text();
      case "sources" -> sources = faults.readTexts("sources");
      case "operator_rules" -> rules = new RuleReader(cursor, faults).read();
      default -> throw new AssertionError(member);
    }
  }

  private String name() {
    String text = cursor.text();
    if (!Target.KEBAB.matcher(text).matches()) {
      throw cursor
          .error(Kinds.INPUT_VALUE, "the name '" + text + "' is not in kebab-case")
          .help("write lower-case letters and digits, with hyphens between words")
          .asException();
    }
    return text;
  }

  private String description() {
    String text = cursor.text();
    if (text.isBlank()) {
      throw cursor
          .error(Kinds.INPUT_VALUE, "the description is empty")
          .help("leave it out for a list of the banks")
          .asException();
    }
    return text;
  }

  private void findBase() {
    if (baseName == null) {
      return;
    }
    if (baseName.equals(name)) {
      faults.add("extends", Kinds.MAP_EXTENDS, "target '" + name + "' extends itself");
      return;
    }
    try {
      base = bases.apply(baseName);
    } catch (DiagnosticException e) {
      faults.add(
          "extends",
          Diagnostic.of(Kinds.MAP_EXTENDS, e.diagnostic().message()).help(e.diagnostic().help()));
    }
  }

  /** The banks that say all that a bank must, whatever the base is. */
  private ImmutableList<BankDraft> wholeDrafts() {
    return drafts.stream()
        .filter(draft -> !draft.removed && draft.name != null && draft.sizeBytes != null)
        .filter(draft -> draft.memId != null || draft.constantsOnly)
        .collect(ImmutableList.toImmutableList());
  }

  /** What is wrong with the rules where some of the banks are not known. */
  private void checkRulesAlone(boolean knownBase) {
    boolean allNamed = knownBase && drafts.stream().allMatch(draft -> draft.name != null);
    ImmutableSet.Builder<String> names = ImmutableSet.builder();
    drafts.stream().map(draft -> draft.name).filter(Objects::nonNull).forEach(names::add);
    if (base != null) {
      base.map().allBanks().forEach(bank -> names.add(bank.name()));
    }
    rules.forEach(
        (path, rule) -> {
          RuleFaults.ofItself(rule).forEach(fault -> faults.add(path, fault));
          if (allNamed) {
            RuleFaults.ofNames(rule, names.build())
                .forEach(fault -> faults.add(path + "." + fault.location().place(), fault));
          }
        });
  }

  private void checkRules(ImmutableList<Bank> banks) {
    rules.forEach(
        (path, rule) -> {
          for (Diagnostic fault : RuleFaults.of(rule, banks)) {
            String member = fault.location().place();
            faults.add(member.isEmpty() ? path : path + "." + member, fault);
          }
        });
    inheritedRules(banks)
        .forEach(
            rule -> {
              for (Diagnostic fault : RuleFaults.of(rule, banks)) {
                faults.add(
                    "extends",
                    fault.kind(),
                    "with the changes, the rule for " + rule.op() + ": " + fault.message());
              }
            });
  }

  private ImmutableList<OperatorRule> allRules(ImmutableList<Bank> banks) {
    return ImmutableList.<OperatorRule>builder()
        .addAll(inheritedRules(banks))
        .addAll(rules.values())
        .build();
  }

  /** The base's rules, without the banks that are gone and what says nothing without them. */
  private ImmutableList<OperatorRule> inheritedRules(ImmutableList<Bank> banks) {
    if (base == null) {
      return ImmutableList.of();
    }
    ImmutableSet<String> names =
        banks.stream().filter(Bank::planned).map(Bank::name).collect(ImmutableSet.toImmutableSet());
    return base.operatorRules().stream()
        .map(
            rule ->
                new OperatorRule(
                    rule.op(),
                    rule.on(),
                    rule.requires(),
                    rule.notBanks().stream()
                        .filter(names::contains)
                        .collect(ImmutableSet.toImmutableSet()),
                    rule.alignment(),
                    rule.overReadBytes(),
                    rule.reason()))
        .filter(OperatorRule::saysSomething)
        .collect(ImmutableList.toImmutableList());
  }

  private ImmutableList<String> allSources() {
    ImmutableList.Builder<String> all = ImmutableList.builder();
    if (base != null) {
      all.addAll(base.sources());
    }
    return all.addAll(sources).build();
  }
}
