package dev.stowage.ir.memory;

/**
 * Which of the bytes that outlive a call the plan provides; the caller provides the others.
 *
 * @param inputs of the method, state left out
 * @param outputs of the method
 * @param state what lives from one run to the next
 */
public record Allocation(boolean inputs, boolean outputs, boolean state) {
  /** The plan provides everything. */
  public static final Allocation ALL = new Allocation(true, true, true);
}
