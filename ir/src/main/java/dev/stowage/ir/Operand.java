package dev.stowage.ir;

/**
 * One use of a tensor by a node.
 *
 * @param tensor its id, or {@link #HOLE} for an optional argument that is left out
 * @param position of the argument in the call; several operands share one where the argument is a
 *     list
 * @param access what the node does with the bytes
 */
public record Operand(int tensor, int position, Access access) {
  /** Stands for an optional argument that is left out. */
  public static final int HOLE = -1;

  /** What a node does with the bytes of an operand. */
  public enum Access {
    READ,
    WRITE,
    READ_WRITE,
    /** Nothing: it only passes the handle on, or binds it. */
    BIND,
  }

  /** True for an argument that is left out. */
  public boolean isHole() {
    return tensor == HOLE;
  }
}
