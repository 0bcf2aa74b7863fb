package dev.stowage.ir.memory;

/** Who provides the bytes of a storage, where it is not the plan. */
public enum Owner {
  /** Whoever calls the method. */
  CALLER,
  /** The runtime, by rules of its own. */
  RUNTIME,
}
