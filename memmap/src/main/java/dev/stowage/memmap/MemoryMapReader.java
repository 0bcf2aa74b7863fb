package dev.stowage.memmap;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.json.JsonCursor;

/** Reads the memory map that a file of another kind has as a list of banks. */
public final class MemoryMapReader {
  private MemoryMapReader() {}

  /**
   * The map of the banks at the cursor, with the members that the banks of a target file have.
   *
   * @param cursor at the value of a member {@code banks} of a document
   * @throws DiagnosticException that names everything that is wrong with the banks; of a kind
   *     {@code input-*} or {@code map-*}
   */
  public static MemoryMap read(JsonCursor cursor) {
    Faults faults = new Faults(cursor);
    ImmutableList<Bank> banks;
    try {
      ImmutableList<BankDraft> drafts = new BankReader(cursor, faults).read();
      banks = new MapDraft(drafts, null, faults).build();
    } catch (DiagnosticException e) {
      throw faults.and(e);
    }
    faults.throwIfAny();
    return MemoryMap.of(banks);
  }
}
