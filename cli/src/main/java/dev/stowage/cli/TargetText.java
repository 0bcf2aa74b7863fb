package dev.stowage.cli;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Device;
import dev.stowage.base.Message;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.OperatorRule;
import dev.stowage.memmap.ReservedRange;
import dev.stowage.memmap.Target;
import dev.stowage.memmap.TargetWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.stream.Stream;

/** What {@code stowage list targets} says of a target. */
final class TargetText {
  private TargetText() {}

  /** The members of its file, but for what every item of a list has. */
  static ImmutableMap<String, Object> members(Target target) {
    ImmutableMap.Builder<String, Object> members = ImmutableMap.builder();
    TargetWriter.toJson(target)
        .properties()
        .forEach(
            member -> {
              if (!member.getKey().equals("name") && !member.getKey().equals("description")) {
                members.put(member.getKey(), member.getValue());
              }
            });
    return members.buildOrThrow();
  }

  /** Its whole budget: a row for each bank, and the sums for tensors and for constants. */
  static Table budget(Target target) {
    Table table = new Table(0, "bank", "#mem_id", "#bytes", "#address", "holds", "attributes");
    for (Bank bank : target.map().allBanks()) {
      table.row(
          bank.name(),
          bank.planned() ? String.valueOf(bank.memId()) : "",
          Text.number(bank.sizeBytes()),
          bank.baseAddress().isPresent()
              ? "0x" + Long.toHexString(bank.baseAddress().getAsLong())
              : "",
          holds(bank),
          String.join(", ", bank.attributes()));
    }
    total(table, "for tensors", target.map().banks());
    total(table, "for constants", target.map().constantBanks());
    return table;
  }

  private static String holds(Bank bank) {
    return !bank.planned() ? "constants" : bank.constants() ? "both" : "tensors";
  }

  /** What is reserved cannot be used, so it does not count. */
  private static void total(Table table, String name, ImmutableList<Bank> banks) {
    // Banks may be as large as 2^63 - 1 bytes each.
    BigInteger sum = BigInteger.ZERO;
    for (Bank bank : banks) {
      sum = sum.add(BigInteger.valueOf(bank.sizeBytes()));
      for (ReservedRange range : bank.reserved()) {
        sum = sum.subtract(BigInteger.valueOf(range.sizeBytes()));
      }
    }
    if (!banks.isEmpty()) {
      table.row(name, "", Message.format("%,d", sum), "", "", "");
    }
  }

  /** What else there is to say: of each bank, of the operators, and where it comes from. */
  static ImmutableList<String> details(Target target) {
    ImmutableList.Builder<String> details = ImmutableList.builder();
    for (Bank bank : target.map().allBanks()) {
      String more = more(bank);
      if (!more.isEmpty()) {
        details.add(bank.name() + ": " + more);
      }
    }
    target.operatorRules().forEach(rule -> details.add(text(rule)));
    details.addAll(target.sources());
    return details.build();
  }

  private static String more(Bank bank) {
    Stream.Builder<String> more = Stream.builder();
    if (!bank.device().equals(Device.CPU)) {
      more.add("on device " + bank.device());
    }
    if (bank.alignment() != 0) {
      more.add("aligned to " + Text.count(bank.alignment(), "byte"));
    }
    if (bank.maxAllocationBytes() != Bank.UNLIMITED) {
      more.add("at most " + Text.count(bank.maxAllocationBytes(), "byte") + " at a time");
    }
    if (bank.readCost() != 0 || bank.writeCost() != 0) {
      more.add(
          "a byte costs "
              + cost(bank.readCost())
              + " to read, "
              + cost(bank.writeCost())
              + " to write");
    }
    for (ReservedRange range : bank.reserved()) {
      more.add(
          Text.count(range.sizeBytes(), "byte")
              + " at "
              + Text.number(range.offsetBytes())
              + " belong to the "
              + range.owner());
    }
    bank.section().ifPresent(section -> more.add("section " + section));
    bank.source().ifPresent(source -> more.add("from " + source));
    return more.build().collect(joining("; "));
  }

  private static String cost(long millionths) {
    return BigDecimal.valueOf(millionths, 6).stripTrailingZeros().toPlainString();
  }

  private static String text(OperatorRule rule) {
    Stream.Builder<String> needs = Stream.builder();
    if (!rule.requires().isEmpty()) {
      needs.add("need banks with " + String.join(", ", rule.requires()));
    }
    if (!rule.notBanks().isEmpty()) {
      needs.add("may not be in " + String.join(", ", rule.notBanks()));
    }
    if (rule.alignment() != 0) {
      needs.add("are aligned to " + Text.count(rule.alignment(), "byte"));
    }
    if (rule.overReadBytes() != 0) {
      needs.add("are read " + Text.count(rule.overReadBytes(), "byte") + " beyond their end");
    }
    String tensors =
        switch (rule.on()) {
          case INPUTS -> "inputs";
          case RESULTS -> "results";
          case ALL -> "tensors";
        };
    return tensors
        + " of "
        + rule.op()
        + " "
        + needs.build().collect(joining(", "))
        + (rule.reason().isEmpty() ? "" : ": " + rule.reason());
  }
}
