package dev.stowage.passes.lowering;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableSortedSet;
import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.memmap.Bank;
import dev.stowage.planning.Arena;
import dev.stowage.planning.Limits;
import dev.stowage.planning.PlanningProblem;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Puts a problem together: the arenas of the target, then buffers in collection order. */
final class ProblemAssembly {
  /** What ExecuTorch adds to arenas for XNNPACK, whose kernels read past the end. */
  private static final long XNNPACK_PADDING_BYTES = 64;

  /** Plans list the arenas up to the highest mem_id in use. */
  private final PlanningProblem.Builder builder;

  private final ImmutableIntArray.Builder numbers = ImmutableIntArray.builder();
  private final ImmutableIntArray.Builder storages = ImmutableIntArray.builder();
  private final Map<Integer, Integer> arenaByMemId = new HashMap<>();

  /**
   * Starts a problem.
   *
   * @param pins the mem_ids that buffers will be pinned to
   * @throws DiagnosticException of kind {@code input-value} if one of them is no arena
   */
  ProblemAssembly(Method method, LoweringTarget target, Iterable<Integer> pins) {
    builder = PlanningProblem.builder(method.name()).alignment(target.alignment());
    long padding = callsXnnpack(method.entry()) ? XNNPACK_PADDING_BYTES : 0;
    if (target.map().isPresent()) {
      for (Bank bank : target.map().get().banks()) {
        add(
            Arena.of(bank.memId())
                .withName(bank.name())
                .withCapacity(bank.sizeBytes())
                .withAlignment(bank.alignment(), 0)
                .withReserved(0, padding));
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
    if (!label.isEmpty()) {
      builder.bufferName(buffer, label);
    }
    numbers.add(number);
    storages.add(storage);
    return buffer;
  }

  /** Pins a buffer to an arena. */
  void pin(int buffer, int memId) {
    builder.pin(buffer, requireNonNull(arenaByMemId.get(memId)));
  }

  /** Puts a buffer into another's bytes. */
  void storage(int buffer, int base, long offsetBytes) {
    builder.storage(buffer, base, offsetBytes);
  }

  LoweredProblem build() {
    return new LoweredProblem(builder.build(), numbers.build(), storages.build());
  }

  private static boolean callsXnnpack(Graph graph) {
    return graph.nodes().stream()
        .map(node -> node.attributes().getOrDefault(Node.BACKEND, ""))
        .anyMatch(backend -> backend.toLowerCase(Locale.ROOT).contains("xnnpack"));
  }
}
