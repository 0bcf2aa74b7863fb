/**
 * From methods to planning problems. A {@link dev.stowage.passes.lowering.Profile} is a set of
 * rules for it; only this package knows which there are.
 */
@NullMarked
package dev.stowage.passes.lowering;

import org.jspecify.annotations.NullMarked;
