package dev.stowage.verifier;

import dev.stowage.ir.Node;
import org.jspecify.annotations.Nullable;

/**
 * What a run of bytes holds in a replay: each byte stands for the write that made it and for how
 * far it lies from where that began. So bytes are the same only if one write made both, at the same
 * distance.
 *
 * @param write the write that made the bytes, which moves carry along
 * @param origin address at which the bytes of the write begin
 */
record Stamp(Write write, long origin) {
  /**
   * One write of a tensor. Two are the same only if they are one object.
   *
   * @param number unique among all writes of a verification
   * @param tensor the handle by which it was written
   * @param node that wrote it, or null for the caller
   * @param step at which it was written
   */
  record Write(int number, int tensor, @Nullable Node node, int step) {}

  /** The same bytes, a number of bytes further on. */
  Stamp movedBy(long bytes) {
    return new Stamp(write, origin + bytes);
  }

  /** True if a byte that both reach holds the same. */
  boolean isSameAs(Stamp other) {
    return write.number() == other.write.number() && origin == other.origin;
  }
}
