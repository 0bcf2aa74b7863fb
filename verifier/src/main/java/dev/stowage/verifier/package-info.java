/**
 * Judges plans, sharing no code with what made them. {@link dev.stowage.verifier.ProblemVerifier}
 * holds a plan against a planning problem, {@link dev.stowage.verifier.ProgramVerifier} against a
 * method of the program, whose lifetimes it works out itself; {@link
 * dev.stowage.verifier.ReplayVerifier} runs the method's schedule and looks at the bytes.
 *
 * <p>A {@link dev.stowage.verifier.ClaimedPlan} is a plan as somebody claims it; a {@link
 * dev.stowage.verifier.Finding} is one thing wrong with it, of a {@link
 * dev.stowage.verifier.FindingKind}; a {@link dev.stowage.verifier.RatedFinding} also says how bad
 * that is.
 */
@NullMarked
package dev.stowage.verifier;

import org.jspecify.annotations.NullMarked;
