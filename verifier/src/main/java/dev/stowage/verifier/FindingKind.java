package dev.stowage.verifier;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What can be wrong with a plan; {@code docs/findings.md} explains each. */
public enum FindingKind {
  /** Two live at one time share bytes. */
  OVERLAP("two tensors that are live at the same time share bytes"),
  /** Two live at one time share bytes, but only because an in-place result is read later on. */
  IN_PLACE_OVERLAP("bytes are given away while the result of an in-place operator is still read"),
  /** A returned in-place result lies in planned bytes, though the caller provides outputs. */
  IN_PLACE_OUTPUT("a returned in-place result has a place, though the caller provides outputs"),
  /** Two parts of one storage base share bytes while both are live. */
  SIBLING_OVERLAP("two live parts of one storage base share bytes"),
  /** A node that is marked to move nothing would have to. */
  NOT_IN_PLACE("a node is marked to move nothing, but its tensors do not lie so"),
  /** Two that share bytes name different shared objects of one arena. */
  OBJECT_MISMATCH("two tensors that share bytes are in different shared objects"),
  /** Some name a shared object and some do not. */
  OBJECT_INCOMPLETE("some tensors of an arena are in shared objects and some are not"),
  /** An offset is no multiple of the alignment in force. */
  MISALIGNED("an offset is no multiple of the alignment"),
  /**
   * An offset is no multiple of the alignment only because the reserved bytes before it are not.
   */
  RESERVED_MISALIGNED("an offset follows a reserved size that is no multiple of the alignment"),
  /** A range ends past its arena. */
  OUTSIDE_ARENA("a tensor reaches past the end of its arena"),
  /** An arena is larger than its bank. */
  OVER_CAPACITY("an arena is larger than its bank"),
  /** A single allocation is larger than its bank gives at once. */
  OVER_MAX_ALLOCATION("a tensor takes more bytes than its bank gives at once"),
  /** A range begins inside the bytes reserved at the start of its arena. */
  IN_RESERVED("a tensor lies in bytes that are reserved"),
  /** What the plan must place has no place. */
  NOT_PLACED("a tensor that the plan must place has no place"),
  /** A tensor has two places. */
  PLACED_TWICE("a tensor has two places"),
  /** The plan names what the model does not have. */
  UNKNOWN_TENSOR("the plan names a tensor that the model does not have"),
  /** What somebody else provides has a place. */
  NOT_OURS("a tensor whose bytes somebody else provides has a place"),
  /** A pinned tensor lies in another arena. */
  WRONG_ARENA("a tensor is not in the arena it is pinned to"),
  /** A tensor without a pin lies in an arena that takes pins only, or is not one of the problem. */
  CLOSED_ARENA("a tensor lies in an arena that is not open to it"),
  /** A fixed offset is not kept. */
  WRONG_OFFSET("a tensor is not at the offset it is fixed to"),
  /** What lies in a storage base is not at its offset there. */
  STORAGE_MISPLACED("a tensor is not where its storage base says"),
  /** What lies in a storage base reaches past its end. */
  STORAGE_OUTSIDE_BASE("a tensor reaches past the end of its storage base"),
  /** Two that must not share bytes do. */
  SEPARATION("two tensors that must not share bytes do"),
  /** Inputs or outputs are not allocated as the options say. */
  INPUT_OUTPUT("an input or output is not allocated as the options say"),
  /** In a replay, what is read was written by another. */
  CLOBBER("a read finds bytes that another tensor has written"),
  /** The same, where one of the two is known by the result of an in-place operator. */
  IN_PLACE_CLOBBER("a read finds bytes that another has written, one of them in place"),
  /** The same, where both are parts of one storage base. */
  SIBLING_CLOBBER("a read finds bytes that another part of its storage base has written");

  private final String summary;

  FindingKind(String summary) {
    this.summary = summary;
  }

  /** One line without a full stop. */
  public String summary() {
    return summary;
  }

  /** The kind of a word from a file. */
  public static Optional<FindingKind> ofName(String name) {
    return Arrays.stream(values()).filter(kind -> kind.toString().equals(name)).findFirst();
  }

  /** Kebab-case word, as in files. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
