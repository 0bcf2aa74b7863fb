package com.acme.stowage;

import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.passes.Fact;
import dev.stowage.passes.MethodPass;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.Statistic;
import dev.stowage.planning.Limits;

/** Pins the results of one operator to an arena, so that planning keeps them apart. */
public final class PinOperatorPass implements MethodPass {
  private static final OptionSpec<String> OP =
      OptionSpec.required("op", "operator whose results are pinned", OptionType.WORD);
  private static final OptionSpec<Integer> MEM_ID =
      OptionSpec.of("mem-id", "arena to pin to", OptionType.integer(1, Limits.MAX_MEM_ID), 2);
  private static final Statistic PINNED = new Statistic("pinned", "tensors pinned");

  @Override
  public PassSpec spec() {
    return PassSpec.named("acme-pin-operator")
        .summary("pins the results of one operator to an arena")
        .options(OP, MEM_ID)
        .statistics(PINNED)
        .before("plan", "a plan that is made does not heed new pins")
        .destroys(Fact.PLAN)
        .idempotent()
        .build();
  }

  @Override
  public Method run(Method method, PassContext context) {
    GraphEditor editor = method.edit();
    for (Node node : method.nodes()) {
      if (node.op().equals(context.get(OP))) {
        for (int tensor : node.results().asList()) {
          editor.annotate(tensor, MemoryKeys.PIN, context.get(MEM_ID));
          context.count(PINNED, 1);
        }
      }
    }
    return editor.build(); // the same method if nothing was pinned
  }
}
