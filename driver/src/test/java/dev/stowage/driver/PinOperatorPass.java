package dev.stowage.driver;

import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.passes.MethodPass;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;

/** Pins the results of one operator to arena 2, so that planning keeps them apart. */
public final class PinOperatorPass implements MethodPass {
  private static final OptionSpec<String> OP =
      OptionSpec.of("op", "operator to pin", OptionType.WORD, "relu");

  @Override
  public PassSpec spec() {
    return PassSpec.named("acme-pin-operator")
        .summary("pins the results of one operator to arena 2")
        .options(OP)
        .before("plan", "a plan that is made does not heed new pins")
        .build();
  }

  @Override
  public Method run(Method method, PassContext context) {
    GraphEditor editor = method.edit();
    for (Node node : method.nodes()) {
      if (node.op().equals(context.get(OP))) {
        node.results().forEach(tensor -> editor.annotate(tensor, MemoryKeys.PIN, 2));
      }
    }
    return editor.build(); // the same method if nothing was pinned
  }
}
