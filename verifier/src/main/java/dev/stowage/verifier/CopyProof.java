package dev.stowage.verifier;

import com.google.common.collect.ArrayListMultimap;
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
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Proves that storages of one family may be live together in the same bytes, because what one has
 * there is what the other has: a node has copied it, and nobody has written it since.
 *
 * <p>Implementation note. The nodes that use a family are gone through in order, twice in step:
 * once with each storage in bytes of its own, once in the bytes where the plan puts them. Every
 * write brings a new value, copies bring the value that they copy ({@link CopiedBytes}). Wherever a
 * storage is read, its bytes must be of the same values in both; a byte that is not was written
 * through some other storage, and that pair is not proved. Operands must still be as they were when
 * the results are written, as nobody knows in which order a node does it.
 *
 * <p>This takes in families all of whose uses are in one graph without jumps, none by nodes that
 * run graphs. A graph that another runs is gone through a second time with what the first has left
 * behind: what a value has become by then is all that may matter in later runs.
 */
final class CopyProof {
  private static final int UNUSED = -1;
  private static final int SPREAD = -2;
  private static final int NOBODY = -1;

  private final Method method;
  private final ProgramLiveness liveness;
  private final Boxes boxes;

  /** By storage, the outermost one of its family. */
  private final int[] family;

  /** By storage, the graph in which it is used, {@link #UNUSED} or {@link #SPREAD}. */
  private final int[] home;

  /** Families that were gone through. */
  private final Set<Integer> followed = new HashSet<>();

  private final Set<Long> clashes = new HashSet<>();

  private CopyProof(Method method, ProgramLiveness liveness, Boxes boxes, int[] base) {
    this.method = method;
    this.liveness = liveness;
    this.boxes = boxes;
    family = new int[base.length];
    Arrays.setAll(
        family,
        storage -> {
          int at = storage;
          while (base[at] >= 0) {
            at = base[at];
          }
          return at;
        });
    home = new int[base.length];
    Arrays.fill(home, UNUSED);
  }

  /**
   * Goes through the families that have a member of interest.
   *
   * @param boxes where the plan puts storages
   * @param base in which each storage lies, or a negative number; no cycles
   */
  static CopyProof of(
      Method method, ProgramLiveness liveness, Boxes boxes, int[] base, IntPredicate ofInterest) {
    CopyProof proof = new CopyProof(method, liveness, boxes, base);
    proof.findHomes();
    ListMultimap<Integer, Integer> members = ArrayListMultimap.create();
    Set<Integer> wanted = new HashSet<>();
    for (int storage = 0; storage < base.length; storage++) {
      if (liveness.storage(storage) == storage) {
        members.put(proof.family[storage], storage);
        if (ofInterest.test(storage)) {
          wanted.add(proof.family[storage]);
        }
      }
    }
    ListMultimap<Integer, Integer> familiesByGraph = ArrayListMultimap.create();
    for (int root : wanted) {
      int graph = proof.homeOf(members.get(root));
      if (graph >= 0) {
        familiesByGraph.put(graph, root);
      }
    }
    for (int graph : familiesByGraph.keySet()) {
      proof.follow(graph, new HashSet<>(familiesByGraph.get(graph)));
    }
    return proof;
  }

  /** True if neither of two storages ever finds bytes of the other in place of its own. */
  boolean isProved(int a, int b) {
    return family[a] == family[b]
        && followed.contains(family[a])
        && !clashes.contains(pair(a, b))
        && !clashes.contains(pair(a, NOBODY))
        && !clashes.contains(pair(b, NOBODY));
  }

  private static long pair(int a, int b) {
    return ((long) Math.max(a, b) << Integer.SIZE) + Math.min(a, b);
  }

  private void findHomes() {
    List<Graph> graphs = method.body().graphs();
    Map<Integer, Integer> graphOfNode = new HashMap<>();
    for (int g = 0; g < graphs.size(); g++) {
      Graph graph = graphs.get(g);
      boolean jumps = graph.nodes().stream().anyMatch(node -> node.target() >= 0);
      for (Node node : graph.nodes()) {
        graphOfNode.put(node.id(), g);
        boolean passes =
            node.callsGraphs()
                || (g > 0 && (node.op().equals(Ops.INPUT) || node.op().equals(Ops.OUTPUT)));
        int where = jumps || passes ? SPREAD : g;
        for (Operand operand : node.operands()) {
          if (!operand.isHole()) {
            meet(operand.tensor(), where);
          }
        }
        node.results().forEach(result -> meet(result, where));
      }
    }
    for (int storage = 0; storage < home.length; storage++) {
      if (liveness.storage(storage) == storage) {
        int until = method.get(MemoryKeys.UNTIL, storage).orElse(-1);
        if (until >= 0) {
          meet(storage, graphOfNode.getOrDefault(until, SPREAD));
        }
      }
    }
  }

