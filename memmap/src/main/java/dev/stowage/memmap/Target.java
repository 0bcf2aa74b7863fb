package dev.stowage.memmap;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Location;
import java.util.regex.Pattern;

/** A device to plan for: its memory and what its operators need, under a name. */
public final class Target {
  /** What its name looks like. */
  static final Pattern KEBAB = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

  private final String name;
  private final String summary;
  private final MemoryMap map;
  private final ImmutableList<OperatorRule> operatorRules;
  private final ImmutableList<String> sources;

  private Target(Builder builder) {
    name = builder.name;
    summary = builder.summary;
    map = builder.map;
    operatorRules = builder.operatorRules;
    sources = builder.sources;
  }

  /**
   * A target without operator rules.
   *
   * @param name kebab-case; third parties prefix their own
   * @param summary one line without a full stop
   * @param map its banks
   * @throws IllegalArgumentException if the name is not kebab-case or the summary is empty
   */
  public static Target of(String name, String summary, MemoryMap map) {
    return builder(name, summary, map).build();
  }

  /**
   * Begins a target.
   *
   * @param name kebab-case; third parties prefix their own
   * @param summary one line without a full stop
   * @param map its banks
   * @throws IllegalArgumentException if the name is not kebab-case or the summary is empty
   */
  public static Builder builder(String name, String summary, MemoryMap map) {
    checkArgument(KEBAB.matcher(name).matches(), "a target's name is not kebab-case: '%s'", name);
    checkArgument(!summary.isBlank(), "target %s has no summary", name);
    checkArgument(map != null, "target %s has no memory map", name);
    return new Builder(name, summary, map);
  }

  /** What it is called, in kebab-case. */
  public String name() {
    return name;
  }

  /** What it is, in one line without a full stop. */
  public String summary() {
    return summary;
  }

  /** Its banks, in order of preference. */
  public MemoryMap map() {
    return map;
  }

  /** What its operators need, in the order of the declaration; all that match hold. */
  public ImmutableList<OperatorRule> operatorRules() {
    return operatorRules;
  }

  /** Where its figures come from, a sentence or title each; perhaps none. */
  public ImmutableList<String> sources() {
    return sources;
  }

  /** Puts a target together. */
  public static final class Builder {
    private final String name;
    private final String summary;
    private final MemoryMap map;
    private ImmutableList<OperatorRule> operatorRules = ImmutableList.of();
    private ImmutableList<String> sources = ImmutableList.of();

    private Builder(String name, String summary, MemoryMap map) {
      this.name = name;
      this.summary = summary;
      this.map = map;
    }

    /** What its operators need. */
    public Builder operatorRules(Iterable<OperatorRule> rules) {
      operatorRules = ImmutableList.copyOf(rules);
      return this;
    }

    /** Where its figures come from. */
    public Builder sources(Iterable<String> texts) {
      sources = ImmutableList.copyOf(texts);
      return this;
    }

    /**
     * The target.
     *
     * @throws DiagnosticException of kind {@code map-rule} or {@code map-unknown-bank}, which names
     *     everything that is wrong with the rules
     */
    public Target build() {
      ImmutableList.Builder<Diagnostic> faults = ImmutableList.builder();
      for (int i = 0; i < operatorRules.size(); i++) {
        String path = "operator_rules[" + i + "]";
        for (Diagnostic fault : RuleFaults.of(operatorRules.get(i), map.allBanks())) {
          String member = fault.location().place();
          faults.add(fault.at(Location.at(member.isEmpty() ? path : path + "." + member)));
        }
      }
      ImmutableList<Diagnostic> all = faults.build();
      if (!all.isEmpty()) {
        throw Diagnostic.joined(all).asException();
      }
      return new Target(this);
    }
  }
}
