package dev.stowage.base;

import static com.google.common.base.Preconditions.checkArgument;

import java.util.regex.Pattern;

/**
 * A stable word for one kind of problem, such as {@code unplaceable}.
 *
 * <p>Scripts and tests compare kinds, never messages. A kind decides the exit code through its
 * {@link Category}.
 *
 * @param name kebab-case word, as written in JSON answers and in the documentation
 * @param category whose fault it is
 * @param summary one line for the documentation, without a full stop
 */
public record DiagnosticKind(String name, Category category, String summary) {
  private static final Pattern KEBAB = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

  /** Checks that the name is kebab-case. */
  public DiagnosticKind {
    checkArgument(KEBAB.matcher(name).matches(), "kind is not kebab-case: %s", name);
  }

  /** Whose fault a problem is, and so what the process ends with. */
  public enum Category {
    /** The input is unreadable or invalid, or the output cannot be written: exit code 3. */
    INPUT,
    /** The input is valid, but there is no plan for it: exit code 1. */
    PLANNING,
    /** Wrong use of the command line or of the API: exit code 2. */
    USAGE,
    /** A deadline or a budget ended the search before there was a plan: exit code 6. */
    BUDGET,
    /** A plug-in is not fit for use: exit code 5. */
    PLUGIN,
  }

  @Override
  public String toString() {
    return name;
  }
}
