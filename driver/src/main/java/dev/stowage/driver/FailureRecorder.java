package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Message;
import dev.stowage.base.io.Sink;
import dev.stowage.passes.Reproducer;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Writes a reproducer of the first pipeline that fails to a file, which {@code stowage
 * run-reproducer} runs again. Not thread-safe.
 */
public final class FailureRecorder {
  private final String file;
  private final boolean ofAnyFailure;
  private final ImmutableList<String> inputs;
  private final Consumer<String> notes;
  private State state = State.NOTHING_FAILED;

  private enum State {
    NOTHING_FAILED,
    TRIED,
    TOLD_OF_OTHERS
  }

  /**
   * A recorder.
   *
   * @param ofAnyFailure false to record only what is a defect of a pass
   * @param inputs files that are not written over
   * @param notes is told, in a sentence, what was written or could not be
   */
  public FailureRecorder(
      String file, boolean ofAnyFailure, List<String> inputs, Consumer<String> notes) {
    this.file = file;
    this.ofAnyFailure = ofAnyFailure;
    this.inputs = ImmutableList.copyOf(inputs);
    this.notes = notes;
  }

  /**
   * Records a failure, if it is to be recorded and the first; never fails itself.
   *
   * @param defect true if a pass is to blame, not what it was given
   */
  void record(boolean defect, Supplier<Reproducer> reproducer) {
    if (!ofAnyFailure && !defect) {
      return;
    }
    switch (state) {
      case NOTHING_FAILED -> {
        state = State.TRIED;
        write(reproducer.get());
      }
      case TRIED -> {
        state = State.TOLD_OF_OTHERS;
        notes.accept("further failures are not recorded, only the first");
      }
      case TOLD_OF_OTHERS -> {}
    }
  }

  private void write(Reproducer reproducer) {
    try {
      for (String input : Iterables.concat(inputs, reproducer.files().keySet())) {
        if (isSameFile(input, file)) {
          notes.accept("the failure is not recorded: '" + file + "' is an input");
          return;
        }
      }
      try (Sink sink = Sink.open(Path.of(file))) {
        Writer text =
            new BufferedWriter(new OutputStreamWriter(sink.stream(), StandardCharsets.UTF_8));
        reproducer.write(text);
        text.flush();
        sink.commit();
      }
      notes.accept(
          "the failure is recorded in "
              + file
              + "; stowage run-reproducer "
              + file
              + " repeats it");
    } catch (DiagnosticException e) {
      notes.accept("the failure could not be recorded: " + e.diagnostic().message());
    } catch (IOException | InvalidPathException e) {
      notes.accept("the failure could not be recorded: " + Message.describe(e));
    }
  }

  private static boolean isSameFile(String input, String output) throws IOException {
    try {
      Path one = Path.of(input);
      Path other = Path.of(output);
      return Files.exists(one) && Files.exists(other) && Files.isSameFile(one, other);
    } catch (InvalidPathException e) {
      return false; // such as the name of something that is no file
    }
  }
}
