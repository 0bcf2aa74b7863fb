package dev.stowage.driver;

import dev.stowage.base.DiagnosticException;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.io.Sink;
import dev.stowage.ir.Program;
import dev.stowage.passes.Pipeline;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.passes.Reproducer;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Writes a reproducer of a pipeline that failed to a file. */
final class FailureRecorder {
  private final String file;
  private final boolean alsoOfWrongInput;
  private final Consumer<String> notes;

  /**
   * A recorder.
   *
   * @param alsoOfWrongInput false to record only what is a defect of a pass
   * @param notes is told, in a sentence, what was written or could not be
   */
  FailureRecorder(String file, boolean alsoOfWrongInput, Consumer<String> notes) {
    this.file = file;
    this.alsoOfWrongInput = alsoOfWrongInput;
    this.notes = notes;
  }

  /** Records a failure, if it is to be recorded; never fails itself. */
  void record(
      RuntimeException failure,
      Extensions extensions,
      Program program,
      Pipeline pipeline,
      PlanningSettings settings,
      boolean checked) {
    if (!alsoOfWrongInput && !(failure instanceof PluginFailedException)) {
      return;
    }
    Reproducer reproducer =
        Reproducer.of(
            Stowage.version(),
            extensions.jars(),
            program,
            pipeline,
            settings,
            checked,
            String.valueOf(failure.getMessage()));
    try (Sink sink = Sink.open(Path.of(file))) {
      Writer text =
          new BufferedWriter(new OutputStreamWriter(sink.stream(), StandardCharsets.UTF_8));
      reproducer.write(text);
      text.flush();
      sink.commit();
      notes.accept(
          "the failure is recorded in "
              + file
              + "; stowage run-reproducer "
              + file
              + " repeats it");
    } catch (IOException | DiagnosticException | InvalidPathException e) {
      notes.accept("the failure could not be recorded: " + e.getMessage());
    }
  }
}
