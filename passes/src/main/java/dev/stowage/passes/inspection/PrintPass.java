package dev.stowage.passes.inspection;

import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.ir.Program;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.ProgramPass;
import java.util.Optional;

/** Shows the program, as it is at this point of the pipeline, in its textual form. */
public final class PrintPass implements ProgramPass {
  private static final OptionSpec<Optional<String>> LABEL =
      OptionSpec.optional("label", "a comment above the text", OptionType.WORD);

  private static final PassSpec SPEC =
      PassSpec.named("print")
          .summary("prints the program as it is at this point")
          .description(
              """
              The text is that of a .stow file, with all annotations that the passes before have
              made, and can be read again.
              """)
          .options(LABEL)
          .readOnly()
          .idempotent()
          .build();

  @Override
  public PassSpec spec() {
    return SPEC;
  }

  @Override
  public Program run(Program program, PassContext context) {
    String comment =
        context.get(LABEL).map(label -> "# " + label.replaceAll("\\R", "\n# ") + "\n").orElse("");
    context.print(comment + ProgramPrinter.print(program));
    return program;
  }
}
