package dev.stowage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.ir.Method;
import dev.stowage.passes.MethodPass;
import dev.stowage.passes.Pass;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PassSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StowTestsTest {
  private static final String PROGRAM =
      "program \"p\"\nmethod @m {\n  graph @g {\n    output\n  }\n}\n";

  @TempDir Path folder;

  /** Says, warns, refuses or breaks, as it is asked. */
  private static final class SayPass implements MethodPass {
    private static final OptionSpec<String> TEXT =
        OptionSpec.of("text", "what to print", OptionType.WORD, "");
    private static final OptionSpec<String> FAULT =
        OptionSpec.of("fault", "what to refuse by", OptionType.WORD, "");

    @Override
    public PassSpec spec() {
      return PassSpec.named("say").summary("for tests").options(TEXT, FAULT).build();
    }

    @Override
    public Method run(Method method, PassContext context) {
      context.print(context.get(TEXT));
      context.warn(Diagnostic.of(Kinds.USAGE, "said " + context.get(TEXT)));
      if (context.get(FAULT).equals("broken")) {
        throw new ArithmeticException("broken");
      }
      if (!context.get(FAULT).isEmpty()) {
        throw Diagnostic.of(Kinds.INPUT_UNSUPPORTED, context.get(FAULT)).asException();
      }
      return method;
    }
  }

  private static final ImmutableList<Pass> PASSES = ImmutableList.of(new SayPass());

  private Path file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content);
  }

  /** What the only test of the folder throws, or null. */
  private @Nullable Throwable result() {
    List<DynamicTest> tests = StowTests.in(folder, PASSES).toList();
    assertThat(tests).hasSize(1);
    return catchThrowable(() -> tests.get(0).getExecutable().execute());
  }

  @Test
  void in_folder_hasATestForEachFileByName() throws IOException {
    file("b.stow", PROGRAM);
    file("a.stow", PROGRAM);
    file("notes.txt", "");
    assertThat(StowTests.in(folder))
        .extracting(DynamicTest::getDisplayName)
        .containsExactly("a.stow", "b.stow");
  }

  @Test
  void in_folderWithoutFiles_isRefused() {
    assertThatThrownBy(() -> StowTests.in(folder))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("there are no *.stow files in ");
  }

  @Test
  void test_printedText_comesBeforeTheProgram() throws IOException {
    file(
        "t.stow",
        "# RUN: say{text=hello}\n# CHECK-NOT: program\n# CHECK: hello\n# CHECK: program \"p\"\n"
            + "# CHECK-WARNING: warning[usage]: said hello\n"
            + "# RUN: say{text=again}\n# CHECK-NOT: hello\n# CHECK: again\n"
            + PROGRAM);
    assertThat(result()).isNull();
  }

  @Test
  void test_expectationThatIsNotMet_fails() throws IOException {
    file("t.stow", "# RUN: say\n# CHECK: hello\n" + PROGRAM);
    assertThat(result())
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("t.stow:2: CHECK: hello\n  not found from line 1 on")
        .hasMessageContaining("1: program \"p\"");
  }

  @Test
  void test_refusal_isAnErrorToExpect() throws IOException {
    file(
        "t.stow",
        "# RUN: say{fault=\"no way\"}\n# CHECK-ERROR: error[input-unsupported]: no way\n"
            + PROGRAM);
    assertThat(result()).isNull();
    file("t.stow", "# RUN: say{fault=\"no way\"}\n# CHECK: program\n" + PROGRAM);
    assertThat(result()).hasMessageContaining("an error that no CHECK-ERROR expects");
  }

  @Test
  void test_wrongPipeline_isAnErrorToExpect() throws IOException {
    file("t.stow", PROGRAM + "# RUN: sai\n# CHECK-ERROR: t.stow:7:1:1: error[unknown-pass]\n");
    assertThat(result()).isNull();
  }

  @Test
  void test_brokenPass_failsWhateverIsExpected() throws IOException {
    file("t.stow", "# RUN: say{fault=broken}\n# CHECK-ERROR: broken\n" + PROGRAM);
    assertThat(result())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("t.stow:1: pass 'say' from ")
        .hasMessageContaining("ArithmeticException: broken");
  }

  @Test
  void test_folderOfTheFile_standsForItself() throws IOException {
    file("t.stow", "# RUN: say{text=\"in %S/x\"}\n# CHECK: in %S/x\n" + PROGRAM);
    assertThat(result()).isNull();
  }

  @Test
  void test_withoutRun_fails() throws IOException {
    file("t.stow", PROGRAM);
    assertThat(result()).hasMessageContaining("t.stow: no line '# RUN: PIPELINE'");
  }

  @Test
  void test_withoutExpectations_fails() throws IOException {
    file("t.stow", "# RUN: say\n" + PROGRAM);
    assertThat(result()).hasMessageContaining("t.stow:1: nothing is expected of this RUN");
  }

  @Test
  void run_withUpdate_writesTheFileAndComparesIt() throws IOException {
    String head = "# RUN: say{text=\"at %S\"}\n";
    Path file = file("t.stow", head + PROGRAM);
    StowTests tests = new StowTests(file, new PassManager(PASSES), PlainSettings.create());
    tests.run(/* update= */ true);
    assertThat(file)
        .hasContent(
            head
                + "# CHECK: at %S\n"
                + "# CHECK: method @m {\n"
                + "# CHECK:   graph @g {\n"
                + "# CHECK:     output\n"
                + PROGRAM);
    assertThat(result()).isNull();
  }

  @Test
  void run_withUpdateThatBreaksACheckNot_fails() throws IOException {
    Path file = file("t.stow", "# RUN: say\n# CHECK-NOT: program\n" + PROGRAM);
    StowTests tests = new StowTests(file, new PassManager(PASSES), PlainSettings.create());
    assertThatThrownBy(() -> tests.run(/* update= */ true))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("CHECK-NOT: program");
  }
}
