/**
 * The passes that plan, that verify a plan, and that take it out; not exported, found by
 * ServiceLoader.
 */
@NullMarked
package dev.stowage.passes.planning;

import org.jspecify.annotations.NullMarked;
