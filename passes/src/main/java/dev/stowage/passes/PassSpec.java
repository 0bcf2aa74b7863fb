package dev.stowage.passes;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.Options;
import dev.stowage.passes.analysis.Analysis;
import dev.stowage.planning.Planner;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * The declaration of a pass, from which help, the reference page, the checks of pipelines and their
 * messages are made.
 */
public final class PassSpec {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");

  private final String name;
  private final String summary;
  private final String description;
  private final ImmutableList<OptionSpec<?>> options;
  private final BiConsumer<Options, CheckContext> check;
  private final ImmutableList<Statistic> statistics;
  private final ImmutableList<Order> after;
  private final ImmutableList<Order> before;
  private final ImmutableList<Requirement> requires;
  private final ImmutableSet<Fact> establishes;
  private final ImmutableSet<Fact> destroys;
  private final ImmutableSet<Analysis<?>> preserves;
  private final boolean readOnly;
  private final boolean keepsPlan;
  private final boolean idempotent;

  private PassSpec(Builder builder) {
    name = builder.name;
    summary = builder.summary;
    description = builder.description;
    options = builder.options;
    check = builder.check;
    statistics = builder.statistics;
    after = builder.after.build();
    before = builder.before.build();
    requires = builder.requires.build();
    establishes = builder.establishes;
    destroys = builder.destroys;
    preserves = builder.preserves;
    readOnly = builder.readOnly;
    keepsPlan = builder.keepsPlan || builder.readOnly;
    idempotent = builder.idempotent;
  }

  /**
   * Where a pass stands relative to another, where a pipeline has both.
   *
   * @param pass the other's name; it need not be registered
   * @param why the reason, as the second half of a sentence: {@code pins go by device}
   */
  public record Order(String pass, String why) {}

  /**
   * What must be so when a pass runs.
   *
   * @param why the reason, as the second half of a sentence
   */
  public record Requirement(Fact fact, String why) {}

  /** Starts the declaration of a pass: a verb phrase in kebab-case, third parties prefix theirs. */
  public static Builder named(String name) {
    return new Builder(name);
  }

  /** A verb phrase in kebab-case. */
  public String name() {
    return name;
  }

  /** One line without a full stop. */
  public String summary() {
    return summary;
  }

  /** What it does, in sentences; paragraphs are separated by empty lines. May be empty. */
  public String description() {
    return description;
  }

  /** What it may be asked. */
  public ImmutableList<OptionSpec<?>> options() {
    return options;
  }

  /**
   * Checks what the types of single options leave open; see {@link Builder#check}.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code option-value} or {@code unknown-*}
   */
  void check(Options given, CheckContext context) {
    check.accept(given, context);
  }

  /** What it counts. */
  public ImmutableList<Statistic> statistics() {
    return statistics;
  }

  /** The passes that it must come after, where a pipeline has them. */
  public ImmutableList<Order> after() {
    return after;
  }

  /** The passes that it must come before, where a pipeline has them. */
  public ImmutableList<Order> before() {
    return before;
  }

  /** What must be so when it runs. */
  public ImmutableList<Requirement> requires() {
    return requires;
  }

  /** What is so after it ran. */
  public ImmutableSet<Fact> establishes() {
    return establishes;
  }

  /** What is no longer so after it ran. */
  public ImmutableSet<Fact> destroys() {
    return destroys;
  }

  /** The analyses that are the same of a method before and after, whatever it changes. */
  public ImmutableSet<Analysis<?>> preserves() {
    return preserves;
  }

  /** True if it returns what it was given, or something equal, in whose place that is taken. */
  public boolean isReadOnly() {
    return readOnly;
  }

  /**
   * True if a plan is still right after it ran. The placements of a method whose body another pass
   * changes are dropped.
   */
  public boolean keepsPlan() {
    return keepsPlan;
  }

  /** True if running it again changes nothing. */
  public boolean isIdempotent() {
    return idempotent;
  }

  @Override
  public String toString() {
    return name;
  }

