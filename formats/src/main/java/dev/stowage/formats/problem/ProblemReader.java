package dev.stowage.formats.problem;

import dev.stowage.base.DiagnosticException;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.base.json.JsonDocuments;
import java.util.Iterator;

/**
 * Reads planning problems from JSON: one in the file, or one a line, told apart by the content.
 *
 * <p>A line that is invalid is a {@link Entry.Bad}, and reading goes on with the next. Kinds of
 * error: {@code input-syntax}, {@code input-member}, {@code input-value}, {@code input-reference},
 * {@code input-overflow}, {@code input-unsupported}, {@code map-*} and {@code storage-cycle}.
 */
public final class ProblemReader {
  private ProblemReader() {}

  /**
   * The problems of a source, read as they are asked for; only one is in memory at a time. There is
   * at least one entry. The caller closes the source.
   *
   * @throws DiagnosticException of kind {@code input-unreadable}, here and while iterating
   */
  public static Iterator<Entry<ProblemDocument>> read(Source source, ProblemOptions options) {
    return new JsonDocuments<>(
        source, (cursor, label) -> new ProblemParser(cursor, label, options).parse());
  }
}
