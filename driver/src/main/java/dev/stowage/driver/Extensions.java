package dev.stowage.driver;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Plugins;
import dev.stowage.formats.ModelImporter;
import dev.stowage.formats.ModelImporters;
import dev.stowage.formats.PlanExporter;
import dev.stowage.formats.PlanExporters;
import dev.stowage.memmap.DeviceAllocator;
import dev.stowage.memmap.DeviceAllocators;
import dev.stowage.memmap.TargetCatalog;
import dev.stowage.memmap.TargetProvider;
import dev.stowage.passes.Pass;
import dev.stowage.passes.PassManager;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningStrategy;
import java.util.List;
import java.util.function.Supplier;

/**
 * Everything that Stowage works with and others may add to: strategies, passes, targets, importers,
 * exporters and device allocators. It has what is installed, that is on the class path or module
 * path, and what is in jars that the user names.
 *
 * <p>Each kind is looked for when it is first asked for, so that a run pays for what it uses only.
 * Then a class that cannot be loaded is a {@link dev.stowage.base.PluginFailedException}, and two
 * that clash are a {@link dev.stowage.base.DiagnosticException} of kind {@code plugin-clash}.
 *
 * <p>Thread-safe. Close it when nothing that came from it is in use any more.
 */
public final class Extensions implements AutoCloseable {
  private final Plugins plugins;
  private final Supplier<Planner> planner;
  private final Supplier<PassManager> passManager;
  private final Supplier<TargetCatalog> targets;
  private final Supplier<ModelImporters> importers;
  private final Supplier<PlanExporters> exporters;
  private final Supplier<DeviceAllocators> allocators;

  private Extensions(Plugins plugins) {
    this.plugins = plugins;
    planner = Suppliers.memoize(() -> Planner.withStrategiesOf(plugins));
    passManager = Suppliers.memoize(() -> PassManager.withPassesOf(plugins, planner));
    targets = Suppliers.memoize(() -> TargetCatalog.withTargetsOf(plugins));
    importers = Suppliers.memoize(() -> ModelImporters.withImportersOf(plugins));
    exporters = Suppliers.memoize(() -> PlanExporters.withExportersOf(plugins));
    allocators = Suppliers.memoize(() -> DeviceAllocators.withAllocatorsOf(plugins));
  }

  /** What is installed. */
  public static Extensions installed() {
    return new Extensions(Plugins.NONE);
  }

  /**
   * What is installed, and what is in jars. No class of a jar is loaded yet.
   *
   * @param jars as the user named them
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-unreadable} or {@code
   *     plugin-*}, for the first jar that is not fit for use
   */
  public static Extensions open(List<String> jars) {
    return jars.isEmpty() ? installed() : new Extensions(Plugins.open(jars, services()));
  }

  private static ImmutableSet<String> services() {
    return ImmutableList.of(
            PlanningStrategy.class,
            Pass.class,
            TargetProvider.class,
            ModelImporter.class,
            PlanExporter.class,
            DeviceAllocator.class)
        .stream()
        .map(Class::getName)
        .collect(ImmutableSet.toImmutableSet());
  }

  /** The jars, as the user named them. */
  public ImmutableList<String> jars() {
    return plugins.files();
  }

  /** The strategies. */
  public Planner planner() {
    return planner.get();
  }

  /** The passes. */
  public PassManager passManager() {
    return passManager.get();
  }

  /** The targets. */
  public TargetCatalog targets() {
    return targets.get();
  }

  /** What reads models of further formats. */
  public ModelImporters importers() {
    return importers.get();
  }

  /** What writes plans in further formats. */
  public PlanExporters exporters() {
    return exporters.get();
  }

  /** What provides the memory of devices. */
  public DeviceAllocators allocators() {
    return allocators.get();
  }

  /** The file formats that are read or written, Stowage's own and others, sorted by name. */
  public ImmutableList<FormatInfo> formats() {
    return FormatInfo.all(importers().formats(), exporters().formats());
  }

  @Override
  public void close() {
    plugins.close();
  }
}
