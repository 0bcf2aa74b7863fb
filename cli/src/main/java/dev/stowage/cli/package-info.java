/** The command line: options and rendering, nothing else. */
@NullMarked
package dev.stowage.cli;

import org.jspecify.annotations.NullMarked;
