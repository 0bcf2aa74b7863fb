package dev.stowage.cli;

/** Whoever read standard output has seen enough, such as {@code head}: no error, just the end. */
final class ClosedOutputException extends RuntimeException {}
