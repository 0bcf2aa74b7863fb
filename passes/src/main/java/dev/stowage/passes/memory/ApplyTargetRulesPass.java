package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableList;
import dev.stowage.ir.Method;
import dev.stowage.memmap.OperatorRule;
import dev.stowage.passes.Fact;
import dev.stowage.passes.MethodPass;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.Statistic;
import dev.stowage.passes.lowering.Profiles;

/**
 * Turns what a target says of operators into constraints on the tensors that they use: {@link
 * OperatorConstraints} does the work.
 */
public final class ApplyTargetRulesPass implements MethodPass {
  /** What it is called in pipelines. */
  public static final String NAME = "apply-target-rules";

  private static final Statistic CONSTRAINED =
      new Statistic("constrained", "storages that a rule keeps to some banks, or to an alignment");

  private static final PassSpec SPEC =
      PassSpec.named(NAME)
          .summary("keeps tensors to the banks that the target's operators can use")
          .description(
              """
              A target may say of operators that they read or write only banks with some attributes,
              never some banks, at a stricter alignment, or past the end of their tensors. This pass
              writes it down on the tensors that matching operators use, as not-arenas, align and
              over-read of their storages. Several rules add up; constants are left alone, as they
              are not planned. Without a target, or with one that has no rules, nothing changes.
              """)
          .statistics(CONSTRAINED)
          .after("assign-devices", "copies between devices are operators too")
          .before(Profiles.PLAN, "a plan that is made does not heed new constraints")
          .destroys(Fact.PLAN)
          .idempotent()
          .build();

  @Override
  public PassSpec spec() {
    return SPEC;
  }

  @Override
  public Method run(Method method, PassContext context) {
    ImmutableList<OperatorRule> rules = context.settings().operatorRules();
    if (rules.isEmpty() || context.settings().map().isEmpty()) {
      return method;
    }
    OperatorConstraints constraints =
        new OperatorConstraints(method, context.settings().map().get(), rules);
    Method constrained = constraints.apply();
    context.count(CONSTRAINED, constraints.count());
    return constrained;
  }
}
