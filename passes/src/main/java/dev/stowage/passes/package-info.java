/**
 * Pipelines of passes over programs. A {@link dev.stowage.passes.Pass} declares itself by a {@link
 * dev.stowage.passes.PassSpec} and takes what may vary from its {@link
 * dev.stowage.passes.PassContext}; a {@link dev.stowage.passes.Pipeline} is text; the {@link
 * dev.stowage.passes.PassManager} finds, checks and runs.
 *
 * <p>Facts about methods are in {@code analysis}, the way from methods to planning problems in
 * {@code lowering}.
 */
@NullMarked
package dev.stowage.passes;

import org.jspecify.annotations.NullMarked;
