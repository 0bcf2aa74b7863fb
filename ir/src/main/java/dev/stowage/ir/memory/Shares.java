package dev.stowage.ir.memory;

/**
 * Sharing that somebody chose: the storage lies inside another tensor's bytes.
 *
 * @param base id of the tensor whose bytes these are part of
 * @param offsetBytes where they begin in it; as declared, so it may be wrong
 * @param derived true if a pass chose it, so that the verifier proves it anew; false if the model
 *     declares it
 */
public record Shares(int base, long offsetBytes, boolean derived) {}
