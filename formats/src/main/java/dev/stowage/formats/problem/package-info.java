/** Planning problems as files: JSON, one or one a line, and MiniMalloc's CSV. */
@NullMarked
package dev.stowage.formats.problem;

import org.jspecify.annotations.NullMarked;
