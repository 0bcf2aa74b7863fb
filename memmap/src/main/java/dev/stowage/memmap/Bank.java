package dev.stowage.memmap;

/**
 * A sized region of a target.
 *
 * @param name unique in its map
 * @param sizeBytes capacity, at least 1
 * @param memId the arena number that stands for it in plans, at least 1, unique in its map
 * @param alignment bytes, at least 1; 0 where the bank has none of its own and takes the plan's
 */
public record Bank(String name, long sizeBytes, int memId, int alignment) {}
