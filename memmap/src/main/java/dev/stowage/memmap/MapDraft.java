package dev.stowage.memmap;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.ByteSize;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Suggestions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes the banks of a map from drafts, and from the map that they change if there is one. */
final class MapDraft {
  private static final Pattern PLACE = Pattern.compile("banks\\[([0-9]+)](.*)");

  private final ImmutableList<BankDraft> drafts;
  private final @Nullable Target base;
  private final Faults faults;

  private final List<Bank> banks = new ArrayList<>();

  /** The paths of the banks; null for one that is the base's as it is. */
  private final List<@Nullable String> paths = new ArrayList<>();

  MapDraft(ImmutableList<BankDraft> drafts, @Nullable Target base, Faults faults) {
    this.drafts = drafts;
    this.base = base;
    this.faults = faults;
  }

  /**
   * The banks, and every fault of the drafts and of the map; a map may be made if there is none.
   */
  ImmutableList<Bank> build() {
    if (base == null) {
      drafts.forEach(this::addNew);
    } else {
      addChanged(base);
    }
    ImmutableList<Bank> all = ImmutableList.copyOf(banks);
    boolean certain = drafts.stream().noneMatch(draft -> draft.faulty);
    for (Diagnostic fault : MapFaults.of(all)) {
      if (certain || !fault.kind().equals(Kinds.MAP_EMPTY)) {
        place(fault);
      }
    }
    return all;
  }

  private void addNew(BankDraft draft) {
    if (draft.removed) {
      faults.add(
          draft.path + ".remove",
          Kinds.MAP_EXTENDS,
          "there is nothing to remove a bank from, as the map extends no target");
      draft.faulty = true;
      return;
    }
    int before = faults.count();
    faults.checkPresent(draft.path, "name");
    faults.checkPresent(draft.path, "size");
    if (!draft.constantsOnly) {
      faults.checkPresent(draft.path, "mem_id");
    }
    draft.faulty |= faults.count() > before;
    banks.add(draft.build());
    paths.add(draft.path);
  }

  private void addChanged(Target target) {
    ImmutableList<Bank> inherited = target.map().allBanks();
    Map<String, BankDraft> changes = new LinkedHashMap<>();
    List<BankDraft> others = new ArrayList<>();
    for (BankDraft draft : drafts) {
      boolean known = inherited.stream().anyMatch(bank -> bank.name().equals(draft.name));
      if (!known || changes.putIfAbsent(Objects.requireNonNull(draft.name), draft) != null) {
        others.add(draft);
      }
    }
    for (Bank bank : inherited) {
      BankDraft change = changes.get(bank.name());
      if (change == null) {
        banks.add(bank);
        paths.add(null);
      } else if (change.removed) {
        checkRemoval(change);
      } else {
        checkBudget(change, bank, target);
        banks.add(change.over(bank));
        paths.add(change.path);
      }
    }
    for (BankDraft draft : others) {
      if (draft.name == null) {
        // It may be meant to change a bank, so nothing can be said to be missing but the name.
        faults.checkPresent(draft.path, "name");
        draft.faulty = true;
      } else if (changes.containsKey(draft.name)) {
        faults.add(
            draft.path + ".name",
            Kinds.MAP_DUPLICATE,
            "another bank is called '" + draft.name + "'");
      } else if (draft.removed) {
        addUnknown(draft, ".remove", "has no bank '" + draft.name + "' to remove", target);
      } else if (draft.sizeBytes == null && !draft.faulty) {
        // Most likely it was meant to be one of the base's.
        addUnknown(
            draft, ".name", "has no bank '" + draft.name + "', and a new one needs a size", target);
      } else {
        addNew(draft);
      }
    }
  }

  private void checkRemoval(BankDraft draft) {
    if (draft.members > 2) {
      faults.add(
          draft.path + ".remove",
          Kinds.MAP_EXTENDS,
          "a bank that is removed has no other members than its name");
    }
  }

  private void checkBudget(BankDraft draft, Bank bank, Target target) {
    if (draft.sizeBytes != null && draft.sizeBytes > bank.sizeBytes()) {
      faults.add(
          draft.path + ".size",
          Kinds.MAP_EXTENDS,
          "the budget is "
              + ByteSize.exact(draft.sizeBytes)
              + " bytes, but bank '"
              + bank.name()
              + "' of "
              + target.name()
              + " has only "
              + ByteSize.exact(bank.sizeBytes()));
    }
  }

  private void addUnknown(BankDraft draft, String member, String what, Target target) {
    ImmutableList<String> names =
        target.map().allBanks().stream().map(Bank::name).collect(ImmutableList.toImmutableList());
    faults.add(
        draft.path + member,
        Diagnostic.of(Kinds.MAP_EXTENDS, target.name() + " " + what)
            .help(Suggestions.help(Objects.requireNonNull(draft.name), names)));
    draft.faulty = true;
  }

  /** Adds a fault of the map, whose place counts the banks of the map, at its place in the file. */
  private void place(Diagnostic fault) {
    String place = fault.location().place();
    Matcher matcher = PLACE.matcher(place);
    if (!matcher.matches()) {
      faults.add(place, fault);
      return;
    }
    int bank = Integer.parseInt(matcher.group(1));
    String path = paths.get(bank);
    if (path == null) {
      faults.add(
          "extends",
          fault.kind(),
          "with the changes, in bank '" + banks.get(bank).name() + "': " + fault.message());
    } else {
      faults.add(path + matcher.group(2), fault);
    }
  }
}