  private void meet(int tensor, int graph) {
    int storage = liveness.storage(tensor);
    home[storage] = home[storage] == UNUSED || home[storage] == graph ? graph : SPREAD;
  }

  /** The graph in which all members that are used are used, or SPREAD. */
  private int homeOf(List<Integer> members) {
    int graph = UNUSED;
    for (int member : members) {
      if (home[member] != UNUSED) {
        graph = graph == UNUSED || graph == home[member] ? home[member] : SPREAD;
      }
    }
    return graph;
  }

  private void follow(int graph, Set<Integer> families) {
    followed.addAll(families);
    Walk walk = new Walk(families);
    for (Tensor tensor : method.tensors()) {
      if (tensor.state() != null) {
        walk.write(tensor.id());
      }
    }
    ListMultimap<Integer, Integer> held = ArrayListMultimap.create();
    for (int storage = 0; storage < home.length; storage++) {
      int member = storage;
      if (liveness.storage(storage) == storage && walk.isMember(storage)) {
        method.get(MemoryKeys.UNTIL, storage).ifPresent(until -> held.put(until, member));
      }
    }
    for (int run = 0; run < (graph == 0 ? 1 : 2); run++) {
      method.body().graphs().get(graph).inputs().asList().forEach(walk::write);
      for (Node node : method.body().graphs().get(graph).nodes()) {
        walk.run(node);
        held.get(node.id()).forEach(walk::read);
      }
    }
    for (Tensor tensor : method.tensors()) {
      if (tensor.state() != null) {
        walk.read(tensor.id());
      }
    }
  }

  /** One go through the nodes of a graph. */
  private final class Walk {
    private final Set<Integer> families;

    /** By storage, in bytes of its own. */
    private final Map<Integer, Stamps> own = new HashMap<>();

    /** By family and arena. */
    private final Map<List<Integer>, Stamps> placed = new HashMap<>();

    private int values;

    Walk(Set<Integer> families) {
      this.families = families;
    }

    boolean isMember(int tensor) {
      int storage = liveness.storage(tensor);
      return families.contains(family[storage]) && boxes.hasBytes(storage);
    }

    private Stamps own(int storage) {
      return own.computeIfAbsent(storage, it -> new Stamps());
    }

    private Stamps placed(int storage) {
      return placed.computeIfAbsent(
          List.of(family[storage], boxes.memId(storage)), it -> new Stamps());
    }

    void run(Node node) {
      switch (node.op()) {
        case Ops.ALLOC, Ops.BIND, Ops.FREE, Ops.INPUT, Ops.VIEW -> {}
        default -> access(node);
      }
    }

    private void access(Node node) {
      List<CopiedBytes.Run> copied = CopiedBytes.of(method, node).runs();
      for (Operand operand : node.operands()) {
        if (reads(operand)) {
          read(operand.tensor());
        }
      }
      for (int result : node.results().asList()) {
        if (isInPlace(result)) {
          read(result);
        }
      }
      List<List<Stamps.Range>> values = copied.stream().map(this::valueOf).toList();
      for (Operand operand : node.operands()) {
        if (writes(operand)) {
          write(operand.tensor(), copied, values);
        }
      }
      for (int result : node.results().asList()) {
        if (isYielded(result)) {
          write(result, copied, values);
        }
      }
      for (Operand operand : node.operands()) {
        if (reads(operand) || writes(operand)) {
          read(operand.tensor());
        }
      }
      for (int result : node.results().asList()) {
        if (isYielded(result)) {
          read(result);
        }
      }
    }

    private boolean reads(Operand operand) {
      return !operand.isHole()
          && (operand.access() == Access.READ || operand.access() == Access.READ_WRITE);
    }

    private boolean writes(Operand operand) {
      return !operand.isHole()
          && (operand.access() == Access.WRITE || operand.access() == Access.READ_WRITE);
    }

