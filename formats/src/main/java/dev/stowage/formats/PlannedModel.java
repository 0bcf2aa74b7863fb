package dev.stowage.formats;

import com.google.common.io.ByteSource;
import dev.stowage.ir.Program;

/**
 * A model with its plan, as an exporter gets it.
 *
 * @param name what the model is called
 * @param format of the file that it was read from, as {@code stowage list formats} shows it
 * @param original that file, decompressed; empty where the format holds several models
 * @param program with placements and arenas; a tensor's number in the original is its {@link
 *     dev.stowage.ir.memory.MemoryKeys#ORIGIN}, or its id where it has none
 */
public record PlannedModel(String name, String format, ByteSource original, Program program) {}
