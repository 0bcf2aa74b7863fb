package dev.stowage.ir.memory;

/**
 * Where the bytes of a storage lie.
 *
 * @param memId arena
 * @param memObjId shared object in the arena, or -1 where there are none
 * @param offsetBytes from the start of the arena
 */
public record Placement(int memId, int memObjId, long offsetBytes) {}
