package dev.stowage.passes.planning;

import dev.stowage.ir.Method;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.passes.Fact;
import dev.stowage.passes.MethodPass;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;

/** Takes out what planning wrote down: placements, arenas, profile and alignment. */
public final class StripPlanPass implements MethodPass {
  private static final PassSpec SPEC =
      PassSpec.named("strip-plan")
          .summary("takes placements, arena sizes and all else out that planning wrote down")
          .description("What planning heeds, such as pins and lifetimes, is kept.")
          .destroys(Fact.PLAN)
          .idempotent()
          .build();

  @Override
  public PassSpec spec() {
    return SPEC;
  }

  @Override
  public Method run(Method method, PassContext context) {
    return MemoryKeys.withoutPlan(method);
  }
}
