package dev.stowage.driver;

import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.passes.Pass;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;

/** Pins the results of one operator to arena 2, so that planning keeps them apart. */
public final class PinOperatorPass implements Pass {
  private static final OptionSpec<String> OP =
      OptionSpec.of("op", "operator to pin", OptionType.WORD, "relu");

  @Override
  public PassSpec spec() {
    return PassSpec.of("acme-pin-operator", "pins the results of one operator to arena 2", OP);
  }

  @Override
  public Program run(Program program, PassContext context) {
    Program pinned = program;
    for (Method method : program.methods()) {
      GraphEditor editor = method.edit();
      for (Node node : method.nodes()) {
        if (node.op().equals(context.get(OP))) {
          node.results().forEach(tensor -> editor.annotate(tensor, MemoryKeys.PIN, 2));
        }
      }
      pinned = pinned.with(editor.build()); // the same program if nothing was pinned
    }
    return pinned;
  }
}
