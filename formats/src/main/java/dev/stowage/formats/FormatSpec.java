package dev.stowage.formats;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableSet;
import java.util.regex.Pattern;

/**
 * The declaration of a file format that a plug-in reads or writes. What reads a format and what
 * writes it have the same name.
 *
 * @param name kebab-case; third parties prefix their own
 * @param summary one line without a full stop
 * @param endings of such files, each a dot with letters and digits, in lower case; {@code .gz} is
 *     none, since compression is Stowage's affair
 */
public record FormatSpec(String name, String summary, ImmutableSet<String> endings) {
  private static final Pattern NAME = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");
  private static final Pattern ENDING = Pattern.compile("\\.[a-z0-9_-]+");

  /** Checks the declaration; it throws {@link IllegalArgumentException}. */
  public FormatSpec {
    checkArgument(NAME.matcher(name).matches(), "a format's name is not kebab-case: '%s'", name);
    checkArgument(!summary.isBlank(), "format %s has no summary", name);
    for (String ending : endings) {
      checkArgument(
          ENDING.matcher(ending).matches() && !ending.equals(".gz"),
          "not an ending of a format: '%s'",
          ending);
    }
  }

  /** A declaration. */
  public static FormatSpec of(String name, String summary, String... endings) {
    return new FormatSpec(name, summary, ImmutableSet.copyOf(endings));
  }

  /** True if a file's name, without {@code .gz}, has one of the endings. */
  boolean hasEndingOf(String uncompressedName) {
    return endings.stream().anyMatch(uncompressedName::endsWith);
  }
}
