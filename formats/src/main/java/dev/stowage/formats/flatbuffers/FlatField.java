package dev.stowage.formats.flatbuffers;

/**
 * A field of a table.
 *
 * @param id number in the schema, deprecated fields counted; a union's tag has one of its own
 * @param name as in the schema, for messages
 */
public record FlatField(int id, String name) {}
