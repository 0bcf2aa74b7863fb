/**
 * The passes that say what planning has to heed, as annotations of storages: how long they stay
 * alive, in which pool they lie, and what the operators of a target need. Found by ServiceLoader;
 * exported for {@link dev.stowage.passes.memory.OperatorConstraints}, by which plans are judged
 * too.
 */
@NullMarked
package dev.stowage.passes.memory;

import org.jspecify.annotations.NullMarked;
