package dev.stowage.formats;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.Plugins;
import dev.stowage.base.io.Source;
import dev.stowage.formats.FormatRegistry.Registered;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** The importers of plug-ins. The formats that Stowage itself reads are in {@link FileFormat}. */
public final class ModelImporters {
  private static final String WHAT = "importer";

  private final FormatRegistry<ModelImporter> importers;

  /**
   * The given importers.
   *
   * @throws PluginFailedException if one cannot say what it is for
   * @throws dev.stowage.base.DiagnosticException of kind {@code plugin-clash} if two have one name
   *     or ending, or one has that of a format of Stowage's own
   */
  public ModelImporters(Iterable<ModelImporter> importers) {
    this.importers = new FormatRegistry<>(WHAT, importers, ModelImporter::spec);
  }

  /**
   * The importers that are found on the class path and module path, and in plug-ins.
   *
   * @throws PluginFailedException if one cannot be loaded, or cannot say what it is for
   * @throws dev.stowage.base.DiagnosticException of kind {@code plugin-clash} if two have one name
   *     or ending, or one has that of a format of Stowage's own
   */
  public static ModelImporters withImportersOf(Plugins plugins) {
    return new ModelImporters(
        plugins.providers(loader -> ServiceLoader.load(ModelImporter.class, loader)));
  }

  /** The formats that they read, sorted by name. */
  public ImmutableList<FormatSpec> formats() {
    return importers.specs();
  }

  /**
   * The format of a source, of which nothing is read: one that its content shows, and of several
   * the one that also has its ending, or else the first by name; one that has its ending where the
   * content shows nothing; empty if there is none.
   *
   * @throws PluginFailedException if an importer fails
   */
  public Optional<FormatSpec> recognise(Source source) {
    String name = source.uncompressedName();
    List<FormatSpec> shown =
        importers.all().stream()
            .filter(each -> recognises(each, source))
            .map(Registered::spec)
            .toList();
    return shown.stream()
        .filter(spec -> spec.hasEndingOf(name))
        .findFirst()
        .or(() -> shown.stream().findFirst())
        .or(() -> importers.ofEnding(name).map(Registered::spec));
  }

  private static boolean recognises(Registered<ModelImporter> each, Source source) {
    byte[] start = source.peek(Source.PEEK_LIMIT);
    return PluginFailedException.guard(
        WHAT,
        each.spec().name(),
        each.type(),
        () -> each.plugin().recognises(source.uncompressedName(), start));
  }

  /**
   * Reads a model.
   *
   * @param format one of {@link #formats}
   * @throws dev.stowage.base.DiagnosticException if the source is not valid
   * @throws PluginFailedException if the importer fails
   */
  public ImportedModel read(FormatSpec format, Source source) {
    Registered<ModelImporter> importer = importers.get(format);
    return PluginFailedException.guard(
        WHAT,
        format.name(),
        importer.type(),
        () ->
            requireNonNull(importer.plugin().read(source), "it returned null in place of a model"));
  }
}
