/**
 * The passes that show what a pipeline makes of a program. Not exported, found by ServiceLoader.
 */
@NullMarked
package dev.stowage.passes.inspection;

import org.jspecify.annotations.NullMarked;
