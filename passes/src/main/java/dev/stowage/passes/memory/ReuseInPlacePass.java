package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Message;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.ir.Method;
import dev.stowage.passes.Fact;
import dev.stowage.passes.MethodPass;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.Statistic;
import dev.stowage.passes.lowering.Profiles;
import java.util.Optional;

/**
 * Lets results of elementwise operators take the bytes of an operand that is dead afterwards:
 * {@link InPlaceSearch} finds them.
 */
public final class ReuseInPlacePass implements MethodPass {
  private static final OptionSpec<Optional<ImmutableList<String>>> OPS =
      OptionSpec.optional(
          "ops",
          "the operators, in place of the table; none with ops=[]",
          OptionType.listOrNone(OptionType.WORD));
  private static final OptionSpec<Boolean> REPORT =
      OptionSpec.of(
          "report", "say what takes whose bytes, and what cannot", OptionType.BOOLEAN, false);

  private static final Statistic REUSED =
      new Statistic("reused", "results that take the bytes of an operand");
  private static final Statistic BYTES =
      new Statistic("bytes", "bytes that these results no longer need apart");

  private static final PassSpec SPEC =
      PassSpec.named("reuse-in-place")
          .summary("lets results of elementwise operators take the bytes of a dead operand")
          .description(
              """
              A result takes the bytes of the first operand that has as many of the same type, that
              no node reads after this one, and that may be overwritten: no constant, no state, no
              input unless it is donated, and nothing that the caller or the runtime provides. A
              result that the plan does not place, or that lies somewhere already, stays apart.

              This is for runtimes whose kernels may write over an operand, which few promise, so
              that no named pipeline has it. The operators are a table of those that work element
              by element, by ExecuTorch's, TensorFlow Lite's and plain names; with ops=[...] only
              those given.
              """)
          .options(OPS, REPORT)
          .statistics(REUSED, BYTES)
          .after("assign-devices", "bytes are reused on one device")
          .after(AnnotateSharedAllocPass.NAME, "what the model declares comes first")
          .after(ApplyTargetRulesPass.NAME, "a result must be able to lie where its operand does")
          .after("pin-pool", "a result goes to the pool of its operand")
          .before(Profiles.PLAN, "a plan that is made does not heed new sharing")
          .destroys(Fact.PLAN)
          .idempotent()
          .build();

  @Override
  public PassSpec spec() {
    return SPEC;
  }

  @Override
  public Method run(Method method, PassContext context) {
    ImmutableSet<String> ops =
        context.get(OPS).map(ImmutableSet::copyOf).orElse(InPlaceOperators.NAMES);
    InPlaceSearch search = new InPlaceSearch(method, ops, context.analyses().aliases(method));
    Method changed = search.run();
    context.count(REUSED, search.reused());
    context.count(BYTES, search.reusedBytes());
    if (context.get(REPORT)) {
      search
          .report()
          .forEach(line -> context.print(Message.format("%s: %s\n", method.name(), line)));
    }
    return changed;
  }
}
