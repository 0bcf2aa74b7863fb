package dev.stowage.memmap;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Kinds;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.PluginRegistry;
import dev.stowage.base.Plugins;
import java.util.ServiceLoader;

/** The targets by name. */
public final class TargetCatalog {
  private final PluginRegistry<Offer> offers;

  /** A target, and who brings it. */
  private record Offer(Target target, Class<?> provider) {}

  /**
   * The targets of the given providers.
   *
   * @throws PluginFailedException if a provider fails
   * @throws dev.stowage.base.DiagnosticException of kind {@code plugin-clash} if two targets have
   *     one name
   */
  public TargetCatalog(Iterable<TargetProvider> providers) {
    ImmutableList.Builder<Offer> all = ImmutableList.builder();
    for (TargetProvider provider : providers) {
      for (Target target : targets(provider)) {
        all.add(new Offer(target, provider.getClass()));
      }
    }
    offers =
        new PluginRegistry<>(
            "target",
            Kinds.UNKNOWN_TARGET,
            all.build(),
            offer -> offer.target().name(),
            Offer::provider);
  }

  private static ImmutableList<Target> targets(TargetProvider provider) {
    return PluginFailedException.guard(
        "target provider",
        provider.getClass().getName(),
        provider.getClass(),
        () -> requireNonNull(provider.targets(), "it returned null in place of targets"));
  }

  /**
   * The targets that are found on the class path and module path, and in plug-ins.
   *
   * @throws PluginFailedException if a provider cannot be loaded, or fails
   * @throws dev.stowage.base.DiagnosticException of kind {@code plugin-clash} if two targets have
   *     one name
   */
  public static TargetCatalog withTargetsOf(Plugins plugins) {
    return new TargetCatalog(
        plugins.providers(loader -> ServiceLoader.load(TargetProvider.class, loader)));
  }

  /**
   * The target of a name.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code unknown-target}, with the nearest
   *     name
   */
  public Target get(String name) {
    return offers.get(name).target();
  }

  /** All targets, sorted by name. */
  public ImmutableList<Target> all() {
    return offers.all().stream().map(Offer::target).collect(ImmutableList.toImmutableList());
  }
}
