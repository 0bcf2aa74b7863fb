/** The pass that plans; not exported, found by ServiceLoader. */
@NullMarked
package dev.stowage.passes.planning;

import org.jspecify.annotations.NullMarked;
