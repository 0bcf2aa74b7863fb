package dev.stowage.passes;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.base.Suggestions;
import dev.stowage.ir.Method;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Placement;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.passes.lowering.LoweredProblem;
import dev.stowage.passes.lowering.LoweringTarget;
import dev.stowage.passes.lowering.Profile;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.planning.Limits;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.FindingKind;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The plan that a method carries as annotations, whoever made it.
 *
 * @param profile the rules by which the method was planned
 * @param alignment with which it was planned, in bytes
 * @param claim the placements of its storages, by their numbers in the source, and its arenas
 */
public record CarriedPlan(Method method, Profile profile, int alignment, ClaimedPlan claim) {
  /**
   * The plan of a method; it places nothing if the method has none.
   *
   * @param otherwise the rules where the method does not say
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-value} if the method names a
   *     profile that there is not, or an alignment that there cannot be
   */
  public static CarriedPlan of(Method method, Profile otherwise) {
    ImmutableList.Builder<ClaimedPlan.Place> places = ImmutableList.builder();
    for (Tensor tensor : method.tensors()) {
      Optional<Placement> placement = method.get(MemoryKeys.PLACEMENT, tensor.id());
      if (placement.isPresent() && method.body().root(tensor.id()) == tensor.id()) {
        places.add(
            new ClaimedPlan.Place(
                method.get(MemoryKeys.ORIGIN, tensor.id()).orElse(tensor.id()),
                placement.get().memId(),
                placement.get().memObjId(),
                placement.get().offsetBytes()));
      }
    }
    long[] arenas = method.get(MemoryKeys.ARENAS).orElse(ImmutableLongArray.of()).toArray();
    return new CarriedPlan(
        method,
        method.get(MemoryKeys.PROFILE).map(name -> profile(method, name)).orElse(otherwise),
        alignment(method),
        ClaimedPlan.of(places.build(), arenas));
  }

  private static Profile profile(Method method, String name) {
    return Profiles.find(name)
        .orElseThrow(
            () ->
                invalid(method, "it was planned by profile '" + name + "', which is unknown")
                    .help(Suggestions.help(name, Profiles.names()))
                    .asException());
  }

  private static int alignment(Method method) {
    int alignment = method.get(MemoryKeys.ALIGNMENT).orElse(Limits.DEFAULT_ALIGNMENT);
    if (alignment < 1 || alignment > Limits.MAX_ALIGNMENT) {
      throw invalid(
              method,
              Message.format(
                  "it was planned with alignment %d, which is not in 1..%d",
                  alignment, Limits.MAX_ALIGNMENT))
          .asException();
    }
    return alignment;
  }

  private static Diagnostic invalid(Method method, String message) {
    return Diagnostic.of(Kinds.INPUT_VALUE, Location.at(method.name()), message);
  }

  /**
   * Has it judged by what the method is now.
   *
   * @param map the banks; without one there is a single arena
   * @param capacity of the single arena in bytes, where there is no map
   * @throws dev.stowage.base.DiagnosticException if the profile cannot lower the method
   */
  public Verification verify(Analyses analyses, Optional<MemoryMap> map, OptionalLong capacity) {
    LoweringTarget target = new LoweringTarget(alignment, map, capacity);
    LoweredProblem lowered = profile.lower(method, analyses, target);
    Set<Integer> withoutStorage = new HashSet<>();
    for (int buffer = 0; buffer < lowered.storages().length(); buffer++) {
      if (lowered.storages().get(buffer) == LoweredProblem.NO_STORAGE) {
        withoutStorage.add(lowered.numbers().get(buffer));
      }
    }
    Verification judged = Verification.of(method, profile, lowered, claim);
    return new Verification(
        judged.findings().stream()
            .filter(rated -> !isUnplacedOf(withoutStorage, rated.finding()))
            .collect(ImmutableList.toImmutableList()),
        judged.storageReusePairs());
  }

  /** Only storages carry placements; what a profile plans beside them has none in the program. */
  private static boolean isUnplacedOf(Set<Integer> numbers, Finding finding) {
    return finding.kind() == FindingKind.NOT_PLACED
        && finding.subjects().stream().allMatch(subject -> numbers.contains(subject.number()));
  }
}
