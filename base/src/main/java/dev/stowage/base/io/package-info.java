/**
 * Inputs and outputs. A {@link dev.stowage.base.io.Source} is an input with its name, a {@link
 * dev.stowage.base.io.Sink} an output that is replaced whole or not at all; both are compressed or
 * not. An {@link dev.stowage.base.io.Entry} is one of the documents of a source.
 *
 * <p>{@link dev.stowage.base.io.JsonLines} is how all JSON is written.
 */
@NullMarked
package dev.stowage.base.io;

import org.jspecify.annotations.NullMarked;
