/**
 * The whole flow for embedders: {@link dev.stowage.driver.Stowage} opens an input, plans and
 * verifies; {@link dev.stowage.driver.Plans} are what comes of it.
 */
@NullMarked
package dev.stowage.driver;

import org.jspecify.annotations.NullMarked;
