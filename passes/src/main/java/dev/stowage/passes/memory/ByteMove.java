package dev.stowage.passes.memory;

/**
 * Bytes that a node copies in one piece from one tensor to another. All of one of the two is
 * copied: the part, which has a place in the other, the whole.
 *
 * @param source tensor that is read
 * @param target tensor that is written
 * @param partIsSource true if all of the source is copied, false if all of the target is
 * @param offsetBytes where the part's bytes are in the whole
 * @param bytes how many
 */
record ByteMove(int source, int target, boolean partIsSource, long offsetBytes, long bytes) {
  /** The tensor of which all is copied. */
  int part() {
    return partIsSource ? source : target;
  }

  /** The tensor in which the part has a place. */
  int whole() {
    return partIsSource ? target : source;
  }

  /** Where the bytes begin in the target. */
  long targetOffsetBytes() {
    return partIsSource ? offsetBytes : 0;
  }
}
