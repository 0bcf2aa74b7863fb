package dev.stowage.formats.problem;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What a caller adds to a problem file.
 *
 * @param alignment of offsets and sizes in bytes, in place of the file's
 * @param capacityBytes capacity of arena 1 where the file has no banks
 */
public record ProblemOptions(OptionalInt alignment, OptionalLong capacityBytes) {
  /** The file as it is. */
  public static final ProblemOptions NONE =
      new ProblemOptions(OptionalInt.empty(), OptionalLong.empty());

  /** The same with an alignment in bytes, 1 or more. */
  public ProblemOptions withAlignment(int bytes) {
    return new ProblemOptions(OptionalInt.of(bytes), capacityBytes);
  }

  /** The same with a capacity in bytes. */
  public ProblemOptions withCapacity(long bytes) {
    return new ProblemOptions(alignment, OptionalLong.of(bytes));
  }
}
