package dev.stowage.memmap;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a file says of one bank, which may be only what differs from the bank of another map. */
final class BankDraft {
  /** Where it is in the file, such as {@code banks[2]}. */
  final String path;

  @Nullable String name;
  @Nullable Long sizeBytes;
  @Nullable Integer memId;
  boolean constantsOnly;
  boolean removed;

  /** True if something in it could not be read. */
  boolean faulty;

  /** How many members there are. */
  int members;

  /** What the other members do to a bank. */
  final List<Consumer<Bank.Builder>> edits = new ArrayList<>();

  BankDraft(String path) {
    this.path = path;
  }

  /**
   * A bank that has just these members. Where the name, the size or the mem_id is missing, it is a
   * stand-in in which the other members can still be checked.
   */
  Bank build() {
    Bank.Builder builder =
        Bank.builder(name == null ? path : name, sizeBytes == null ? 1 : sizeBytes, 0);
    edits.forEach(edit -> edit.accept(builder));
    if (sizeBytes == null) {
      builder.withoutBytes();
    }
    if (memId == null) {
      builder.constantsOnly();
    } else {
      builder.memId(memId);
    }
    return builder.build();
  }

  /**
   * A bank that has these members, and the others from another bank; of what is reserved there,
   * only what lies in the new size.
   */
  Bank over(Bank base) {
    Bank.Builder builder = base.toBuilder();
    if (sizeBytes != null) {
      builder.size(sizeBytes);
      builder.reserved(within(base.reserved(), sizeBytes));
    }
    if (memId != null) {
      builder.memId(memId);
    }
    edits.forEach(edit -> edit.accept(builder));
    return builder.build();
  }

  private static List<ReservedRange> within(List<ReservedRange> ranges, long size) {
    List<ReservedRange> kept = new ArrayList<>();
    for (ReservedRange range : ranges) {
      long end = Math.min(range.endBytes(), size);
      if (range.offsetBytes() < end) {
        kept.add(new ReservedRange(range.offsetBytes(), end - range.offsetBytes(), range.owner()));
      }
    }
    return kept;
  }
}
