package dev.stowage.testkit;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.PluginFailedException;
import dev.stowage.ir.Program;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.passes.Pass;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PipelineResult;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.passes.RunOptions;
import dev.stowage.testkit.StowFile.Run;
import dev.stowage.verifier.RatedFinding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Tests of pipelines as {@code .stow} files, with what to run and what to expect in comments beside
 * the program:
 *
 * <pre>
 * # RUN: plan{profile=sound}
 * # CHECK: %1 : u8[32] {placement="1:0:0"} = relu(%0)
 * # CHECK-NOT: cuda
 * program "p"
 * method @m { ... }
 * </pre>
 *
 * <p>A factory makes a test of each file of a folder:
 *
 * <pre>
 * &#64;TestFactory
 * Stream&lt;DynamicTest&gt; passes() {
 *   return StowTests.in(Path.of("src/test/stow"));
 * }
 * </pre>
 *
 * <p>Each {@code RUN} starts from the program of the file, and the expectations that follow belong
 * to it. What is compared is what passes print, then the text of the program:
 *
 * <ul>
 *   <li>{@code CHECK:} stands in a later line than the match before, the first where it does;
 *   <li>{@code CHECK-SAME:} stands further on in the same line;
 *   <li>{@code CHECK-NOT:} stands nowhere between the matches before and after it;
 *   <li>{@code CHECK-ERROR:} is part of the error by which the pipeline fails or a method has no
 *       valid plan, such as {@code error[unplaceable]}; an error that is not expected fails the
 *       test;
 *   <li>{@code CHECK-WARNING:} is part of a warning.
 * </ul>
 *
 * <p>Runs of blanks are equal. {@code %S} stands for the folder of the file; in a {@code RUN} it
 * belongs in quotes: {@code pin-pool{rules="%S/rules.json"}}. With {@code
 * -Dstowage.updateGolden=true} the tests write the expectations from what is there, whole lines,
 * and keep each {@code CHECK-NOT}; so the folder should be that of the sources.
 */
public final class StowTests {
  private static final String ENDING = ".stow";
  private static final String FOLDER = "%S";

  private final Path file;
  private final PassManager manager;
  private final PlanningSettings settings;

  StowTests(Path file, PassManager manager, PlanningSettings settings) {
    this.file = file;
    this.manager = manager;
    this.settings = settings;
  }

  /**
   * A test for each {@code .stow} file of a folder, by name, with the installed passes.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Stream<DynamicTest> in(Path directory) {
    return in(directory, PassManager.withInstalledPasses());
  }

  /** The same with the given passes. */
  public static Stream<DynamicTest> in(Path directory, Iterable<? extends Pass> passes) {
    return in(directory, new PassManager(passes));
  }

  /** The same with the passes of a manager. */
  public static Stream<DynamicTest> in(Path directory, PassManager manager) {
    return in(directory, manager, PlainSettings.create());
  }

  /** The same with the passes of a manager and other settings of planning, such as banks. */
  public static Stream<DynamicTest> in(
      Path directory, PassManager manager, PlanningSettings settings) {
    return files(directory).stream()
        .map(
            file ->
                DynamicTest.dynamicTest(
                    String.valueOf(file.getFileName()),
                    file.toUri(),
                    () -> new StowTests(file, manager, settings).run(Golden.isUpdated())));
  }

  private static ImmutableList<Path> files(Path directory) {
    ImmutableList<Path> files;
    try (Stream<Path> found = Files.list(directory)) {
      files =
          found
              .filter(file -> file.toString().endsWith(ENDING))
              .sorted()
              .collect(ImmutableList.toImmutableList());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + directory, e);
    }
    if (files.isEmpty()) {
      throw new IllegalArgumentException("there are no *" + ENDING + " files in " + directory);
    }
    return files;
  }

  /** Runs the file's pipelines, writes its expectations anew if asked to, and compares. */
  void run(boolean update) {
    String name = String.valueOf(file.getFileName());
    StowFile test = StowFile.parse(name, Golden.read(file));
    Program program = ProgramParser.parse(name, test.content());
    ImmutableList.Builder<StowOutput> built = ImmutableList.builder();
    for (Run run : test.runs()) {
      built.add(output(test, run, program));
    }
    ImmutableList<StowOutput> outputs = built.build();
    if (update) {
      String content = StowRewriter.rewrite(test, outputs, this::expand, this::fold);
      if (!content.equals(test.content())) {
        Golden.write(file, content);
      }
      test = StowFile.parse(name, content);
    }
    for (int i = 0; i < outputs.size(); i++) {
      StowMatcher.match(test, test.runs().get(i), outputs.get(i), this::expand);
    }
  }

  private StowOutput output(StowFile test, Run run, Program program) {
    StringBuilder text = new StringBuilder();
    RunOptions options = RunOptions.DEFAULT.withChecks().printingTo(text::append);
    try {
      PipelineResult result =
          manager.run(
              program,
              manager.pipeline(test.place(run.line()), expandInQuotes(run.text())),
              settings,
              options);
      if (text.length() > 0 && text.charAt(text.length() - 1) != '\n') {
        text.append('\n');
      }
      text.append(ProgramPrinter.print(result.program()));
      return new StowOutput(
          text.toString(),
          errors(result),
          result.warnings().stream()
              .map(Diagnostic::renderWarning)
              .collect(ImmutableList.toImmutableList()));
    } catch (DiagnosticException e) {
      return new StowOutput(
          text.toString(), ImmutableList.of(e.diagnostic().render()), ImmutableList.of());
    } catch (PluginFailedException e) {
      throw new AssertionError(test.place(run.line()) + ": " + e.getMessage(), e);
    }
  }

  /** Why methods have no plan, or none that is valid. */
  private static ImmutableList<String> errors(PipelineResult result) {
    ImmutableList.Builder<String> errors = ImmutableList.builder();
    for (PlannedMethod method : result.plans()) {
      if (method.result() instanceof PlannedMethod.Failed failed) {
        errors.add(failed.why().render());
      } else if (method.result() instanceof PlannedMethod.Planned planned) {
        planned.verification().findings().stream()
            .filter(RatedFinding::isError)
            .map(RatedFinding::finding)
            .forEach(
                finding ->
                    errors.add(
                        method.method() + ": error[" + finding.kind() + "]: " + finding.message()));
      }
    }
    return errors.build();
  }

  private String folder() {
    return String.valueOf(file.toAbsolutePath().getParent()).replace('\\', '/');
  }

  private String expand(String text) {
    return text.replace(FOLDER, folder());
  }

  private String expandInQuotes(String text) {
    return text.replace(FOLDER, folder().replace("\"", "\\\""));
  }

  private String fold(String text) {
    return text.replace(folder(), FOLDER);
  }
}
