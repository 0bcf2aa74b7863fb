/** Plans as files: of problems, one a line, and of programs. */
@NullMarked
package dev.stowage.formats.plan;

import org.jspecify.annotations.NullMarked;
