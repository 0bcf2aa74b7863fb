package dev.stowage.driver;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Deadline;
import dev.stowage.base.Plugins;
import dev.stowage.base.Workers;
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
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
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
  private static final Duration LOADING_GRACE = Duration.ofSeconds(3);

  private final Plugins plugins;
  private final Optional<Duration> deadline;
  private final Supplier<Planner> planner;
  private final Supplier<PassManager> passManager;
  private final Supplier<TargetCatalog> targets;
  private final Supplier<ModelImporters> importers;
  private final Supplier<PlanExporters> exporters;
  private final Supplier<DeviceAllocators> allocators;

  private Extensions(Plugins plugins, Optional<Duration> deadline) {
    this.plugins = plugins;
    this.deadline = deadline;
    planner = Suppliers.memoize(() -> load("strategies", Planner::withStrategiesOf));
    passManager =
        Suppliers.memoize(() -> load("passes", jars -> PassManager.withPassesOf(jars, planner)));
    targets = Suppliers.memoize(() -> load("targets", TargetCatalog::withTargetsOf));
    importers = Suppliers.memoize(() -> load("importers", ModelImporters::withImportersOf));
    exporters = Suppliers.memoize(() -> load("exporters", PlanExporters::withExportersOf));
    allocators = Suppliers.memoize(() -> load("allocators", DeviceAllocators::withAllocatorsOf));
  }

  /** Loads what there is of one kind, for which code of the plug-ins runs for the first time. */
  private <T> T load(String what, Function<Plugins, T> loader) {
    Deadline end = deadline.map(Deadline::after).orElse(Deadline.NONE);
    try (Workers workers = new Workers(1, end, LOADING_GRACE)) {
      return workers.run(
          () -> loader.apply(plugins),
          () ->
              end.missed(
                      jars().isEmpty()
                          ? "loading " + what
                          : "loading " + what + " from " + String.join(", ", jars()),
                      "did not end")
                  .help("leave the plug-in out and tell its authors, or give more time")
                  .asException());
    }
  }

  /** What is installed. */
  public static Extensions installed() {
    return new Extensions(Plugins.NONE, Optional.empty());
  }

  /**
   * What is installed, and what is in jars. No class of a jar is loaded yet.
   *
   * @param jars as the user named them
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-unreadable} or {@code
   *     plugin-*}, for the first jar that is not fit for use
   */
  public static Extensions open(List<String> jars) {
    return open(jars, Optional.empty());
  }

  /**
   * The same, with a limit for how long it may take to load the plug-ins. If they do not end, that
   * is an error of kind {@code deadline} where they are first asked for.
   *
   * @param deadline for each kind; since a first run of Java code is slow, some seconds of grace
   *     are added to it
   */
  public static Extensions open(List<String> jars, Optional<Duration> deadline) {
    return new Extensions(jars.isEmpty() ? Plugins.NONE : Plugins.open(jars, services()), deadline);
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
