package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.Device;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Suggestions;
import dev.stowage.ir.DType;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import java.util.Optional;

/**
 * Which tensors go to which pool. All members must hold that are there; without any it is every
 * tensor.
 *
 * @param place where it is written
 * @param pool where the tensors go
 * @param op matches an operator that yields or fills the bytes
 * @param name matches the name
 * @param minBytes least size
 * @param maxBytes greatest size
 */
record PoolRule(
    Place place,
    Pool pool,
    Optional<Glob> op,
    Optional<Glob> name,
    Optional<Long> minBytes,
    Optional<Long> maxBytes,
    Optional<PoolRole> role,
    Optional<DType> dtype,
    Optional<Device> device) {

  /** Where a rule is written, for errors about it. */
  sealed interface Place {
    /** An error about the rule as a whole. */
    Diagnostic diagnose(DiagnosticKind kind, String message);

    /** An error about the bank that it names. */
    Diagnostic diagnoseBank(DiagnosticKind kind, String message);

    /** What the rule is called in messages. */
    String title();
  }

  /** A rule that is a pass of the pipeline. */
  record InPipeline(Call call) implements Place {
    @Override
    public Diagnostic diagnose(DiagnosticKind kind, String message) {
      return call.diagnose(kind, message);
    }

    @Override
    public Diagnostic diagnoseBank(DiagnosticKind kind, String message) {
      return call.diagnoseValue("bank", kind, message);
    }

    @Override
    public String title() {
      return call.toString();
    }
  }

  /** A rule of a file, by its index. */
  record InFile(String file, int index) implements Place {
    @Override
    public Diagnostic diagnose(DiagnosticKind kind, String message) {
      return Diagnostic.of(kind, new Location(file, path()), message);
    }

    @Override
    public Diagnostic diagnoseBank(DiagnosticKind kind, String message) {
      return Diagnostic.of(kind, new Location(file, path() + ".bank"), message);
    }

    @Override
    public String title() {
      return path() + " of " + file;
    }

    /** Where the rule is in the file. */
    String path() {
      return "rules[" + index + "]";
    }
  }

  /** An arena, by its number or by the name of a bank. */
  sealed interface Pool {}

  /** The arena of a number. */
  record MemId(int memId) implements Pool {}

  /** The arena of a bank. */
  record BankName(String bank) implements Pool {}

  /** True if all members hold. */
  boolean matches(PoolCandidate candidate) {
    return name.map(it -> it.matches(candidate.name())).orElse(true)
        && op.map(it -> candidate.ops().stream().anyMatch(it::matches)).orElse(true)
        && minBytes.map(it -> candidate.bytes() >= it).orElse(true)
        && maxBytes.map(it -> candidate.bytes() <= it).orElse(true)
        && role.map(candidate.roles()::contains).orElse(true)
        && dtype.map(candidate.dtype()::equals).orElse(true)
        && device.map(candidate.device()::equals).orElse(true);
  }

  /**
   * The number of the pool.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code map-unknown-bank}
   */
  int memId(Optional<MemoryMap> map) {
    if (pool instanceof MemId number) {
      return number.memId();
    }
    String wanted = ((BankName) pool).bank();
    if (map.isEmpty()) {
      throw place
          .diagnoseBank(
              Kinds.MAP_UNKNOWN_BANK,
              "there is no bank '" + wanted + "', as there is no memory map")
          .help("plan for a target with banks, or name the arena by its number")
          .asException();
    }
    ImmutableList<Bank> banks = map.get().banks();
    for (Bank bank : banks) {
      if (bank.name().equals(wanted)) {
        return bank.memId();
      }
    }
    throw place
        .diagnoseBank(Kinds.MAP_UNKNOWN_BANK, "the memory map has no bank '" + wanted + "'")
        .help(
            Suggestions.help(
                wanted, banks.stream().map(Bank::name).collect(ImmutableList.toImmutableList())))
        .asException();
  }
}
