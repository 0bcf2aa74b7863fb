package dev.stowage.passes;

import dev.stowage.ir.Program;

/** A pass that sees all methods at once. */
public non-sealed interface ProgramPass extends Pass {
  /** Returns the changed program, or the same one if there was nothing to do. */
  Program run(Program program, PassContext context);
}
