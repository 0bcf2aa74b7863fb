package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Device;
import dev.stowage.base.Message;
import dev.stowage.ir.AnnotationKey;
import dev.stowage.ir.Graph;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType.Dynamism;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Places parts in their wholes, so that the nodes that copy the ones to the others need not.
 *
 * <p>Implementation note. Storages that share bytes are a family: each lies at an offset in its
 * root. A copy vanishes if part and whole are of one family and the part lies where it is copied
 * from or to. To get there the part's family is moved into that of the whole. That is sound if no
 * storage of either family is written, where it overlaps one of the other, while that is needed:
 * from its first write to its last read. A write of bytes that already are where it copies them to
 * changes nothing and does not count.
 *
 * <p>Copies are looked at by kind, then in order, until nothing more can be placed: a copy that is
 * in the way of another may have vanished itself. So a second run finds nothing to do.
 */
final class CopyElision {
  /** What is asked of the bytes of a storage: the part's must be the whole's. */
  private static final ImmutableList<AnnotationKey<?>> DEMANDS =
      ImmutableList.of(
          MemoryKeys.PIN,
          MemoryKeys.FIXED_OFFSET,
          MemoryKeys.NOT_ARENAS,
          MemoryKeys.ALIGN,
          MemoryKeys.OVER_READ);

  private static final String NOP = "nop";

  private final Method method;
  private final long partAlignment;
  private final Allocation allocation;
  private final StorageUse[] uses;
  private final PartLayout layout;
  private final List<Candidate> candidates = new ArrayList<>();
  private final Map<Integer, ByteMoves> movesByNode = new HashMap<>();
  private final Consumer<String> report;

  /** A copy that might vanish. */
  private record Candidate(String place, CopyKind kind, ByteMove move) {}

  /**
   * Looks for copies.
   *
   * @param kinds that may vanish
   * @param partAlignment what offsets of parts are multiples of, in bytes
   * @param report told in a line of each copy what becomes of it
   */
  CopyElision(Method method, Set<CopyKind> kinds, long partAlignment, Consumer<String> report) {
    this.method = method;
    this.partAlignment = partAlignment;
    this.report = report;
    allocation = method.get(MemoryKeys.ALLOCATION).orElse(Allocation.ALL);
    uses = StorageUse.of(method);
    layout = new PartLayout(method);
    for (int index : reached().stream().sorted().toList()) {
      Graph graph = method.body().graphs().get(index);
      for (Node node : graph.nodes()) {
        CopyKind.of(node.op()).ifPresent(kind -> look(graph, node, kind, kinds.contains(kind)));
      }
    }
    candidates.sort(Comparator.comparing(Candidate::kind)); // stable
  }

  /** The graphs that run: no plan has places for the tensors of others. */
  private Set<Integer> reached() {
    Set<Integer> reached = new HashSet<>();
    Deque<Integer> open = new ArrayDeque<>(List.of(0));
    while (!open.isEmpty()) {
      int graph = open.remove();
      if (reached.add(graph)) {
        method
            .body()
            .graphs()
            .get(graph)
            .nodes()
            .forEach(node -> open.addAll(node.graphs().asList()));
      }
    }
    return reached;
  }

  private void look(Graph graph, Node node, CopyKind kind, boolean mayVanish) {
    String place =
        Message.format("%s/%s/%d (%s)", method.name(), graph.name(), node.id(), node.op());
    ByteMoves moves = ByteMoves.of(method, node, kind);
    movesByNode.put(node.id(), moves);
    if (!moves.unknown().isEmpty()) {
      report.accept(place + ": stays, as " + moves.unknown());
    } else if (mayVanish) {
      for (ByteMove move : moves.moves()) {
        if (root(move.source()) != root(move.target())) {
          candidates.add(new Candidate(place, kind, move));
        }
      }
    }
  }

  /** Places what can be placed. */
  void run() {
    List<Candidate> open = new ArrayList<>(candidates);
    int before;
    do {
      before = open.size();
      open.removeIf(candidate -> place(candidate).isEmpty());
    } while (open.size() < before && !open.isEmpty());
    for (Candidate candidate : candidates) {
      ByteMove move = candidate.move();
      String part = method.tensor(move.part()).describe();
      String whole = method.tensor(move.whole()).describe();
      Optional<String> why = place(candidate);
      report.accept(
          why.isEmpty()
              ? Message.format(
                  "%s: vanishes: %s lies in %s from byte %,d on; %,d bytes",
                  candidate.place(), part, whole, move.offsetBytes(), move.bytes())
              : Message.format(
                  "%s: %s stays beside %s, as %s", candidate.place(), part, whole, why.get()));
    }
  }

  /** How many copies need not be made any more. */
  long copies() {
    return candidates.stream().filter(candidate -> isInPlace(candidate.move())).count();
  }

  /** The bytes that they would move. */
  long bytes() {
    return candidates.stream()
        .map(Candidate::move)
        .filter(this::isInPlace)
        .mapToLong(ByteMove::bytes)
        .reduce(0, Math::addExact);
  }

