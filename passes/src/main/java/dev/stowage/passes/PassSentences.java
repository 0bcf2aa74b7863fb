package dev.stowage.passes;

import com.google.common.collect.ImmutableList;
import dev.stowage.passes.analysis.Analysis;
import java.util.Collection;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** What a pass declares, in sentences: one wording for {@code stowage list} and for pages. */
public final class PassSentences {
  private final UnaryOperator<String> name;
  private final UnaryOperator<String> words;

  private PassSentences(UnaryOperator<String> name, UnaryOperator<String> words) {
    this.name = name;
    this.words = words;
  }

  /** What a pass runs on, where it stands, and what it promises; in plain text. */
  public static ImmutableList<String> of(Pass pass) {
    return of(pass, UnaryOperator.identity(), UnaryOperator.identity());
  }

  /**
   * What a pass runs on, where it stands, and what it promises.
   *
   * @param name marks the name of a pass or analysis up
   * @param words marks up what the pass says in its own words
   */
  public static ImmutableList<String> of(
      Pass pass, UnaryOperator<String> name, UnaryOperator<String> words) {
    return new PassSentences(name, words).all(pass);
  }

  /** What a pass runs on, as the end of a sentence. */
  public static String subject(Pass pass) {
    return switch (Level.of(pass)) {
      case PROGRAM -> "the program";
      case METHOD -> "each method";
      case GRAPH -> "each graph";
    };
  }

  private ImmutableList<String> all(Pass pass) {
    PassSpec spec = pass.spec();
    ImmutableList.Builder<String> all = ImmutableList.builder();
    all.add("Runs on " + subject(pass) + ".");
    spec.after().forEach(it -> all.add(order("after", it)));
    spec.before().forEach(it -> all.add(order("before", it)));
    spec.requires()
        .forEach(
            it ->
                all.add(
                    "Requires that "
                        + words.apply(it.fact().summary())
                        + ": "
                        + words.apply(it.why())
                        + "."));
    addJoined(all, "Afterwards ", spec.establishes(), it -> words.apply(it.summary()));
    addJoined(all, "No longer so afterwards: ", spec.destroys(), it -> words.apply(it.summary()));
    addJoined(all, "Preserves the analyses ", spec.preserves(), this::analysis);
    if (spec.isReadOnly()) {
      all.add("Changes nothing.");
    } else if (spec.keepsPlan()) {
      all.add("A plan is still right afterwards.");
    }
    if (spec.isIdempotent()) {
      all.add("Running it again changes nothing.");
    }
    return all.build();
  }

  private String analysis(Analysis<?> analysis) {
    return name.apply(analysis.name());
  }

  private String order(String where, PassSpec.Order order) {
    return "Where a pipeline has "
        + name.apply(order.pass())
        + ", it stands "
        + where
        + " that: "
        + words.apply(order.why())
        + ".";
  }

  private static <T> void addJoined(
      ImmutableList.Builder<String> to,
      String begin,
      Collection<T> things,
      Function<T, String> of) {
    if (!things.isEmpty()) {
      to.add(begin + things.stream().map(of).collect(Collectors.joining(", ")) + ".");
    }
  }
}
