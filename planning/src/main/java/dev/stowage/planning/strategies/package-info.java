/** The strategies that come with Stowage; not exported, found by ServiceLoader. */
@NullMarked
package dev.stowage.planning.strategies;

import org.jspecify.annotations.NullMarked;
