package dev.stowage.passes;

import dev.stowage.ir.Program;

/**
 * One step of a pipeline. Implementations are found by {@link java.util.ServiceLoader}; they keep
 * no state, and take everything that may vary from the {@link PassContext}.
 */
public interface Pass {
  /** What it is called and may be asked. */
  PassSpec spec();

  /** Returns the changed program, or the same one if there was nothing to do. */
  Program run(Program program, PassContext context);
}
