package dev.stowage.cli;

/**
 * What a command works with.
 *
 * @param terminal where input comes from
 * @param out standard output
 * @param messages standard error
 * @param style of standard output
 */
record Run(Terminal terminal, StandardOutput out, Messages messages, Style style) {}
