package dev.stowage.memmap;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableSet;
import java.util.Locale;

/**
 * What the tensors of some operators need on a target.
 *
 * @param op which operators: a name in which {@code *} stands for any characters
 * @param on which of their tensors
 * @param requires attributes that a bank must have to hold such a tensor
 * @param notBanks names of banks that may not hold one
 * @param alignment bytes that their offsets are multiples of; 0 if the rule does not say
 * @param overReadBytes bytes after each that may be read, but are not used
 * @param reason why, for messages; may be empty
 */
public record OperatorRule(
    String op,
    Operands on,
    ImmutableSet<String> requires,
    ImmutableSet<String> notBanks,
    int alignment,
    long overReadBytes,
    String reason) {
  /** Which tensors of an operator a rule is about. */
  public enum Operands {
    /** What it reads. */
    INPUTS,
    /** What it writes. */
    RESULTS,
    /** Both. */
    ALL;

    /** How files call it, such as {@code inputs}. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Checks the numbers. */
  public OperatorRule {
    checkArgument(!op.isBlank(), "an operator rule names no operators");
    checkArgument(alignment >= 0 && alignment <= Bank.MAX_ALIGNMENT, "alignment is %s", alignment);
    checkArgument(overReadBytes >= 0, "over-read is negative: %s", overReadBytes);
  }

  /** True if it demands anything. */
  boolean saysSomething() {
    return !requires.isEmpty()
        || !notBanks.isEmpty()
        || alignment > 0
        || overReadBytes > 0;
  }
}
