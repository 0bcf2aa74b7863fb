/**
 * Reads FlatBuffers by field number, without generated code: a {@link
 * dev.stowage.formats.flatbuffers.FlatBuffer} is the file, a {@link
 * dev.stowage.formats.flatbuffers.FlatTable} a table in it. Files may be hostile, so every access
 * is checked.
 */
@NullMarked
package dev.stowage.formats.flatbuffers;

import org.jspecify.annotations.NullMarked;
