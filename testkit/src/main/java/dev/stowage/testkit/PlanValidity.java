package dev.stowage.testkit;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.Call;
import dev.stowage.base.DiagnosticException;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Placement;
import dev.stowage.passes.Pipeline;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.passes.Verification;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.passes.lowering.LoweredProblem;
import dev.stowage.passes.lowering.LoweringTarget;
import dev.stowage.passes.lowering.Profile;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.planning.Limits;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.RatedFinding;
import java.util.Optional;

/** Whether the plan that a program carries is still right after a pass changed the program. */
final class PlanValidity {
  /** Gives a program the plan. */
  static final Pipeline PLAN = Pipeline.of(Call.of(Profiles.PLAN));

  private PlanValidity() {}

  /** The first error in the plan of a method that was none before. */
  static Optional<String> firstNewFault(Program before, Program after, PlanningSettings settings) {
    for (Method method : after.methods()) {
      Optional<Method> was = before.method(method.name());
      if (was.isEmpty() || was.get().get(MemoryKeys.ARENAS).isEmpty()) {
        continue;
      }
      if (method.get(MemoryKeys.ARENAS).isEmpty()) {
        return Optional.of("method " + method.name() + " has no plan any more");
      }
      ImmutableList<RatedFinding> known = errors(was.get(), settings);
      if (known.isEmpty()) {
        Optional<RatedFinding> fault = errors(method, settings).stream().findFirst();
        if (fault.isPresent()) {
          return fault.map(it -> "in method " + method.name() + ", " + it.finding().message());
        }
      }
    }
    return Optional.empty();
  }

  private static ImmutableList<RatedFinding> errors(Method method, PlanningSettings settings) {
    Profile profile =
        Profiles.named(method.get(MemoryKeys.PROFILE).orElse(Profiles.PROFILE.defaultText()));
    int alignment = method.get(MemoryKeys.ALIGNMENT).orElse(Limits.DEFAULT_ALIGNMENT);
    LoweredProblem lowered;
    try {
      lowered =
          profile.lower(
              method,
              new Analyses(),
              new LoweringTarget(alignment, settings.map(), settings.capacity()));
    } catch (DiagnosticException e) {
      return ImmutableList.of();
    }
    return Verification.of(method, profile, lowered, claim(method)).findings().stream()
        .filter(RatedFinding::isError)
        .collect(ImmutableList.toImmutableList());
  }

  private static ClaimedPlan claim(Method method) {
    ImmutableList.Builder<ClaimedPlan.Place> places = ImmutableList.builder();
    for (Tensor tensor : method.tensors()) {
      Optional<Placement> placement = method.get(MemoryKeys.PLACEMENT, tensor.id());
      if (placement.isPresent() && tensor.alias() == null) {
        places.add(
            new ClaimedPlan.Place(
                method.get(MemoryKeys.ORIGIN, tensor.id()).orElse(tensor.id()),
                placement.get().memId(),
                placement.get().memObjId(),
                placement.get().offsetBytes()));
      }
    }
    return ClaimedPlan.of(
        places.build(), method.get(MemoryKeys.ARENAS).orElse(ImmutableLongArray.of()).toArray());
  }
}
