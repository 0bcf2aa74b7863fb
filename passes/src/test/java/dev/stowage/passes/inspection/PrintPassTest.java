package dev.stowage.passes.inspection;

import static dev.stowage.passes.Texts.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.ir.Program;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.RunOptions;
import dev.stowage.passes.Texts;
import org.junit.jupiter.api.Test;

class PrintPassTest {
  private static final Program PROGRAM =
      Texts.program("", "%0 \"x\" : u8[64] = input %1 : u8[64] = f(%0) output(%1)");

  private static String printed(String pipeline) {
    PassManager manager = PassManager.withInstalledPasses();
    StringBuilder text = new StringBuilder();
    RunOptions options = RunOptions.DEFAULT.withChecks().printingTo(text::append);
    manager.run(PROGRAM, manager.pipeline("p", pipeline), SETTINGS, options);
    return text.toString();
  }

  @Test
  void run_program_printsItAsItIsAtThatPoint() {
    String text = printed("print,extend-lifetimes{keep=x},print{label=\"two\nlines\"},plan");
    String before = ProgramPrinter.print(PROGRAM);
    assertThat(text).startsWith(before + "# two\n# lines\n");
    String after = text.substring(before.length());
    assertThat(after).contains("{until=2}").doesNotContain("placement");
    assertThat(ProgramParser.parse("t", after)).isNotEqualTo(PROGRAM);
  }
}
