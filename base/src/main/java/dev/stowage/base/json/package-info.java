/** Strict reading of JSON documents, one in a file or one a line. */
@NullMarked
package dev.stowage.base.json;

import org.jspecify.annotations.NullMarked;
