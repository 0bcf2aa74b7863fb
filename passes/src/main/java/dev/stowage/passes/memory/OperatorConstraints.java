package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.math.LongMath;
import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.base.Device;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.ir.Graph;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.memmap.OperatorRule;
import dev.stowage.memmap.OperatorRule.Operands;
import dev.stowage.planning.Limits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What the rules of a target ask of the storages of one method, added to what is asked already. */
public final class OperatorConstraints {
  private final Method method;
  private final MemoryMap map;
  private final Iterable<OperatorRule> rules;
  private final Map<Integer, Demand> demands = new LinkedHashMap<>();
  private int count;

  /** What is asked of one storage, and by which rules. */
  private static final class Demand {
    final TreeSet<Integer> forbidden = new TreeSet<>();
    long alignment = 1;
    long overReadBytes;
    final List<String> causes = new ArrayList<>();
  }

  /**
   * The constraints of a method.
   *
   * @param map the banks that the rules speak of
   */
  public OperatorConstraints(Method method, MemoryMap map, Iterable<OperatorRule> rules) {
    this.method = method;
    this.map = map;
    this.rules = rules;
  }

  /**
   * A method with what the rules of its target ask; the same one if that is nothing more, or there
   * is no target.
   *
   * @throws dev.stowage.base.DiagnosticException as {@link #apply} does
   */
  public static Method applied(
      Method method, Optional<MemoryMap> map, ImmutableList<OperatorRule> rules) {
    return map.isEmpty() || rules.isEmpty()
        ? method
        : new OperatorConstraints(method, map.get(), rules).apply();
  }

  /**
   * The method with the constraints on its storages; the same one if there are none.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code constraints-conflict} if no bank is
   *     left for a tensor, or its alignments together are above the limit
   */
  public Method apply() {
    for (OperatorRule rule : rules) {
      Glob operators = new Glob(rule.op());
      for (Graph graph : method.body().graphs()) {
        for (Node node : graph.nodes()) {
          if (operators.matches(node.op())) {
            demand(rule, node);
          }
        }
      }
    }
    GraphEditor editor = method.edit();
    demands.forEach((storage, demand) -> annotate(editor, storage, demand));
    Method constrained = editor.build();
    return constrained.equals(method) ? method : constrained;
  }

  /** How many storages have got constraints, or had them before. */
  public int count() {
    return count;
  }

  private void demand(OperatorRule rule, Node node) {
    for (Operand operand : node.operands()) {
      if (!operand.isHole() && operand.access() != Access.BIND && concerns(rule, operand)) {
        demand(rule, node, operand.tensor());
      }
    }
    if (rule.on() != Operands.INPUTS) {
      node.results().stream().forEach(tensor -> demand(rule, node, tensor));
    }
  }

  private static boolean concerns(OperatorRule rule, Operand operand) {
    return switch (rule.on()) {
      case ALL -> true;
      case INPUTS -> operand.access() != Access.WRITE;
      case RESULTS -> operand.access() != Access.READ;
    };
  }

  private void demand(OperatorRule rule, Node node, int tensor) {
    int storage = method.body().root(tensor);
    if (method.tensor(storage).constant()) {
      return;
    }
    Demand demand = demands.computeIfAbsent(storage, it -> new Demand());
    for (Bank bank : map.banks()) {
      if (rule.notBanks().contains(bank.name())
          || !bank.attributes().containsAll(rule.requires())) {
        demand.forbidden.add(bank.memId());
      }
    }
    demand.alignment = lcm(demand.alignment, Math.max(1, rule.alignment()), storage);
    demand.overReadBytes = Math.max(demand.overReadBytes, rule.overReadBytes());
    String cause =
        "node "
            + node.id()
            + " ("
            + node.op()
            + "): "
            + say(rule)
            + (rule.reason().isEmpty() ? "" : ": " + rule.reason());
    if (!demand.causes.contains(cause)) {
      demand.causes.add(cause);
    }
  }

  private static String say(OperatorRule rule) {
    List<String> parts = new ArrayList<>();
    if (!rule.requires().isEmpty()) {
      parts.add("requires " + String.join(", ", rule.requires()));
    }
    if (!rule.notBanks().isEmpty()) {
      parts.add("never " + String.join(", ", rule.notBanks()));
    }
    if (rule.alignment() > 1) {
      parts.add("alignment " + rule.alignment());
    }
    return "the rule for " + rule.op() + (parts.isEmpty() ? "" : " " + String.join("; ", parts));
  }

  private void annotate(GraphEditor editor, int storage, Demand demand) {
    method
        .get(MemoryKeys.NOT_ARENAS, storage)
        .ifPresent(memIds -> demand.forbidden.addAll(memIds.asList()));
    demand.alignment =
        lcm(demand.alignment, method.get(MemoryKeys.ALIGN, storage).orElse(1), storage);
    demand.overReadBytes =
        Math.max(demand.overReadBytes, method.get(MemoryKeys.OVER_READ, storage).orElse(0L));
    checkBankLeft(storage, demand);
    if (!demand.forbidden.isEmpty()) {
      editor.annotate(storage, MemoryKeys.NOT_ARENAS, ImmutableIntArray.copyOf(demand.forbidden));
    }
    if (demand.alignment > 1) {
      editor.annotate(storage, MemoryKeys.ALIGN, Math.toIntExact(demand.alignment));
    }
    if (demand.overReadBytes > 0) {
      editor.annotate(storage, MemoryKeys.OVER_READ, demand.overReadBytes);
    }
    boolean asks = !demand.forbidden.isEmpty() || demand.alignment > 1 || demand.overReadBytes > 0;
    count += asks ? 1 : 0;
  }

  private void checkBankLeft(int storage, Demand demand) {
    Device device = method.get(MemoryKeys.DEVICE, storage).orElse(Device.CPU);
    ImmutableSortedSet<Integer> banks =
        map.banksOf(device).stream()
            .map(Bank::memId)
            .collect(ImmutableSortedSet.toImmutableSortedSet(Comparator.naturalOrder()));
    if (banks.isEmpty() || !demand.forbidden.containsAll(banks)) {
      return;
    }
    throw fault(storage, "no bank is left for " + method.tensor(storage).describe())
        .note(demand.causes.stream().limit(8).collect(Collectors.joining("; ")))
        .help("loosen one of these rules of the target, or copy the tensor between the operators")
        .asException();
  }

  private long lcm(long one, long other, int storage) {
    long lcm = one / LongMath.gcd(one, other) * other;
    if (lcm > Limits.MAX_ALIGNMENT) {
      Tensor tensor = method.tensor(storage);
      throw fault(
              storage,
              "the alignments "
                  + one
                  + " and "
                  + other
                  + " of "
                  + tensor.describe()
                  + " together are "
                  + lcm
                  + ", which is above "
                  + Limits.MAX_ALIGNMENT)
          .help("use alignments that are powers of two")
          .asException();
    }
    return lcm;
  }

  private Diagnostic fault(int storage, String message) {
    return Diagnostic.of(
        Kinds.CONSTRAINTS_CONFLICT,
        Location.at(method.name() + "/" + method.tensor(storage).describe()),
        message);
  }
}
