package dev.stowage.verifier;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ListMultimap;
import dev.stowage.ir.Alias;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.memory.MemoryKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * When the storages of a method are live, found from nothing but alias edges, accesses, calls,
 * jumps, and what the method says of nodes that storages must outlast.
 *
 * <p>Implementation note. All graphs are walked end to end on one clock, a graph as often as it is
 * called. A storage is live from its first access to its last. In a loop, a value that is read but
 * not surely written before in the same trip comes from before the loop or from the trip before: it
 * is live over the whole loop. "Surely written" is kept as the step of the last write that is
 * certain to have happened; writes in a branch, or in what a jump may skip, are certain only there,
 * so they are logged and taken back where it ends. What a loop has written and is read after it is
 * live over the whole loop too, as the loop may end in the middle.
 *
 * <p>A storage that is to stay alive until some node ({@link MemoryKeys#UNTIL}) is read once more
 * by that node, as it ends, where the walk has come to the storage before. Where it has not, but
 * does so later in the same loop, the storage is live over the whole loop.
 *
 * <p>Graphs get and return copies. The inputs of a graph are written while the operands are read:
 * at the first step of the node for the first graph that it runs, when it is entered for a later
 * one, as one of two branches may lie in bytes that the other leaves unused. So the operands of a
 * conditional live until its second branch begins, and its results from the end of the first on.
 */
final class ProgramLiveness {
  private static final ImmutableSet<String> WITHOUT_ACCESS =
      ImmutableSet.of(Ops.ALLOC, Ops.BIND, Ops.FREE, Ops.INPUT, Ops.VIEW);
  private static final int NEVER = -1;
  private static final int MAX_STEPS = 1 << 28;

  private final Method method;
  private final int[] storage;
  private final long[] offset;
  private final boolean[] inPlace;
  private final boolean[] reached;
  private final Spans spans;
  private final Spans plainSpans;
  private final @Nullable Node[] firstWriter;

  /** By node, the storages that are to stay alive until it has run. */
  private final ListMultimap<Integer, Integer> heldUntil = ArrayListMultimap.create();

  private final int[] certainWrite;

  /** By storage, where the outermost loop begins that has written it and is done. */
  private final int[] writingLoop;

  private final List<Undo> undoLog = new ArrayList<>();
  private final List<Loop> loops = new ArrayList<>();
  private final boolean[] active;
  private int undoAt = Integer.MAX_VALUE;
  private int clock;

  /** A certain write to take back when the walk of its graph comes to a position. */
  private record Undo(int storage, int certainBefore, int position) {}

  /** A loop that the walk is in, and what must survive from trip to trip. */
  private static final class Loop {
    final int begin;
    final Set<Integer> written = new LinkedHashSet<>();
    final Set<Integer> carried = new LinkedHashSet<>();
    final Set<Integer> carriedPlain = new LinkedHashSet<>();

    /** What is to stay alive until a node that ran before it was used. */
    final Set<Integer> heldFromTripToTrip = new LinkedHashSet<>();

    Loop(int begin) {
      this.begin = begin;
    }

    /** Keeps from trip to trip what another does. */
    void carryAlso(Loop other) {
      carried.addAll(other.carried);
      carriedPlain.addAll(other.carriedPlain);
      heldFromTripToTrip.addAll(other.heldFromTripToTrip);
    }
  }

  private ProgramLiveness(Method method) {
    this.method = method;
    int count = method.tensors().size();
    storage = new int[count];
    offset = new long[count];
    inPlace = new boolean[count];
    reached = new boolean[count];
    spans = new Spans(count);
    plainSpans = new Spans(count);
    firstWriter = new Node[count];
    certainWrite = new int[count];
    Arrays.fill(certainWrite, NEVER);
    writingLoop = new int[count];
    Arrays.fill(writingLoop, Integer.MAX_VALUE);
    active = new boolean[method.body().graphs().size()];
  }

  /**
   * Walks a method.
   *
   * @throws IllegalArgumentException if a graph runs itself, alias edges form a cycle, or the
   *     schedule has more than 2^28 steps
   */
  static ProgramLiveness of(Method method) {
    ProgramLiveness liveness = new ProgramLiveness(method);
    liveness.followAliases();
    liveness.findHeld();
    if (!method.body().graphs().isEmpty()) {
      // Each call is a walk of its own, so a few graphs may make a schedule without an end in
      // sight.
      long steps = liveness.countSteps(0, new long[liveness.active.length]);
      checkArgument(steps <= MAX_STEPS, "the schedule has more than %s steps", MAX_STEPS);
      liveness.walk(0, 0, /* caller= */ null);
      liveness.keepState();
    }
    return liveness;
  }

  /** The tensor at the end of a tensor's chain of alias edges, which stands for its storage. */
  int storage(int tensor) {
    return storage[tensor];
  }

  /** Where a tensor begins in its storage. */
  long offsetBytes(int tensor) {
    return offset[tensor];
  }

  /** True if some node that runs names a handle of a storage. */
  boolean isReached(int ofStorage) {
    return reached[ofStorage];
  }

  /** When storages are live. */
  Spans spans() {
    return spans;
  }

  /** True if a tensor is the result of an in-place operator, or a handle to one. */
  boolean isInPlace(int tensor) {
    return inPlace[tensor];
  }

  /** The same, had nobody used the results of in-place operators. */
  Spans plainSpans() {
    return plainSpans;
  }

  /** The node that writes a storage first, or null where the caller does or nobody. */
  @Nullable Node firstWriter(int ofStorage) {
    return firstWriter[ofStorage];
  }

  private void followAliases() {
    int[] chain = new int[storage.length];
    Arrays.fill(storage, NEVER);
    for (int start = 0; start < storage.length; start++) {
      int length = 0;
      int at = start;
      Alias alias = method.tensor(at).alias();
      while (storage[at] == NEVER && alias != null) {
        checkArgument(length < chain.length, "alias edges form a cycle through tensor %s", at);
        chain[length++] = at;
        at = alias.base();
        alias = method.tensor(at).alias();
      }
      if (storage[at] == NEVER) {
        storage[at] = at;
      }
      while (length > 0) {
        int tensor = chain[--length];
        Alias edge = method.tensor(tensor).alias();
        if (edge != null) {
          storage[tensor] = storage[edge.base()];
          offset[tensor] = Math.addExact(offset[edge.base()], edge.offsetBytes());
          inPlace[tensor] = edge.kind() == Alias.Kind.MUTATES || inPlace[edge.base()];
        }
      }
    }
  }

  private void findHeld() {
    if (method.keys().contains(MemoryKeys.UNTIL)) {
      for (Tensor tensor : method.tensors()) {
        if (storage[tensor.id()] == tensor.id()) {
          method
              .get(MemoryKeys.UNTIL, tensor.id())
              .ifPresent(node -> heldUntil.put(node, tensor.id()));
        }
      }
    }
  }

  /** How many steps a walk of a graph takes; at most a little above the limit. */
  private long countSteps(int graphIndex, long[] known) {
    Graph graph = method.body().graphs().get(graphIndex);
    checkArgument(!active[graphIndex], "graph %s runs itself", graph.name());
    if (known[graphIndex] == 0) {
      active[graphIndex] = true;
      long steps = graph.nodes().size();
      for (Node node : graph.nodes()) {
        if (node.callsGraphs()) {
          steps++;
          for (int called : node.graphs().asList()) {
            steps = Math.min(MAX_STEPS + 1L, steps + countSteps(called, known));
          }
        }
      }
      active[graphIndex] = false;
      known[graphIndex] = steps;
    }
    return known[graphIndex];
  }

  private void walk(int graphIndex, int inputsStep, @Nullable Node caller) {
    Graph graph = method.body().graphs().get(graphIndex);
    for (int input : graph.inputs().asList()) {
      touch(input, Access.WRITE, inputsStep, caller, !inPlace[input]);
    }
    Jumps jumps = new Jumps(graph);
    ListMultimap<Integer, Loop> jumpLoops = ArrayListMultimap.create();
    List<Loop> ended = new ArrayList<>();
    int undoFloor = undoLog.size();
    int callerUndoAt = undoAt;
    for (int position = 0; position < graph.nodes().size(); position++) {
      undo(undoFloor, position);
      for (int i = 0; i < jumps.loopsFrom(position); i++) {
        Loop loop = new Loop(clock);
        jumpLoops.put(position, loop);
        loops.add(loop);
      }
      undoAt = jumps.skippableUntil(position);
      Node node = graph.nodes().get(position);
      run(node);
      heldUntil.get(node.id()).forEach(held -> hold(held, node));
      if (jumps.backTo(position) >= 0) {
        Loop loop = jumpLoops.get(jumps.backTo(position)).remove(0);
        if (jumps.repeatsFrom(position) < jumps.backTo(position)) {
          Loop whole = jumpLoops.get(jumps.repeatsFrom(position)).remove(0);
          // The jump leads into the middle of others, so they begin without what is before it.
          ended.stream().filter(it -> it.begin >= whole.begin).forEach(whole::carryAlso);
          whole.carryAlso(loop);
          loops.remove(loop);
          loop = whole;
        }
        close(loop, clock - 1);
        ended.add(loop);
      }
    }
    undo(undoFloor, graph.nodes().size());
    undoAt = callerUndoAt;
  }

  private void run(Node node) {
    int step = clock++;
    for (Operand operand : node.operands()) {
      if (!operand.isHole()) {
        reached[storage[operand.tensor()]] = true;
      }
    }
    node.results().forEach(result -> reached[storage[result]] = true);
    if (WITHOUT_ACCESS.contains(node.op())) {
      return;
    }
    useOperands(node, step);
    if (node.callsGraphs()) {
      runGraphs(node, step);
    } else {
      writeResults(node, step);
    }
  }

  private void runGraphs(Node node, int opening) {
    boolean slices = node.op().equals(Ops.MAP) || node.op().equals(Ops.SCAN);
    boolean repeats = slices || node.op().equals(Ops.WHILE);
    Loop loop = new Loop(opening);
    if (repeats) {
      loops.add(loop);
      // They carry the loop's values, or collect a slice in each trip.
      writeResults(node, opening);
    }
    if (slices) {
      useOperands(node, opening);
    }
    int called = node.graphs().length();
    for (int i = 0; i < called; i++) {
      int graph = node.graphs().get(i);
      int floor = undoLog.size();
      if (i > 0 && !repeats) {
        useOperands(node, clock);
      }
      walk(graph, i == 0 ? opening : clock, node);
      // While what the graph wrote still counts as written.
      if (i == called - 1) {
        readOutputs(graph, node, clock);
      } else if (node.op().equals(Ops.IF)) {
        readOutputs(graph, node, clock - 1);
        writeResults(node, clock - 1);
      }
      if (node.op().equals(Ops.CALL)) {
        handToCaller(floor);
      } else {
        undo(floor, Integer.MAX_VALUE);
      }
    }
    int closing = clock++;
    writeResults(node, closing);
    if (repeats) {
      close(loop, closing);
    }
  }

  private void readOutputs(int graph, Node caller, int step) {
    for (int output : method.body().graphs().get(graph).outputs().asList()) {
      touch(output, Access.READ, step, caller, !inPlace[output]);
    }
  }

  /**
   * What was certain in a called graph is certain in this one where the call is. All is taken back
   * at once there, so the oldest entry of each storage is enough, however often it was written.
   */
  private void handToCaller(int floor) {
    Set<Integer> handed = new HashSet<>();
    int kept = floor;
    for (int entry = floor; entry < undoLog.size(); entry++) {
      Undo undo = undoLog.get(entry);
      if (handed.add(undo.storage())) {
        undoLog.set(kept++, new Undo(undo.storage(), undo.certainBefore(), undoAt));
      }
    }
    undoLog.subList(kept, undoLog.size()).clear();
  }

  /** Ends a loop; what survives from trip to trip is live over all steps that it may repeat. */
  private void close(Loop loop, int end) {
    int begin = loop.begin;
    loops.remove(loop);
    loop.written.forEach(of -> writingLoop[of] = Math.min(writingLoop[of], begin));
    loop.carried.forEach(of -> spans.include(of, begin, end));
    loop.carriedPlain.forEach(of -> plainSpans.include(of, begin, end));
    for (int held : loop.heldFromTripToTrip) {
      if (spans.last[held] >= 0) {
        spans.include(held, begin, end);
      }
      if (plainSpans.last[held] >= 0) {
        plainSpans.include(held, begin, end);
      }
    }
  }

  private void useOperands(Node node, int step) {
    for (Operand operand : node.operands()) {
      if (!operand.isHole()) {
        touch(operand.tensor(), operand.access(), step, node, !inPlace[operand.tensor()]);
      }
    }
  }

  private void writeResults(Node node, int step) {
    for (int result : node.results().asList()) {
      Alias alias = method.tensor(result).alias();
      if (alias == null) {
        touch(result, Access.WRITE, step, node, /* plain= */ true);
      } else if (alias.kind() == Alias.Kind.MUTATES) {
        // Perhaps only a part of it: no certain write of the whole.
        touch(result, Access.READ_WRITE, step, node, !inPlace[alias.base()]);
      }
    }
  }

  private void touch(int tensor, Access access, int step, @Nullable Node node, boolean plain) {
    if (access == Access.BIND) {
      return;
    }
    int of = storage[tensor];
    if (access != Access.READ) {
      loops.forEach(loop -> loop.written.add(of));
    }
    if (access != Access.WRITE) {
      if (certainWrite[of] < writingLoop[of] && writingLoop[of] != Integer.MAX_VALUE) {
        spans.include(of, writingLoop[of], step);
        if (plain) {
          plainSpans.include(of, writingLoop[of], step);
        }
      }
      for (Loop loop : loops) {
        if (certainWrite[of] < loop.begin) {
          loop.carried.add(of);
          if (plain) {
            loop.carriedPlain.add(of);
          }
        }
      }
    }
    if (access != Access.READ && firstWriter[of] == null) {
      firstWriter[of] = node;
    }
    spans.include(of, step, step);
    if (plain) {
      plainSpans.include(of, step, step);
    }
    if (access == Access.WRITE && isWhole(tensor)) {
      undoLog.add(new Undo(of, certainWrite[of], undoAt));
      certainWrite[of] = step;
    }
  }

  /** Keeps a storage alive up to the step that was the last, that of the end of a node. */
  private void hold(int of, Node node) {
    boolean plain = plainSpans.last[of] >= 0;
    if (spans.last[of] >= 0) {
      touch(of, Access.READ, clock - 1, node, plain);
    } else {
      loops.forEach(loop -> loop.heldFromTripToTrip.add(of));
    }
  }

  private boolean isWhole(int tensor) {
    return tensor == storage[tensor]
        || (offset[tensor] == 0
            && method.tensor(tensor).type().bytes()
                >= method.tensor(storage[tensor]).type().bytes());
  }

  /** Takes back the certain writes above a mark in the log that end by a position. */
  private void undo(int floor, int position) {
    for (int i = undoLog.size() - 1; i >= floor; i--) {
      Undo undo = undoLog.get(i);
      if (undo.position() > position) {
        return;
      }
      certainWrite[undo.storage()] = undo.certainBefore();
      undoLog.remove(i);
    }
  }

  private void keepState() {
    for (Tensor tensor : method.tensors()) {
      int of = storage[tensor.id()];
      if (tensor.state() != null && reached[of]) {
        spans.include(of, 0, clock - 1);
        plainSpans.include(of, 0, clock - 1);
      }
    }
  }
}
