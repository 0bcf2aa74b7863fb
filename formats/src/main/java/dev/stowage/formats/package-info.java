/** Importers and exporters, a package for each file format. */
@NullMarked
package dev.stowage.formats;

import org.jspecify.annotations.NullMarked;