  /** How many nodes have nothing left to do. */
  long nops() {
    return movesByNode.values().stream().filter(this::isIdle).count();
  }

  /** The method with what was found written down. */
  Method result() {
    GraphEditor editor = method.edit();
    PartLayout before = new PartLayout(method);
    for (Tensor tensor : method.tensors()) {
      int storage = tensor.id();
      Optional<Shares> shares = method.get(MemoryKeys.SHARES, storage);
      boolean moved =
          layout.root(storage) != before.root(storage)
              || layout.offsetBytes(storage) != before.offsetBytes(storage);
      // What the model declares is inside something that has moved.
      if (moved && shares.map(Shares::derived).orElse(true)) {
        editor.annotate(
            storage,
            MemoryKeys.SHARES,
            new Shares(layout.root(storage), layout.offsetBytes(storage), true));
      }
    }
    for (Node node : method.nodes()) {
      ByteMoves moves = movesByNode.get(node.id());
      if (moves != null && isIdle(moves) && !node.attributes().containsKey(NOP)) {
        Map<String, String> attributes = new LinkedHashMap<>(node.attributes());
        attributes.put(NOP, "true");
        editor.replace(
            new Node(
                node.id(),
                node.op(),
                node.operands(),
                node.results(),
                node.graphs(),
                node.target(),
                ImmutableMap.copyOf(attributes)));
      }
    }
    return editor.build();
  }

  private boolean isIdle(ByteMoves moves) {
    return moves.complete()
        && !moves.moves().isEmpty()
        && moves.moves().stream().allMatch(this::isInPlace);
  }

  private boolean isInPlace(ByteMove move) {
    int shared = layout.root(root(move.part()));
    return shared == layout.root(root(move.whole()))
        && !layout.isBroken(root(move.part()))
        && !layout.isBroken(root(move.whole()))
        && fault(shared).isEmpty()
        && offset(move.part()) == offset(move.whole()) + move.offsetBytes();
  }

  /** Places a part in its whole; the reason where that is not to be done. */
  private Optional<String> place(Candidate candidate) {
    ByteMove move = candidate.move();
    if (isInPlace(move)) {
      return Optional.empty();
    }
    int part = root(move.part());
    int whole = root(move.whole());
    if (layout.root(part) == layout.root(whole)) {
      return Optional.of(describe(part) + " lies at another place there already");
    }
    if (method.body().rootOffsetBytes(move.part()) != 0
        || method.tensor(move.part()).type().bytes() != bytes(part)) {
      return Optional.of(describe(part) + " is more than the part");
    }
    int moved = layout.root(part);
    if (moved != part && (layout.offsetBytes(part) != 0 || bytes(part) != bytes(moved))) {
      return Optional.of(describe(part) + " is a part of " + describe(moved) + " already");
    }
    return fault(part)
        .or(() -> fault(moved))
        .or(() -> fault(whole))
        .or(() -> fault(layout.root(whole)))
        .or(() -> partFault(part))
        .or(() -> partFault(moved))
        .or(() -> usesFault(moved, layout.root(whole)))
        .or(() -> placeFault(candidate, moved));
  }

  /** What keeps a storage from sharing bytes at all. */
  private Optional<String> fault(int storage) {
    Tensor tensor = method.tensor(storage);
    StorageUse use = uses[storage];
    String why = null;
    if (tensor.constant()) {
      why = "is constant";
    } else if (tensor.type().dynamism() == Dynamism.UNBOUNDED) {
      why = "has no bound";
    } else if (method.get(MemoryKeys.OWNER, storage).isPresent()
        || (tensor.state() != null && !allocation.state())
        || (tensor.state() == null
            && ((use.isInput() && !allocation.inputs())
                || (use.isOutput() && !allocation.outputs())))) {
      why = "is not placed by the plan";
    }
    return Optional.ofNullable(why).map(it -> describe(storage) + " " + it);
  }

  private Optional<String> partFault(int storage) {
    if (method.tensor(storage).state() != null) {
      return Optional.of(describe(storage) + " is state");
    }
    boolean declared =
        method.get(MemoryKeys.SHARES, storage).filter(shares -> !shares.derived()).isPresent();
    return declared
        ? Optional.of(describe(storage) + " shares bytes by declaration")
        : Optional.empty();
  }

  /** What is not known of the uses of two families. */
  private Optional<String> usesFault(int one, int other) {
    int graph = uses[one].graph();
    for (int root : new int[] {one, other}) {
      for (int member : layout.members(root)) {
        StorageUse use = uses[member];
        if (layout.isBroken(member)) {
          return Optional.of(describe(member) + " shares bytes in a way that makes no sense");
        }
        if (!use.fault().isEmpty()) {
          return Optional.of(describe(member) + " " + use.fault());
        }
        if (use.graph() != graph) {
          return Optional.of(describe(member) + " is used in another graph");
        }
      }
    }
    return Optional.empty();
  }

