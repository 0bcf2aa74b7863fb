/**
 * Importers and exporters, a package for each file format. Every importer of models gives an {@link
 * dev.stowage.formats.ImportedModel}.
 *
 * <p>{@link dev.stowage.formats.FileFormat} tells Stowage's own formats apart; {@code flatbuffers}
 * reads without knowing any format.
 *
 * <p>Plug-ins bring further formats, each declared by a {@link dev.stowage.formats.FormatSpec}: a
 * {@link dev.stowage.formats.ModelImporter} reads models, a {@link
 * dev.stowage.formats.PlanExporter} writes {@link dev.stowage.formats.PlannedModel}s. They are
 * found by {@link dev.stowage.formats.ModelImporters} and {@link
 * dev.stowage.formats.PlanExporters}.
 */
@NullMarked
package dev.stowage.formats;

import org.jspecify.annotations.NullMarked;
