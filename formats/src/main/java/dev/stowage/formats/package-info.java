/**
 * Importers and exporters, a package for each file format. Every importer of models gives an {@link
 * dev.stowage.formats.ImportedModel}.
 *
 * <p>{@link dev.stowage.formats.FileFormat} tells formats apart; {@code flatbuffers} reads without
 * knowing any format.
 */
@NullMarked
package dev.stowage.formats;

import org.jspecify.annotations.NullMarked;
