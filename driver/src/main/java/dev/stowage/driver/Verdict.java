package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.verifier.RatedFinding;
import java.util.Optional;

/**
 * What the verifiers say of one plan that somebody claims.
 *
 * @param name of the problem or document
 * @param number of the plan, where a document asks for several; else 0
 * @param profile the rules by which severities were set; empty for a problem
 * @param placements how many tensors or buffers the plan places
 * @param findings of the verifiers
 * @param error why there was nothing to judge, if so
 */
public record Verdict(
    String name,
    int number,
    String profile,
    int placements,
    ImmutableList<RatedFinding> findings,
    Optional<Diagnostic> error) {
  /** True if the plan was judged and no verifier found an error. */
  public boolean isVerified() {
    return error.isEmpty() && findings.stream().noneMatch(RatedFinding::isError);
  }
}
