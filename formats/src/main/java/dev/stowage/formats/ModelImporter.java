package dev.stowage.formats;

import dev.stowage.base.io.Source;

/**
 * Reads the models of one file format. Implementations are found by {@link
 * java.util.ServiceLoader}, keep no state, and may be called from many threads at a time.
 */
public interface ModelImporter {
  /** The format. A file with one of its endings is read by this importer unless content differs. */
  FormatSpec spec();

  /**
   * Tells whether a file is of the format, by its content. It is asked only about files that have
   * not the mark of a format of Stowage's own, and should be sure: where no importer is, the ending
   * decides.
   *
   * @param name of the file, without {@code .gz}
   * @param start the first bytes, decompressed, at most {@link Source#PEEK_LIMIT}; a copy
   */
  boolean recognises(String name, byte[] start);

  /**
   * Reads the model. Each tensor that an exporter is to find again has its number in the file as
   * its {@link dev.stowage.ir.memory.MemoryKeys#ORIGIN}.
   *
   * @param source the whole file, decompressed; closed by the caller
   * @throws dev.stowage.base.DiagnosticException of a kind {@code input-*} if the file is not
   *     valid; any other exception is a defect of the importer
   */
  ImportedModel read(Source source);
}