  /** Moves a root to its place in another, if it may lie there. */
  private Optional<String> placeFault(Candidate candidate, int moved) {
    ByteMove move = candidate.move();
    int into = layout.root(root(move.whole()));
    long at;
    try {
      at = Math.addExact(offset(move.whole()), move.offsetBytes());
      if (at < 0 || Math.addExact(at, bytes(moved)) > bytes(into)) {
        return Optional.of(describe(moved) + " would reach past the end of " + describe(into));
      }
    } catch (ArithmeticException e) {
      return Optional.of("offsets are beyond all bounds");
    }
    Optional<String> fault =
        demandFault(moved, into, at).or(() -> alignmentFault(candidate, moved, at));
    if (fault.isPresent()) {
      return fault;
    }
    List<Integer> parts = List.copyOf(layout.members(moved));
    List<Integer> others = List.copyOf(layout.members(into));
    layout.move(moved, into, at);
    for (int one : parts) {
      for (int other : others) {
        if (overlap(one, other)) {
          fault = clash(one, other).or(() -> clash(other, one));
          if (fault.isPresent()) {
            layout.moveBack(moved, into, at, parts.size());
            return fault;
          }
        }
      }
    }
    return Optional.empty();
  }

  private Optional<String> demandFault(int part, int whole, long at) {
    Device device = method.get(MemoryKeys.DEVICE, part).orElse(Device.CPU);
    if (!device.equals(method.get(MemoryKeys.DEVICE, whole).orElse(Device.CPU))) {
      return Optional.of(describe(part) + " and " + describe(whole) + " are on different devices");
    }
    for (AnnotationKey<?> key : DEMANDS) {
      Optional<?> demand = method.get(key, part);
      if (demand.isPresent() && !demand.equals(method.get(key, whole))) {
        return Optional.of(
            Message.format(
                "%s has %s=%s, and %s has not",
                describe(part), key, demand.get(), describe(whole)));
      }
    }
    if (method.get(MemoryKeys.FIXED_OFFSET, part).isPresent() && at != 0) {
      return Optional.of(describe(part) + " is fixed at another offset");
    }
    return Optional.empty();
  }

  private Optional<String> alignmentFault(Candidate candidate, int moved, long at) {
    boolean free = uses[root(candidate.move().target())].isOutput();
    for (int member : layout.members(moved)) {
      long offset = layout.offsetBytes(member) + at;
      long own = method.get(MemoryKeys.ALIGN, member).orElse(1);
      if (!free && !uses[member].isInput() && offset % partAlignment != 0) {
        return Optional.of(
            Message.format(
                "%s would begin at %,d, which is no multiple of part-align=%d",
                describe(member), offset, partAlignment));
      }
      if (offset % own != 0) {
        return Optional.of(
            Message.format(
                "%s would begin at %,d, which is no multiple of its alignment %d",
                describe(member), offset, own));
      }
    }
    return Optional.empty();
  }

  private boolean overlap(int one, int other) {
    return layout.offsetBytes(one) < layout.offsetBytes(other) + bytes(other)
        && layout.offsetBytes(other) < layout.offsetBytes(one) + bytes(one);
  }

  /** Whether one storage is written where that destroys what is needed of the other. */
  private Optional<String> clash(int written, int needed) {
    for (StorageUse.Write write : uses[written].writes()) {
      if (uses[needed].isNeededAt(write.position()) && reaches(write, needed)) {
        Node node = write.node();
        return Optional.of(
            Message.format(
                "%s is written by %s while %s is needed",
                describe(written),
                node == null ? "the caller" : node.op() + " (node " + node.id() + ")",
                describe(needed)));
      }
    }
    return Optional.empty();
  }

  /** Whether a write changes bytes of another storage of the family. */
  private boolean reaches(StorageUse.Write write, int other) {
    long begin = Math.max(offset(write.tensor()), layout.offsetBytes(other));
    long end =
        Math.min(
            offset(write.tensor()) + method.tensor(write.tensor()).type().bytes(),
            layout.offsetBytes(other) + bytes(other));
    Node node = write.node();
    ByteMoves moves = node == null ? null : movesByNode.get(node.id());
    if (moves != null) {
      // They are in the order of their places in what they write.
      for (ByteMove move : moves.moves()) {
        long from = offset(move.target()) + move.targetOffsetBytes();
        if (move.target() == write.tensor() && isInPlace(move) && from <= begin) {
          begin = Math.max(begin, from + move.bytes());
        }
      }
    }
    return begin < end;
  }

  private int root(int tensor) {
    return method.body().root(tensor);
  }

  /** Where a tensor begins in the root of its family. */
  private long offset(int tensor) {
    return layout.offsetBytes(root(tensor)) + method.body().rootOffsetBytes(tensor);
  }

  private long bytes(int storage) {
    return method.tensor(storage).type().bytes();
  }

  private String describe(int storage) {
    return method.tensor(storage).describe();
  }
}
