package dev.stowage.passes.lowering;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableSortedSet;
import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.base.Device;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Limits;
import dev.stowage.planning.PlanningProblem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Puts a problem together: the arenas of the target, then buffers in collection order. */
final class ProblemAssembly {
  /** What ExecuTorch adds to arenas for XNNPACK, whose kernels read past the end. */
  private static final long XNNPACK_PADDING_BYTES = 64;

  /** Plans list the arenas up to the highest mem_id in use. */
  private final PlanningProblem.Builder builder;

  private final ImmutableIntArray.Builder numbers = ImmutableIntArray.builder();
  private final List<Integer> storages = new ArrayList<>();
  private final Map<Integer, Integer> arenaByMemId = new HashMap<>();
  private final Map<List<Integer>, Integer> arenaSets = new HashMap<>();
  private final Method method;

  private final Optional<MemoryMap> map;

  /**
   * Starts a problem.
   *
   * @param pins the mem_ids that buffers will be pinned to
   * @param firstStep what step 0 is called in messages
   * @throws DiagnosticException of kind {@code input-value} if one of them is no arena
   */
  ProblemAssembly(Method method, LoweringTarget target, Iterable<Integer> pins, int firstStep) {
    this.method = method;
    map = target.map();
    builder =
        PlanningProblem.builder(method.name())
            .alignment(target.alignment())
            .speakOf("tensor", firstStep);
    long padding = callsXnnpack(method.entry()) ? XNNPACK_PADDING_BYTES : 0;
    if (target.map().isPresent()) {
      for (Bank bank : target.map().get().banks()) {
        Arena arena = Arena.of(bank).withReserved(0, padding);
        // What is on another device is kept to its banks, and nothing else may go there.
        add(bank.device().isCpu() ? arena : arena.closed());
      }
    } else {
      add(
          Arena.of(1)
              .withCapacity(target.capacity().orElse(Arena.UNLIMITED))
              .withReserved(0, padding));
    }
    for (int memId : ImmutableSortedSet.copyOf(pins)) {
      if (memId < 1 || memId > Limits.MAX_MEM_ID) {
        throw Diagnostic.of(
                Kinds.INPUT_VALUE,
                Location.at(method.name()),
                Message.format(
                    "a tensor is pinned to mem_id %d, which is not in 1..%d",
                    memId, Limits.MAX_MEM_ID))
            .asException();
      }
      if (!arenaByMemId.containsKey(memId)) {
        add(Arena.of(memId).withReserved(0, padding).closed());
      }
    }
  }

  private void add(Arena arena) {
    arenaByMemId.put(arena.memId(), builder.addArena(arena));
  }

  /** Adds a buffer and returns its index; see {@link LoweredProblem} for the parameters. */
  int add(String label, long sizeBytes, int first, int last, int number, int storage) {
    int buffer = builder.addBuffer(sizeBytes, first, last);
    if (number >= 0) {
      builder.bufferNumber(buffer, number);
    }
    if (!label.isEmpty()) {
      builder.bufferName(buffer, label);
    }
    numbers.add(number);
    storages.add(storage);
    if (storage != LoweredProblem.NO_STORAGE) {
      constrain(buffer, storage);
    }
    return buffer;
  }

  private void constrain(int buffer, int storage) {
    method
        .get(MemoryKeys.ALIGN, storage)
        .ifPresent(bytes -> builder.bufferAlignment(buffer, bytes));
    method.get(MemoryKeys.OVER_READ, storage).ifPresent(bytes -> builder.overRead(buffer, bytes));
    method
        .get(MemoryKeys.FIXED_OFFSET, storage)
        .ifPresent(offset -> builder.fixedOffset(buffer, offset));
    ImmutableIntArray forbidden =
        method.get(MemoryKeys.NOT_ARENAS, storage).orElse(ImmutableIntArray.of());
    Device device = method.get(MemoryKeys.DEVICE, storage).orElse(Device.CPU);
    if (map.isEmpty() || (forbidden.isEmpty() && device.isCpu())) {
      return;
    }
    List<Integer> open = new ArrayList<>();
    for (Bank bank : map.get().banksOf(device)) {
      if (!forbidden.contains(bank.memId())) {
        open.add(requireNonNull(arenaByMemId.get(bank.memId())));
      }
    }
    builder.arenaSet(buffer, arenaSets.computeIfAbsent(open, this::addArenaSet));
  }

  private int addArenaSet(List<Integer> members) {
    return builder.addArenaSet(members.stream().mapToInt(arena -> arena).toArray());
  }

  /**
   * Pins a buffer to an arena.
   *
   * @throws DiagnosticException of kind {@code constraints-conflict} if it is the bank of another
   *     device
   */
  void pin(int buffer, int memId) {
    int storage = storages.get(buffer);
    Device device =
        storage == LoweredProblem.NO_STORAGE
            ? Device.CPU
            : method.get(MemoryKeys.DEVICE, storage).orElse(Device.CPU);
    if (map.isPresent()
        && map.get().manages(memId)
        && !map.get().bank(memId).device().equals(device)) {
      throw Diagnostic.of(
              Kinds.CONSTRAINTS_CONFLICT,
              Location.at(method.name()),
              Message.format(
                  "tensor %%%d is on device %s, but pinned to bank '%s', which is on %s",
                  storage, device, map.get().bank(memId).name(), map.get().bank(memId).device()))
          .help("pin it to a bank of its device, or not at all")
          .asException();
    }
    builder.pin(buffer, requireNonNull(arenaByMemId.get(memId)));
  }

  /** Puts a buffer into another's bytes; {@code derived} if a pass has chosen so. */
  void storage(int buffer, int base, long offsetBytes, boolean derived) {
    builder.storage(buffer, base, offsetBytes);
    if (derived) {
      builder.chosenPart(buffer);
    }
  }

  LoweredProblem build() {
    return new LoweredProblem(builder.build(), numbers.build(), ImmutableIntArray.copyOf(storages));
  }

  private static boolean callsXnnpack(Graph graph) {
    return graph.nodes().stream()
        .map(node -> node.attributes().getOrDefault(Node.BACKEND, ""))
        .anyMatch(backend -> backend.toLowerCase(Locale.ROOT).contains("xnnpack"));
  }
}
