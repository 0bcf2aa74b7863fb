/**
 * Judges plans and planned programs, statically and by replay, sharing no code with what made them.
 */
@NullMarked
package dev.stowage.verifier;

import org.jspecify.annotations.NullMarked;