  /** Collects a declaration; not thread-safe. */
  public static final class Builder {
    private final String name;
    private String summary = "";
    private String description = "";
    private ImmutableList<OptionSpec<?>> options = ImmutableList.of();
    private BiConsumer<Options, CheckContext> check = (given, context) -> {};
    private ImmutableList<Statistic> statistics = ImmutableList.of();
    private final ImmutableList.Builder<Order> after = ImmutableList.builder();
    private final ImmutableList.Builder<Order> before = ImmutableList.builder();
    private final ImmutableList.Builder<Requirement> requires = ImmutableList.builder();
    private ImmutableSet<Fact> establishes = ImmutableSet.of();
    private ImmutableSet<Fact> destroys = ImmutableSet.of();
    private ImmutableSet<Analysis<?>> preserves = ImmutableSet.of();
    private boolean readOnly;
    private boolean keepsPlan;
    private boolean idempotent;

    private Builder(String name) {
      checkArgument(NAME.matcher(name).matches(), "the name of a pass is not kebab-case: %s", name);
      this.name = name;
    }

    /** One line without a full stop. */
    public Builder summary(String newSummary) {
      summary = newSummary;
      return this;
    }

    /** What it does, in sentences; paragraphs are separated by empty lines. */
    public Builder description(String newDescription) {
      description = newDescription.strip();
      return this;
    }

    /** What it may be asked; each name once. */
    public Builder options(OptionSpec<?>... newOptions) {
      Set<String> names = new HashSet<>();
      for (OptionSpec<?> option : newOptions) {
        checkArgument(names.add(option.name()), "two options of %s: %s", name, option.name());
      }
      options = ImmutableList.copyOf(newOptions);
      return this;
    }

    /**
     * What the types of single options leave open, such as options that exclude each other, or the
     * strategy that one names: checked when the pipeline is read, before any pass runs.
     *
     * @param newCheck is given the planner, which knows the strategies; throws what {@link
     *     dev.stowage.base.Call#diagnoseOption} and the like of {@link Options#call} make, of kind
     *     {@code option-value}, or what {@link Planner#check} throws
     */
    public Builder check(BiConsumer<Options, CheckContext> newCheck) {
      check = newCheck;
      return this;
    }

    /** What it counts. */
    public Builder statistics(Statistic... newStatistics) {
      statistics = ImmutableList.copyOf(newStatistics);
      return this;
    }

    /** Where a pipeline has both, it must come after the other pass. */
    public Builder after(String pass, String why) {
      after.add(new Order(pass, why));
      return this;
    }

    /** Where a pipeline has both, it must come before the other pass. */
    public Builder before(String pass, String why) {
      before.add(new Order(pass, why));
      return this;
    }

    /** What must be so when it runs: from the input, or by an earlier pass. */
    public Builder requires(Fact fact, String why) {
      requires.add(new Requirement(fact, why));
      return this;
    }

    /** What is so after it ran. */
    public Builder establishes(Fact... facts) {
      establishes = ImmutableSet.copyOf(facts);
      return this;
    }

    /**
     * What is no longer so after it ran. A pass that destroys {@link Fact#PLAN} need not take it
     * out: that of each method that it changes is dropped.
     */
    public Builder destroys(Fact... facts) {
      destroys = ImmutableSet.copyOf(facts);
      return this;
    }

    /** The analyses that are the same of a method before and after, whatever it changes. */
    public Builder preserves(Analysis<?>... analyses) {
      preserves = ImmutableSet.copyOf(analyses);
      return this;
    }

    /** It returns what it was given, or something equal, in whose place that is taken. */
    public Builder readOnly() {
      readOnly = true;
      return this;
    }

    /** A plan is still right after it ran. */
    public Builder keepsPlan() {
      keepsPlan = true;
      return this;
    }

    /** Running it again changes nothing. */
    public Builder idempotent() {
      idempotent = true;
      return this;
    }

    /** The declaration. */
    public PassSpec build() {
      return new PassSpec(this);
    }
  }
}
