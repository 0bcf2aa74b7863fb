package dev.stowage.passes;

import dev.stowage.ir.Method;

/** A pass that looks at one method only, so that methods can be worked on at the same time. */
public non-sealed interface MethodPass extends Pass {
  /** Returns the changed method, or the same one if there was nothing to do; its name is kept. */
  Method run(Method method, PassContext context);
}
