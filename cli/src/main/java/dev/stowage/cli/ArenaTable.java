package dev.stowage.cli;

import dev.stowage.base.Message;
import dev.stowage.driver.ConstantBudget;
import dev.stowage.planning.Arena;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningProblem;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The arenas of a plan as a table: with banks the whole budget, without them the bounds. */
final class ArenaTable {
  private final PlanningProblem problem;
  private final MemoryPlan plan;
  private final LowerBounds bounds;
  private final @Nullable ConstantBudget constants;
  private final int[] tensors;

  private ArenaTable(
      PlanningProblem problem,
      MemoryPlan plan,
      LowerBounds bounds,
      @Nullable ConstantBudget constants) {
    this.problem = problem;
    this.plan = plan;
    this.bounds = bounds;
    this.constants = constants;
    tensors = new int[problem.arenaCount()];
    for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
      tensors[plan.arena(buffer)]++;
    }
  }

  /** Writes the table of a plan; nothing if there is nothing in any arena. */
  static void append(
      StringBuilder text,
      Style style,
      PlanningProblem problem,
      MemoryPlan plan,
      LowerBounds bounds,
      Optional<ConstantBudget> constants) {
    ArenaTable it = new ArenaTable(problem, plan, bounds, constants.orElse(null));
    List<Integer> shown = new ArrayList<>();
    boolean banks = constants.isPresent();
    for (int a = 0; a < problem.arenaCount(); a++) {
      boolean bank = problem.arena(a).capacityBytes() != Arena.UNLIMITED;
      banks |= bank;
      if (bank || it.tensors[a] > 0 || it.size(a) > 0) {
        shown.add(a);
      }
    }
    if (!shown.isEmpty()) {
      (banks ? it.budget(shown) : it.ratios(shown)).appendTo(text, style);
    }
    long left = constants.map(ConstantBudget::leftBytes).orElse(0L);
    if (left > 0) {
      String line =
          Message.format(
              "%,d of the %,d bytes of constants fit in no bank that may hold them",
              left, constants.orElseThrow().bytes());
      text.append("  ").append(style.warning(line)).append('\n');
    }
  }

  /** Rounded up, so that 1.000 is said of nothing that is above the bound. */
  static String ratio(long bytes, long bound) {
    if (bound == 0) {
      return "-";
    }
    BigDecimal ratio =
        BigDecimal.valueOf(bytes).divide(BigDecimal.valueOf(bound), 3, RoundingMode.CEILING);
    return String.format(Locale.ROOT, "%.3f", ratio);
  }

  private Table ratios(List<Integer> shown) {
    Table table = new Table(2, "arena", "#bytes", "#lower bound", "#ratio", "#tensors");
    for (int a : shown) {
      table.row(
          problem.arena(a).name(),
          Text.number(size(a)),
          numberOrDash(bound(a)),
          ratio(size(a), bound(a)),
          Text.number(tensors[a]));
    }
    if (shown.size() > 1) {
      table.row(
          "total",
          Text.number(plan.totalBytes()),
          numberOrDash(bounds.provenBytes()),
          ratio(plan.totalBytes(), bounds.provenBytes()),
          Text.number(problem.bufferCount()));
    }
    return table;
  }

  private Table budget(List<Integer> shown) {
    Table table =
        constants == null
            ? new Table(2, "bank", "#bytes", "#capacity", "#used", "#tensors", "#lower bound")
            : new Table(
                2,
                "bank",
                "#bytes",
                "#constants",
                "#capacity",
                "#used",
                "#tensors",
                "#lower bound");
    Totals totals = new Totals();
    for (int a : shown) {
      Arena arena = problem.arena(a);
      long ofConstants = constants == null ? 0 : constants.bytesIn(arena.name());
      totals.add(size(a), ofConstants, arena.capacityBytes());
      row(
          table,
          arena.name(),
          Text.number(size(a)),
          numberOrDash(ofConstants),
          arena.capacityBytes() == Arena.UNLIMITED ? "" : Text.number(arena.capacityBytes()),
          used(
              BigInteger.valueOf(size(a)).add(BigInteger.valueOf(ofConstants)),
              BigInteger.valueOf(arena.capacityBytes())),
          Text.number(tensors[a]),
          numberOrDash(bound(a)));
    }
    if (constants != null) {
      for (ConstantBudget.Share share : constants.shares()) {
        if (!share.bank().planned()) {
          totals.add(0, share.bytes(), share.bank().sizeBytes());
          row(
              table,
              share.bank().name(),
              "",
              numberOrDash(share.bytes()),
              Text.number(share.bank().sizeBytes()),
              used(BigInteger.valueOf(share.bytes()), BigInteger.valueOf(share.bank().sizeBytes())),
              "",
              "");
        }
      }
    }
    row(
        table,
        "total",
        Text.number(plan.totalBytes()),
        Message.format("%,d", totals.constants),
        totals.limited ? Message.format("%,d", totals.capacity) : "",
        totals.limited ? used(totals.bytes, totals.capacity) : "",
        Text.number(problem.bufferCount()),
        numberOrDash(bounds.provenBytes()));
    return table;
  }

  private void row(Table table, String name, String bytes, String ofConstants, String... rest) {
    List<String> cells = new ArrayList<>(List.of(name, bytes));
    if (constants != null) {
      cells.add(ofConstants);
    }
    cells.addAll(List.of(rest));
    table.row(cells.toArray(String[]::new));
  }

  /** Sums; banks may be as large as 2^63 - 1 bytes each. */
  private static final class Totals {
    private BigInteger bytes = BigInteger.ZERO;
    private BigInteger constants = BigInteger.ZERO;
    private BigInteger capacity = BigInteger.ZERO;
    private boolean limited = true;

    void add(long ofTensors, long ofConstants, long ofBank) {
      constants = constants.add(BigInteger.valueOf(ofConstants));
      bytes = bytes.add(BigInteger.valueOf(ofTensors)).add(BigInteger.valueOf(ofConstants));
      capacity = capacity.add(BigInteger.valueOf(ofBank));
      limited &= ofBank != Arena.UNLIMITED;
    }
  }

  private long size(int arena) {
    return plan.arenaSizeBytes(problem.arena(arena).memId());
  }

  private long bound(int arena) {
    int memId = problem.arena(arena).memId();
    long[] byMemId = bounds.byMemId();
    return memId < byMemId.length ? byMemId[memId] : 0;
  }

  private static String numberOrDash(long value) {
    return value == 0 ? "-" : Text.number(value);
  }

  /** Per cent, rounded up to a tenth, so that only what is empty is 0; none of what has no end. */
  private static String used(BigInteger bytes, BigInteger capacity) {
    if (capacity.signum() == 0 || capacity.equals(BigInteger.valueOf(Arena.UNLIMITED))) {
      return "-";
    }
    return new BigDecimal(bytes.multiply(BigInteger.valueOf(100)))
            .divide(new BigDecimal(capacity), 1, RoundingMode.CEILING)
        + "%";
  }
}
