package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.formats.ImportedModel;
import dev.stowage.ir.Method;
import dev.stowage.ir.Tensor;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.memmap.ReservedRange;
import dev.stowage.passes.PlannedMethod;

/**
 * Where the constants of a model can go beside its tensors: each bank that may hold constants is
 * filled, the preferred one first.
 *
 * <p>Bytes are counted, not single constants, and no alignment between them. So what is left over
 * certainly does not fit, while a linker may need a little more than is shown.
 *
 * @param bytes of all constants
 * @param shares the banks that may hold constants, in order of preference
 */
public record ConstantBudget(long bytes, ImmutableList<Share> shares) {
  /**
   * The constants in one bank.
   *
   * @param bank may hold constants
   * @param bytes of constants that go there
   */
  public record Share(Bank bank, long bytes) {}

  /** Bytes of constants that have no room anywhere. */
  public long leftBytes() {
    return bytes - shares.stream().mapToLong(Share::bytes).sum();
  }

  /** Bytes of constants in a bank, 0 if it has none. */
  public long bytesIn(String bank) {
    return shares.stream()
        .filter(share -> share.bank().name().equals(bank))
        .mapToLong(Share::bytes)
        .sum();
  }

  /** What the banks of a map have for constants once methods are planned. */
  static ConstantBudget of(long bytes, MemoryMap map, Iterable<PlannedMethod> methods) {
    ImmutableList.Builder<Share> shares = ImmutableList.builder();
    long left = bytes;
    for (Bank bank : map.constantBanks()) {
      long share = Math.min(left, free(bank, methods));
      shares.add(new Share(bank, share));
      left -= share;
    }
    return new ConstantBudget(bytes, shares.build());
  }

  /** What is beyond the arenas of a bank, one over the other as methods do not run at one time. */
  private static long free(Bank bank, Iterable<PlannedMethod> methods) {
    long arena = 0;
    for (PlannedMethod method : methods) {
      if (bank.planned() && method.result() instanceof PlannedMethod.Planned planned) {
        arena = Math.max(arena, planned.plan().arenaSizeBytes(bank.memId()));
      }
    }
    long free = Math.max(0, bank.sizeBytes() - arena);
    for (ReservedRange range : bank.reserved()) {
      free -= Math.max(0, range.endBytes() - Math.max(arena, range.offsetBytes()));
    }
    return Math.max(0, free);
  }

  /**
   * Bytes of the constants of a model: of those in its file, or of its constant tensors.
   *
   * @throws DiagnosticException of kind {@code input-overflow} if they are more than 2^63 - 1
   */
  static long bytesOf(ImportedModel model) {
    if (model.facts().constantBytes() != 0) {
      return model.facts().constantBytes();
    }
    long bytes = 0;
    try {
      for (Method method : model.program().methods()) {
        for (Tensor tensor : method.tensors()) {
          if (tensor.constant()
              && method.body().root(tensor.id()) == tensor.id()
              && tensor.type().bytes() > 0) {
            bytes = Math.addExact(bytes, tensor.type().bytes());
          }
        }
      }
    } catch (ArithmeticException e) {
      throw Diagnostic.of(
              Kinds.INPUT_OVERFLOW,
              Location.of(model.program().name()),
              "constants add up to more than 2^63 - 1 bytes")
          .asException();
    }
    return bytes;
  }
}
