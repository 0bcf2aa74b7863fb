package dev.stowage.passes;

import dev.stowage.ir.Program;

/**
 * An observer of a running pipeline, such as one that takes times or prints the program. All its
 * methods are called on the thread that runs the pipeline, in the order of the pipeline, and
 * several observers are called like a stack: at the end of something the last one first.
 *
 * <p>What it throws ends the pipeline, and the other observers are told the same all the same: each
 * sees one end, good or bad, of every pipeline and pass that it saw begin. {@link PassStep#defect}
 * makes what to throw where a pass is to blame.
 */
public interface PassInstrumentation {
  /** A pipeline begins. */
  default void pipelineStarted(Pipeline pipeline, Program program) {}

  /** A pass is about to run on all methods or graphs that there are. */
  default void passStarted(PassStep step, Program before) {}

  /** A pass has run on all methods or graphs that there are. */
  default void passFinished(PassStep step, PassReport report) {}

  /** A pass has failed, or an observer at its beginning. */
  default void passFailed(PassStep step, Program before, Throwable why) {}

  /** All passes have run. */
  default void pipelineFinished(Program program) {}

  /** A pass has failed, or an observer of one, and with it the pipeline. */
  default void pipelineFailed(Throwable why) {}
}
