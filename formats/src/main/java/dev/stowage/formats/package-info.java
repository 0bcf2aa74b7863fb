/**
 * Importers and exporters, a package for each file format. Every importer of models gives an {@link
 * dev.stowage.formats.ImportedModel}.
 *
 * <p>{@code io} has inputs and outputs, and tells formats apart; {@code json} and {@code
 * flatbuffers} read without knowing any format.
 */
@NullMarked
package dev.stowage.formats;

import org.jspecify.annotations.NullMarked;
