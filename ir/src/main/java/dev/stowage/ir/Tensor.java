package dev.stowage.ir;

import org.jspecify.annotations.Nullable;

/**
 * A handle to bytes. Its id is dense within its method; the name is a label that may be empty or
 * repeat.
 *
 * @param id index in the method's tensor table
 * @param name label, may be empty
 * @param type what it is made of
 * @param constant true if its bytes come with the program and never change
 * @param state name of the program state that it stands for, or null
 * @param alias the tensor whose bytes it is a handle to, or null if it has bytes of its own
 */
public record Tensor(
    int id,
    String name,
    TensorType type,
    boolean constant,
    @Nullable String state,
    @Nullable Alias alias) {

  /** {@code %3} or {@code %3 (conv1)}. */
  public String describe() {
    return name.isEmpty() ? "%" + id : "%" + id + " (" + name + ")";
  }
}
