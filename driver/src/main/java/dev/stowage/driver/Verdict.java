package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.verifier.RatedFinding;
import java.util.Locale;
import java.util.Optional;

/**
 * What the verifiers say of one plan that somebody claims.
 *
 * @param name of the problem or document
 * @param number of the plan, where a document asks for several; else 0
 * @param profile the rules by which severities were set; empty for a problem
 * @param placements how many tensors or buffers the plan places
 * @param findings of the verifiers
 * @param replay whether the plan was replayed
 * @param error why there was nothing to judge, if so
 */
public record Verdict(
    String name,
    int number,
    String profile,
    int placements,
    ImmutableList<RatedFinding> findings,
    Replay replay,
    Optional<Diagnostic> error) {
  /**
   * Whether a plan was replayed.
   *
   * @param accesses to tensors that a replay is, in all runs; 0 where it was not considered
   */
  public record Replay(State state, long accesses) {
    /** Of the plan of a problem, which has no schedule, or of none at all. */
    static final Replay NONE = new Replay(State.NONE, 0);

    /** What became of a replay. */
    public enum State {
      /** All methods were replayed. */
      DONE,
      /** It would have been too much work for at least one method. */
      LEFT_OUT,
      /** It was not wanted. */
      OFF,
      /** There is nothing to replay. */
      NONE;

      /** Kebab-case word, as in files. */
      @Override
      public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
      }
    }
  }

  /** True if the plan was judged and no verifier found an error. */
  public boolean isVerified() {
    return error.isEmpty() && findings.stream().noneMatch(RatedFinding::isError);
  }
}
