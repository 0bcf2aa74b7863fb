/** Passes, the pass manager, pipelines, analyses, and the lowering to planning problems. */
@NullMarked
package dev.stowage.passes;

import org.jspecify.annotations.NullMarked;
