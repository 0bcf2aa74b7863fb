/**
 * ExecuTorch graph documents: dumps of graphs as memory planning gets them, with plans made of
 * them.
 */
@NullMarked
package dev.stowage.formats.executorch;

import org.jspecify.annotations.NullMarked;
