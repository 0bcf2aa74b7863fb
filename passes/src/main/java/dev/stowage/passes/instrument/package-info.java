/**
 * Observers of running pipelines, to be given to {@link dev.stowage.passes.RunOptions}: {@link
 * dev.stowage.passes.instrument.Timing} and {@link dev.stowage.passes.instrument.Statistics}
 * collect and give a table, and {@link dev.stowage.passes.instrument.IrPrinting} prints the program
 * before and after passes, whole or as a diff.
 *
 * <p>They are ordinary {@link dev.stowage.passes.PassInstrumentation}s: yours has the same means.
 */
@NullMarked
package dev.stowage.passes.instrument;

import org.jspecify.annotations.NullMarked;
