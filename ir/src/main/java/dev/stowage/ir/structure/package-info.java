/** Whether a program is well formed: {@link dev.stowage.ir.structure.Structure}. */
@NullMarked
package dev.stowage.ir.structure;

import org.jspecify.annotations.NullMarked;
