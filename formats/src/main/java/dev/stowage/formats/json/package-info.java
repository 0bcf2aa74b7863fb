/** Strict reading of JSON documents, with errors that name file and member. */
@NullMarked
package dev.stowage.formats.json;

import org.jspecify.annotations.NullMarked;
