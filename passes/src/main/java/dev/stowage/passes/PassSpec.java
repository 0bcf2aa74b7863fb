package dev.stowage.passes;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.OptionSpec;

/**
 * The declaration of a pass, from which help and checks are made.
 *
 * @param name a verb phrase in kebab-case; third parties prefix their own
 * @param summary one line without a full stop
 * @param options what it may be asked
 */
public record PassSpec(String name, String summary, ImmutableList<OptionSpec<?>> options) {
  /** A declaration. */
  public static PassSpec of(String name, String summary, OptionSpec<?>... options) {
    return new PassSpec(name, summary, ImmutableList.copyOf(options));
  }
}
