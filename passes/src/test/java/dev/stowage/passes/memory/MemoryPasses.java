package dev.stowage.passes.memory;

import static dev.stowage.passes.Texts.SETTINGS;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.ir.AnnotationKey;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.passes.PassInstrumentation;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PassReport;
import dev.stowage.passes.PassStep;
import dev.stowage.passes.PipelineResult;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.passes.RunOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs pipelines on programs, with all checks of what passes promise. */
final class MemoryPasses {
  private static final PassManager MANAGER = PassManager.withInstalledPasses();

  private MemoryPasses() {}

  static PipelineResult run(Program program, String pipeline) {
    return run(program, pipeline, SETTINGS);
  }

  static PipelineResult run(Program program, String pipeline, PlanningSettings settings) {
    return MANAGER.run(
        program, MANAGER.pipeline("p", pipeline), settings, RunOptions.DEFAULT.withChecks());
  }

  static Diagnostic fault(Program program, String pipeline) {
    return fault(program, pipeline, SETTINGS);
  }

  static Diagnostic fault(Program program, String pipeline, PlanningSettings settings) {
    return catchThrowableOfType(DiagnosticException.class, () -> run(program, pipeline, settings))
        .diagnostic();
  }

  static List<String> warnings(Program program, String pipeline) {
    return run(program, pipeline).warnings().stream().map(Diagnostic::renderWarning).toList();
  }

  /** The sums of the statistics of all passes, by name. */
  static Map<String, Long> statistics(Program program, String pipeline) {
    Map<String, Long> sums = new LinkedHashMap<>();
    PassInstrumentation adding =
        new PassInstrumentation() {
          @Override
          public void passFinished(PassStep step, PassReport report) {
            report
                .statistics()
                .forEach((statistic, count) -> sums.merge(statistic.name(), count, Long::sum));
          }
        };
    MANAGER.run(
        program, MANAGER.pipeline("p", pipeline), SETTINGS, RunOptions.DEFAULT.observedBy(adding));
    return sums;
  }

  /** What the passes print. */
  static String printed(Program program, String pipeline) {
    StringBuilder printed = new StringBuilder();
    MANAGER.run(
        program,
        MANAGER.pipeline("p", pipeline),
        SETTINGS,
        RunOptions.DEFAULT.printingTo(printed::append));
    return printed.toString();
  }

  /** {@code tensor=value} for each tensor of the first method whose storage has a value. */
  static List<String> annotations(Program program, AnnotationKey<?> key) {
    Method method = program.methods().get(0);
    List<String> values = new ArrayList<>();
    for (int tensor = 0; tensor < method.tensors().size(); tensor++) {
      if (key.scope() == AnnotationKey.Scope.TENSOR || method.body().root(tensor) == tensor) {
        int id = tensor;
        method.get(key, tensor).ifPresent(value -> values.add(id + "=" + value));
      }
    }
    return values;
  }
}
