package dev.stowage.formats;

import dev.stowage.base.Diagnostic;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/**
 * Writes planned models in one file format: in a form of its own, or as the original file with the
 * plan put in. Implementations are found by {@link java.util.ServiceLoader}, keep no state, and may
 * be called from many threads at a time.
 */
public interface PlanExporter {
  /** The format. It is written to files that have one of its endings, of which it needs one. */
  FormatSpec spec();

  /**
   * Why a plan cannot be written, which is asked before anything is; empty if it can.
   *
   * @return an error whose help says what would do, mostly of kind {@code input-unsupported}
   */
  Optional<Diagnostic> refusal(PlannedModel model);

  /**
   * Writes a plan that has passed {@link #refusal}.
   *
   * @param out the file, which is compressed and closed by the caller
   * @throws IOException if the stream fails; any other exception is a defect of the exporter
   */
  void write(PlannedModel model, OutputStream out) throws IOException;
}
