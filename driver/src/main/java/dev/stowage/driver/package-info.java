/**
 * The whole flow for embedders: {@link dev.stowage.driver.Stowage} opens an input, plans and
 * verifies; {@link dev.stowage.driver.Plans} are what comes of it. {@link
 * dev.stowage.driver.Extensions} are the strategies, passes, formats and targets that it works
 * with.
 */
@NullMarked
package dev.stowage.driver;

import org.jspecify.annotations.NullMarked;
