package dev.stowage.passes;

/**
 * Something that a pass counts.
 *
 * @param name kebab-case, such as {@code pinned}
 * @param summary one line without a full stop, such as {@code tensors pinned}
 */
public record Statistic(String name, String summary) {}
