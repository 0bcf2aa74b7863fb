/** Strict reading of JSON documents, one in a file or one a line; not exported. */
@NullMarked
package dev.stowage.formats.json;

import org.jspecify.annotations.NullMarked;
