package dev.stowage.testkit;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.DiagnosticException;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.passes.CarriedPlan;
import dev.stowage.passes.Pipeline;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.passes.lowering.Profiles;
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
    CarriedPlan plan = CarriedPlan.of(method, Profiles.named(Profiles.PROFILE.defaultText()));
    try {
      return plan.verify(new Analyses(), settings.map(), settings.capacity()).findings().stream()
          .filter(RatedFinding::isError)
          .collect(ImmutableList.toImmutableList());
    } catch (DiagnosticException e) {
      return ImmutableList.of(); // a method that cannot be lowered has nothing to be judged by
    }
  }
}
