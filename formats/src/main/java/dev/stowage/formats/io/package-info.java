/**
 * Inputs and outputs. A {@link dev.stowage.formats.io.Source} is an input with its name, a {@link
 * dev.stowage.formats.io.Sink} an output that is replaced whole or not at all; both are compressed
 * or not. {@link dev.stowage.formats.io.FileFormat} tells what a source is, and an {@link
 * dev.stowage.formats.io.Entry} is one of the documents in it.
 *
 * <p>{@link dev.stowage.formats.io.JsonLines} is how all JSON is written.
 */
@NullMarked
package dev.stowage.formats.io;

import org.jspecify.annotations.NullMarked;
