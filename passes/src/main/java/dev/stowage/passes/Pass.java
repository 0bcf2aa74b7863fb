package dev.stowage.passes;

/**
 * One step of a pipeline: a {@link ProgramPass}, a {@link MethodPass} or a {@link GraphPass}.
 * Implementations are found by {@link java.util.ServiceLoader}. The rules for all:
 *
 * <ul>
 *   <li>They keep no state, and take everything that may vary from the {@link PassContext}: the
 *       same input gives the same output, and several threads may run one at a time.
 *   <li>They return the same object where there was nothing to do.
 *   <li>What the input lacks is a {@link dev.stowage.base.DiagnosticException}; any other exception
 *       is a defect of the pass.
 * </ul>
 */
public sealed interface Pass permits ProgramPass, MethodPass, GraphPass {
  /** What it is called, may be asked, and promises. */
  PassSpec spec();
}
