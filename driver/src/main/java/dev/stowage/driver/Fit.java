package dev.stowage.driver;

import com.google.common.collect.ImmutableList;

/**
 * How small the banks may be that something was planned for.
 *
 * @param answer its plan, or why there is none
 * @param banks those with a size, in order of preference; empty if there is no plan
 * @param complete false if the deadline came first: smaller sizes might have been found, and
 *     larger minima proved
 */
public record Fit(Answer answer, ImmutableList<Bank> banks, boolean complete) {
  /**
   * How small a bank may be while the others keep their sizes.
   *
   * @param name of the bank
   * @param memId its number in plans
   * @param sizeBytes what it has
   * @param foundBytes the smallest size for which a plan was found, a multiple of its alignment
   *     unless it is {@code sizeBytes}; 0 if nothing needs it
   * @param provenBytes the smallest size for which it is not proved that there is no plan
   */
  public record Bank(String name, int memId, long sizeBytes, long foundBytes, long provenBytes) {
    /** True if it is proved that no smaller size will do. */
    public boolean isOptimal() {
      return foundBytes == provenBytes;
    }

    /** What this and another say of one bank: it must be large enough for both. */
    Bank and(Bank other) {
      return new Bank(
          name,
          memId,
          sizeBytes,
          Math.max(foundBytes, other.foundBytes),
          Math.max(provenBytes, other.provenBytes));
    }
  }
}
