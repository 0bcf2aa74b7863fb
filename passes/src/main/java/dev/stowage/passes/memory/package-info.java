/**
 * The passes that say what planning has to heed, as annotations of storages: how long they stay
 * alive, and in which pool they lie. Not exported, found by ServiceLoader.
 */
@NullMarked
package dev.stowage.passes.memory;

import org.jspecify.annotations.NullMarked;