    /** True for a result that its node writes, not one that is only a handle. */
    private boolean isYielded(int result) {
      return method.tensor(result).alias() == null || isInPlace(result);
    }

    private boolean isInPlace(int tensor) {
      Alias alias = method.tensor(tensor).alias();
      return alias != null && alias.kind() == Alias.Kind.MUTATES;
    }

    /** What a copy reads, at its place in what is read; nothing from outside of the families. */
    private List<Stamps.Range> valueOf(CopiedBytes.Run run) {
      if (!isMember(run.from())) {
        return List.of();
      }
      int storage = liveness.storage(run.from());
      long from = liveness.offsetBytes(run.from()) + run.fromOffset();
      return own(storage).between(from, from + run.bytes());
    }

    /** Compares what a tensor has with what lies where the plan puts it. */
    void read(int tensor) {
      if (!isMember(tensor)) {
        return;
      }
      int storage = liveness.storage(tensor);
      long distance = boxes.from(storage);
      for (Stamps.Range expected : own(storage).between(from(tensor), to(tensor))) {
        long at = expected.from() + distance;
        for (Stamps.Range found : placed(storage).between(at, expected.to() + distance)) {
          if (found.from() != at) {
            clash(storage, NOBODY);
          }
          at = found.to();
          if (!expected.agreesWith(found, distance)) {
            clash(storage, found.writer());
          }
        }
        if (at != expected.to() + distance) {
          clash(storage, NOBODY);
        }
      }
    }

    private void clash(int storage, int writer) {
      clashes.add(pair(storage, writer == storage ? NOBODY : writer));
    }

    /** Writes a new value. */
    void write(int tensor) {
      write(tensor, List.of(), List.of());
    }

    /** Writes a new value, but where bytes are copied, the value that they have. */
    private void write(
        int tensor, List<CopiedBytes.Run> copied, List<List<Stamps.Range>> valuesOfRuns) {
      if (!isMember(tensor)) {
        return;
      }
      int storage = liveness.storage(tensor);
      int value = values++;
      put(storage, new Stamps.Range(from(tensor), to(tensor), value, 0, storage), copied, tensor);
      for (int i = 0; i < copied.size(); i++) {
        CopiedBytes.Run run = copied.get(i);
        if (run.to() == tensor) {
          long by =
              liveness.offsetBytes(tensor)
                  + run.toOffset()
                  - liveness.offsetBytes(run.from())
                  - run.fromOffset();
          for (Stamps.Range range : valuesOfRuns.get(i)) {
            Stamps.Range moved = range.moved(by, storage);
            own(storage).put(moved);
            if (!isInPlace(run)) {
              placed(storage).put(moved.moved(boxes.from(storage), storage));
            }
          }
        }
      }
    }

    /** Puts a new value everywhere but into the plan's bytes where a copy leaves what is there. */
    private void put(int storage, Stamps.Range range, List<CopiedBytes.Run> copied, int tensor) {
      own(storage).put(range);
      long distance = boxes.from(storage);
      List<Stamps.Range> kept =
          copied.stream()
              .filter(run -> run.to() == tensor && isInPlace(run))
              .flatMap(
                  run -> {
                    long from = from(tensor) + run.toOffset() + distance;
                    return placed(storage).between(from, from + run.bytes()).stream();
                  })
              .toList();
      placed(storage).put(range.moved(distance, storage));
      kept.forEach(placed(storage)::put);
    }

    private boolean isInPlace(CopiedBytes.Run run) {
      return isMember(run.from()) && isMember(run.to()) && lieTogether(run);
    }

    private long from(int tensor) {
      return liveness.offsetBytes(tensor);
    }

    private long to(int tensor) {
      return Math.min(
          liveness.offsetBytes(tensor) + method.tensor(tensor).type().bytes(),
          method.tensor(liveness.storage(tensor)).type().bytes());
    }
  }

  /** True if the plan has what a node copies where it copies it to. */
  boolean lieTogether(CopiedBytes.Run run) {
    int from = liveness.storage(run.from());
    int to = liveness.storage(run.to());
    return boxes.hasBytes(from)
        && boxes.hasBytes(to)
        && boxes.memId(from) == boxes.memId(to)
        && boxes.from(from) + liveness.offsetBytes(run.from()) + run.fromOffset()
            == boxes.from(to) + liveness.offsetBytes(run.to()) + run.toOffset();
  }
}
