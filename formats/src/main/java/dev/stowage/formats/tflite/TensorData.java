package dev.stowage.formats.tflite;

/**
 * What the file has of a tensor beside its type.
 *
 * @param start of its data in the file, in bytes; -1 where it has none, or not in this file
 * @param bytes of data
 */
record TensorData(long start, long bytes, Scaling scaling) {
  /**
   * What the numbers of a quantized tensor stand for. Those of two tensors stand for the same if
   * these are equal and there is one scale.
   *
   * @param scales how many there are
   * @param scale the bits of the first
   * @param zeroPoint the first
   */
  record Scaling(int scales, long scale, long zeroPoint) {
    /** Numbers that stand for themselves. */
    static final Scaling NONE = new Scaling(0, 0, 0);
  }
}
