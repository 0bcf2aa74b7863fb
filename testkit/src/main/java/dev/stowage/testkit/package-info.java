/**
 * Tests that take one line each, for passes and strategies of Stowage and of anybody else: {@link
 * dev.stowage.testkit.PassCheck} and {@link dev.stowage.testkit.StrategyCheck} find out whether a
 * declaration is true, {@link dev.stowage.testkit.StowTests} makes tests of {@code .stow} files
 * with expectations beside the program, and {@link dev.stowage.testkit.ReferencePage} keeps a page
 * of documentation as the declarations say.
 *
 * <p>What does not hold is an {@link java.lang.AssertionError} that says what was promised, and
 * what happened on which input.
 */
@NullMarked
package dev.stowage.testkit;

import org.jspecify.annotations.NullMarked;
