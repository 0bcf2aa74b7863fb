package dev.stowage.passes.lowering;

import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.planning.Arena;
import dev.stowage.planning.PlanningProblem;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.TreeSet;

/** Puts a problem together: the arenas of the target, then buffers in collection order. */
final class ProblemAssembly {
  /** What ExecuTorch adds to arenas for XNNPACK, whose kernels read past the end. */
  private static final long XNNPACK_PADDING_BYTES = 64;

  private final PlanningProblem.Builder builder;
  private final ImmutableIntArray.Builder numbers = ImmutableIntArray.builder();
  private final ImmutableIntArray.Builder storages = ImmutableIntArray.builder();
  private final int[] arenaByMemId;

  /**
   * Starts a problem.
   *
   * @param pins the mem_ids that buffers will be pinned to
   */
  ProblemAssembly(Method method, LoweringTarget target, Iterable<Integer> pins) {
    builder = PlanningProblem.builder(method.name()).alignment(target.alignment());
    long padding = callsXnnpack(method.entry()) ? XNNPACK_PADDING_BYTES : 0;
    NavigableSet<Integer> undeclared = new TreeSet<>();
    pins.forEach(undeclared::add);
    int highest = undeclared.isEmpty() ? 1 : undeclared.last();
    if (target.map().isPresent()) {
      MemoryMap map = target.map().get();
      for (Bank bank : map.banks()) {
        highest = Math.max(highest, bank.memId());
        undeclared.remove(bank.memId());
        builder.addArena(
            Arena.of(bank.memId())
                .withName(bank.name())
                .withCapacity(bank.sizeBytes())
                .withAlignment(bank.alignment(), 0)
                .withReserved(0, padding));
      }
    } else {
      undeclared.remove(1);
      builder.addArena(
          Arena.of(1)
              .withCapacity(target.capacity().orElse(Arena.UNLIMITED))
              .withReserved(0, padding));
    }
    for (int memId : undeclared) {
      builder.addArena(Arena.of(memId).withReserved(0, padding).closed());
    }
    arenaByMemId = new int[highest + 1];
    int index = 0;
    if (target.map().isPresent()) {
      for (Bank bank : target.map().get().banks()) {
        arenaByMemId[bank.memId()] = index++;
      }
    } else {
      arenaByMemId[1] = index++;
    }
    for (int memId : undeclared) {
      arenaByMemId[memId] = index++;
    }
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
    builder.pin(buffer, arenaByMemId[memId]);
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
