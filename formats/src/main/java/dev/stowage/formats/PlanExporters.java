package dev.stowage.formats;

import static com.google.common.base.Preconditions.checkState;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.Plugins;
import dev.stowage.base.io.Source;
import dev.stowage.formats.FormatRegistry.Registered;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.ServiceLoader;

/** The exporters of plug-ins. */
public final class PlanExporters {
  private static final String WHAT = "exporter";

  private final FormatRegistry<PlanExporter> exporters;

  /**
   * The given exporters.
   *
   * @throws PluginFailedException if one cannot say what it is for
   * @throws dev.stowage.base.DiagnosticException of kind {@code plugin-clash} if two have one name
   *     or ending, or one has that of a format of Stowage's own
   */
  public PlanExporters(Iterable<PlanExporter> exporters) {
    this.exporters =
        new FormatRegistry<>(
            WHAT,
            exporters,
            exporter -> {
              FormatSpec spec = requireNonNull(exporter.spec(), "it has no spec");
              checkState(!spec.endings().isEmpty(), "it has no ending to write files by");
              return spec;
            });
  }

  /**
   * The exporters that are found on the class path and module path, and in plug-ins.
   *
   * @throws PluginFailedException if one cannot be loaded, or cannot say what it is for
   * @throws dev.stowage.base.DiagnosticException of kind {@code plugin-clash} if two have one name
   *     or ending, or one has that of a format of Stowage's own
   */
  public static PlanExporters withExportersOf(Plugins plugins) {
    return new PlanExporters(
        plugins.providers(loader -> ServiceLoader.load(PlanExporter.class, loader)));
  }

  /** The formats that they write, sorted by name. */
  public ImmutableList<FormatSpec> formats() {
    return exporters.specs();
  }

  /** The format that the ending of a file's name stands for, {@code .gz} passed over, if any. */
  public Optional<FormatSpec> ofName(String fileName) {
    return exporters.ofEnding(Source.uncompressedName(fileName)).map(Registered::spec);
  }

  /**
   * Writes a plan.
   *
   * @param format one of {@link #formats}
   * @param out flushed, and closed by the caller
   * @throws dev.stowage.base.DiagnosticException if the exporter refuses the plan; nothing is
   *     written then
   * @throws PluginFailedException if the exporter fails
   * @throws IOException if the stream fails
   */
  public void write(FormatSpec format, PlannedModel model, OutputStream out) throws IOException {
    Registered<PlanExporter> exporter = exporters.get(format);
    Optional<Diagnostic> refusal =
        PluginFailedException.guard(
            WHAT,
            format.name(),
            exporter.type(),
            () ->
                requireNonNull(exporter.plugin().refusal(model), "its refusal is null, not empty"));
    if (refusal.isPresent()) {
      throw refusal.get().asException();
    }
    OutputStream kept = new KeptOpen(out);
    PluginFailedException.<OutputStream, IOException>guard(
        WHAT,
        format.name(),
        exporter.type(),
        () -> {
          exporter.plugin().write(model, kept);
          return kept;
        });
    out.flush();
  }

  /** Writers are easily closed with what they write to; the file ends when its owner says so. */
  private static final class KeptOpen extends FilterOutputStream {
    KeptOpen(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      out.flush();
    }
  }
}
