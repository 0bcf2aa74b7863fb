package dev.stowage.passes;

/**
 * Something that may be so of a program at a point of a pipeline. Passes require, establish and
 * destroy facts; two facts of one name are the same.
 *
 * @param name kebab-case
 * @param summary what is so, as a sentence without a full stop
 */
public record Fact(String name, String summary) {
  /** The program has a plan. */
  public static final Fact PLAN = new Fact("plan", "the program has a plan");

  @Override
  public boolean equals(Object other) {
    return other instanceof Fact fact && name.equals(fact.name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }
}
