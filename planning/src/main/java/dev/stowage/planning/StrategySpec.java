package dev.stowage.planning;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Call;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.Options;
import java.util.function.BiConsumer;

/**
 * The declaration of a strategy, from which help, documentation and checks are made.
 *
 * @param name kebab-case; third parties prefix their own
 * @param summary one line without a full stop
 * @param options what it may be asked
 * @param check see {@link Builder#check}
 * @param honours the constraints that its plans respect; a problem with another never reaches it
 * @param effort how long its fallbacks take beside those of others: those of least effort are tried
 *     first
 * @param fallbacks calls of it that are worth trying where nobody asked for a strategy and the
 *     default one found no plan, in order
 */
public record StrategySpec(
    String name,
    String summary,
    ImmutableList<OptionSpec<?>> options,
    BiConsumer<Options, Planner> check,
    ImmutableSet<Constraint> honours,
    int effort,
    ImmutableList<Call> fallbacks) {

  /** Refuses null, which the compiler of a plug-in may not have. */
  public StrategySpec {
    requireNonNull(name, "name");
    requireNonNull(summary, "summary");
    requireNonNull(options, "options");
    requireNonNull(check, "check");
    requireNonNull(honours, "honours");
    for (Call call : fallbacks) {
      checkArgument(call.name().equals(name), "a fallback of %s calls %s", name, call.name());
    }
  }

  /** Starts a declaration. */
  public static Builder named(String name) {
    return new Builder(name);
  }

  /** Collects a declaration; not thread-safe. */
  public static final class Builder {
    private final String name;
    private String summary = "";
    private ImmutableList<OptionSpec<?>> options = ImmutableList.of();
    private BiConsumer<Options, Planner> check = (given, planner) -> {};
    private ImmutableSet<Constraint> honours = ImmutableSet.of();
    private int effort;
    private ImmutableList<Call> fallbacks = ImmutableList.of();

    private Builder(String name) {
      this.name = name;
    }

    /** One line without a full stop. */
    public Builder summary(String newSummary) {
      summary = newSummary;
      return this;
    }

    /** What the strategy may be asked. */
    public Builder options(OptionSpec<?>... newOptions) {
      options = ImmutableList.copyOf(newOptions);
      return this;
    }

    /**
     * What the types of single options leave open, such as whether there is the strategy that one
     * names: checked before anything runs.
     *
     * @param newCheck is given the planner that would run the strategy; throws what {@link
     *     dev.stowage.base.Call#diagnoseOption} and {@link Planner#check} make
     */
    public Builder check(BiConsumer<Options, Planner> newCheck) {
      check = newCheck;
      return this;
    }

    /** The constraints that its plans respect. */
    public Builder honours(Constraint... constraints) {
      return honours(ImmutableSet.copyOf(constraints));
    }

    /** The constraints that its plans respect. */
    public Builder honours(Iterable<Constraint> constraints) {
      honours = ImmutableSet.copyOf(constraints);
      return this;
    }

    /**
     * Offers the strategy where nobody asked for one and the default found no plan.
     *
     * @param newEffort how long that takes beside others: those of least effort are tried first
     * @param calls of this strategy, in order
     */
    public Builder fallbacks(int newEffort, Call... calls) {
      effort = newEffort;
      fallbacks = ImmutableList.copyOf(calls);
      return this;
    }

    /** The declaration. */
    public StrategySpec build() {
      return new StrategySpec(name, summary, options, check, honours, effort, fallbacks);
    }
  }
}
