package dev.stowage.passes;

import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Something that may be so of a program at a point of a pipeline. Passes require, establish and
 * destroy facts; two facts of one name are the same.
 *
 * @param name kebab-case
 * @param summary what is so, as a sentence without a full stop
 * @param ofInput tells whether it is so of the program that a pipeline is given; empty for what
 *     only passes can make so
 */
public record Fact(String name, String summary, Optional<Predicate<Program>> ofInput) {
  /** The program has a plan: of a pass before, or one that the input carries. */
  public static final Fact PLAN =
      new Fact(
          "plan",
          "the program has a plan",
          Optional.of(program -> program.methods().stream().anyMatch(MemoryKeys::hasPlan)));

  /** A fact that is so only once a pass has established it. */
  public Fact(String name, String summary) {
    this(name, summary, Optional.empty());
  }

  /** True if it is so of a program that is input. */
  boolean isSoOf(Program input) {
    return ofInput.map(test -> test.test(input)).orElse(false);
  }

  /** True if it may be so of some input. */
  boolean mayBeSoOfInput() {
    return ofInput.isPresent();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Fact fact && name.equals(fact.name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }
}
