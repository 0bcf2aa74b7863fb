/** Planning problems, plans, bounds, the strategy interface and the strategies. */
@NullMarked
package dev.stowage.planning;

import org.jspecify.annotations.NullMarked;
