package dev.stowage.passes.memory;

/** What a tensor is to its method. */
enum PoolRole {
  /** An input of the method, state left out. */
  INPUT,
  /** An output of the method, state left out. */
  OUTPUT,
  /** What lives from one run to the next. */
  STATE,
  /** None of the others. */
  INTERMEDIATE,
}
