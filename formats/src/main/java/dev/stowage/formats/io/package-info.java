/** Named inputs and outputs, and telling what format an input has. */
@NullMarked
package dev.stowage.formats.io;

import org.jspecify.annotations.NullMarked;
