package dev.stowage.verifier;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.ListMultimap;
import dev.stowage.base.Message;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType.Dynamism;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Owner;
import dev.stowage.ir.memory.Shares;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Judges placements on a method, whoever made them, by what its nodes do with the bytes. It has its
 * own view of aliases, schedule and lifetimes, so a plan that is perfect for wrong lifetimes fails.
 *
 * <p>A storage goes by the number of the tensor at the end of the alias chain: its number in the
 * source, else its id. A claim under the number of another handle says nothing.
 */
public final class ProgramVerifier {
  private static final int NO_STORAGE = -1;

  private final Method method;
  private final ClaimedPlan plan;
  private final Rules rules;
  private final Allocation allocation;
  private final ProgramLiveness liveness;

  /** All by tensor id; storages are known by the tensor at the end of the alias chain. */
  private final ClaimedPlan.@Nullable Place[] placeByStorage;

  private final @Nullable Shares[] sharesByStorage;
  private final int[] base;
  private final boolean[] isInput;
  private final boolean[] isOutput;

  /** Storages that are returned by a handle that no in-place operator yielded. */
  private final boolean[] isPlainOutput;

  private final boolean[] isState;
  private final Boxes boxes;
  private final Spans spans;
  private final Spans plainSpans;
  private final ImmutableList.Builder<Finding> findings = ImmutableList.builder();
  private final PairFindings pairs = new PairFindings();

  /** Made when it is first asked for, since few methods need it. */
  private @Nullable CopyProof proof;

  /**
   * What holds for a plan as a whole.
   *
   * @param alignment of offsets, in bytes
   * @param capacityBytes of arenas, by mem_id; those that are not listed may grow as they like
   * @param reservedBytes at the starts of arenas, by mem_id; they only tell whether an offset is
   *     misaligned because they are, and other graphs may have storages in them
   */
  public record Rules(
      int alignment,
      ImmutableMap<Integer, Long> capacityBytes,
      ImmutableMap<Integer, Long> reservedBytes) {
    /** Checks the alignment. */
    public Rules {
      checkArgument(alignment >= 1, "alignment is below 1: %s", alignment);
    }

    /** An alignment, and arenas without limits and reserved bytes. */
    public static Rules aligned(int alignment) {
      return new Rules(alignment, ImmutableMap.of(), ImmutableMap.of());
    }
  }

  private ProgramVerifier(Method method, ClaimedPlan plan, Rules rules) {
    this.method = method;
    this.plan = plan;
    this.rules = rules;
    allocation = method.get(MemoryKeys.ALLOCATION).orElse(Allocation.ALL);
    liveness = ProgramLiveness.of(method);
    int count = method.tensors().size();
    placeByStorage = new ClaimedPlan.Place[count];
    sharesByStorage = new Shares[count];
    base = new int[count];
    isInput = new boolean[count];
    isOutput = new boolean[count];
    isPlainOutput = new boolean[count];
    isState = new boolean[count];
    boxes = new Boxes(count);
    spans = liveness.spans().copy();
    plainSpans = liveness.plainSpans().copy();
  }

  /**
   * Judges a plan whose subjects are the storages of a method, by number in the source.
   *
   * @return what is wrong: first what concerns single tensors, then arenas, then pairs; of these a
   *     thousand are listed and the others counted by kind
   * @throws IllegalArgumentException if the method is not sound: a graph runs itself, or storages
   *     share one another's bytes in a circle
   */
  public static ImmutableList<Finding> verify(Method method, ClaimedPlan plan, Rules rules) {
    return new ProgramVerifier(method, plan, rules).run();
  }

  private ImmutableList<Finding> run() {
    findRoles();
    findBases();
    takePlaces();
    for (Tensor tensor : method.tensors()) {
      if (isStorage(tensor.id())) {
        judgeStorage(tensor);
      }
    }
    judgeArenas();
    judgeOverlaps();
    judgeDerivedSharing();
    judgeIdleNodes();
    return findings.addAll(pairs.build()).build();
  }

  private void findRoles() {
    for (Tensor tensor : method.tensors()) {
      isState[liveness.storage(tensor.id())] |= tensor.state() != null;
    }
    if (!method.body().graphs().isEmpty()) {
      Graph entry = method.entry();
      entry.inputs().forEach(input -> isInput[liveness.storage(input)] = true);
      for (int output : entry.outputs().asList()) {
        isOutput[liveness.storage(output)] = true;
        isPlainOutput[liveness.storage(output)] |= !liveness.isInPlace(output);
      }
    }
  }

  /** Finds what lies in what, and widens bases over all that they back, parts first. */
  private void findBases() {
    Arrays.fill(base, NO_STORAGE);
    int[] partsLeft = new int[base.length];
    for (int i = 0; i < base.length; i++) {
      Shares shares = isStorage(i) ? method.get(MemoryKeys.SHARES, i).orElse(null) : null;
      if (shares != null) {
        sharesByStorage[i] = shares;
        base[i] = liveness.storage(shares.base());
        partsLeft[base[i]]++;
      }
    }
    int[] ready = new int[base.length];
    int found = 0;
    for (int i = 0; i < base.length; i++) {
      if (partsLeft[i] == 0) {
        ready[found++] = i;
      }
    }
    for (int next = 0; next < found; next++) {
      int part = ready[next];
      int in = base[part];
      if (in != NO_STORAGE) {
        spans.include(in, spans.first[part], spans.last[part]);
        plainSpans.include(in, plainSpans.first[part], plainSpans.last[part]);
        if (--partsLeft[in] == 0) {
          ready[found++] = in;
        }
      }
    }
    checkArgument(found == base.length, "storages share one another's bytes in a circle");
  }

  private void takePlaces() {
    ListMultimap<Integer, Integer> storagesByNumber = ArrayListMultimap.create();
    Set<Integer> numbers = new HashSet<>();
    for (Tensor tensor : method.tensors()) {
      numbers.add(number(tensor.id()));
      if (isStorage(tensor.id())) {
        storagesByNumber.put(number(tensor.id()), tensor.id());
      }
    }
    Set<Integer> claimed = new HashSet<>();
    for (ClaimedPlan.Place place : plan.places()) {
      int number = place.subject();
      if (!numbers.contains(number)) {
        findings.add(
            Finding.of(
                FindingKind.UNKNOWN_TENSOR,
                Message.format(
                    "the plan places tensor %d, which the method %s does not have",
                    number, method.name()),
                -1,
                ImmutableList.of()));
      } else if (!claimed.add(number)) {
        findings.add(
            Finding.of(
                FindingKind.PLACED_TWICE,
                Message.format(
                    "tensor %d is placed again, at %,d of mem_id %d",
                    number, place.offsetBytes(), place.memId()),
                -1,
                storagesByNumber.get(number).stream()
                    .limit(1)
                    .map(this::subject)
                    .collect(ImmutableList.toImmutableList())));
      } else {
        for (int storage : storagesByNumber.get(number)) {
          placeByStorage[storage] = place;
        }
      }
    }
    for (int i = 0; i < base.length; i++) {
      ClaimedPlan.Place place = placeByStorage[i];
      if (place != null && hasPlannableBytes(i)) {
        boxes.live(i, spans.first[i], spans.last[i]);
        if (place.memId() >= 1 && place.offsetBytes() >= 0) {
          boxes.place(i, place.memId(), place.offsetBytes(), bytes(i));
        }
      }
    }
  }

  private boolean hasPlannableBytes(int storage) {
    return !isFixedConstant(storage)
        && method.tensor(storage).type().dynamism() != Dynamism.UNBOUNDED;
  }

  private boolean isFixedConstant(int storage) {
    return method.tensor(storage).constant()
        && !method.get(MemoryKeys.TRAINABLE, storage).orElse(false);
  }

  private void judgeStorage(Tensor tensor) {
    int storage = tensor.id();
    ClaimedPlan.Place place = placeByStorage[storage];
    if (isFixedConstant(storage)) {
      return;
    }
    boolean passed = (isInput[storage] || isOutput[storage]) && !isState[storage];
    boolean inputOfCaller = passed && isInput[storage] && !allocation.inputs();
    boolean outputOfCaller = passed && isOutput[storage] && !allocation.outputs();
    boolean provided =
        tensor.type().dynamism() == Dynamism.UNBOUNDED
            || method.get(MemoryKeys.OWNER, storage).isPresent()
            || (isState[storage] && !allocation.state());
    // The caller may take state that is returned as an output, or leave it to the plan.
    boolean optional = isState[storage] && isOutput[storage] && !allocation.outputs();
    if (provided || inputOfCaller || outputOfCaller) {
      if (place != null) {
        FindingKind kind =
            provided
                ? FindingKind.NOT_OURS
                : inputOfCaller || isPlainOutput[storage]
                    ? FindingKind.INPUT_OUTPUT
                    : FindingKind.IN_PLACE_OUTPUT;
        find(
            kind,
            Message.format(
                "%s has a place, but its bytes are provided by the %s",
                describe(storage), isFromRuntime(storage) ? "runtime" : "caller"),
            storage);
      }
    } else if (place == null) {
      // Without bytes no place is needed, and some runtimes give none.
      if (liveness.isReached(storage) && tensor.type().bytes() > 0 && !optional) {
        find(
            passed ? FindingKind.INPUT_OUTPUT : FindingKind.NOT_PLACED,
            describe(storage) + " has no place, but the plan is to provide its bytes",
            storage);
      }
    } else {
      judgePlace(storage, place);
    }
  }

  private boolean isFromRuntime(int storage) {
    return method.tensor(storage).type().dynamism() == Dynamism.UNBOUNDED
        || method.get(MemoryKeys.OWNER, storage).orElse(Owner.CALLER) == Owner.RUNTIME;
  }

  private void judgePlace(int storage, ClaimedPlan.Place place) {
    long offset = place.offsetBytes();
    if (sharesByStorage[storage] != null) {
      judgeInBase(storage, place, sharesByStorage[storage]);
    } else {
      int pin = method.get(MemoryKeys.PIN, storage).orElse(place.memId());
      if (pin != place.memId()) {
        find(
            FindingKind.WRONG_ARENA,
            Message.format(
                "%s is in mem_id %d, but is pinned to mem_id %d",
                describe(storage), place.memId(), pin),
            storage);
      }
    }
    if (place.memId() < 1) {
      find(
          FindingKind.CLOSED_ARENA,
          Message.format(
              "%s is in mem_id %d, but planned arenas have mem_ids from 1 on",
              describe(storage), place.memId()),
          storage);
    } else if (offset < 0) {
      find(
          FindingKind.OUTSIDE_ARENA,
          Message.format("%s begins at %,d, before its arena does", describe(storage), offset),
          storage);
    } else {
      judgeRange(storage, place.memId(), offset);
    }
  }

  private void judgeRange(int storage, int memId, long offset) {
    long size = plan.arenaSizeBytes(memId);
    long needed = bytes(storage);
    if (size < needed || offset > size - needed) {
      find(
          FindingKind.OUTSIDE_ARENA,
          Message.format(
              "%s has %,d bytes from %,d on in mem_id %d, which the plan makes %,d bytes large",
              describe(storage), needed, offset, memId, size),
          storage);
    }
    int alignment = rules.alignment();
    // What a pass puts into a base is aligned as that pass wants it.
    if (!isDerived(storage) && offset % alignment != 0) {
      long reserved = rules.reservedBytes().getOrDefault(memId, 0L);
      boolean follows = reserved % alignment != 0 && offset % alignment == reserved % alignment;
      find(
          follows ? FindingKind.RESERVED_MISALIGNED : FindingKind.MISALIGNED,
          Message.format(
              "%s is at %,d of mem_id %d, which is no multiple of the alignment %d%s",
              describe(storage),
              offset,
              memId,
              alignment,
              follows
                  ? Message.format("; nor are the %,d reserved bytes before it", reserved)
                  : ""),
          storage);
    }
  }

  private void judgeInBase(int storage, ClaimedPlan.Place place, Shares shares) {
    int in = base[storage];
    long offset;
    try {
      offset = Math.addExact(shares.offsetBytes(), liveness.offsetBytes(shares.base()));
    } catch (ArithmeticException e) {
      offset = -1;
    }
    long baseBytes = bytes(in);
    if (offset < 0 || (baseBytes >= 0 && bytes(storage) > baseBytes - offset)) {
      find(
          FindingKind.STORAGE_OUTSIDE_BASE,
          Message.format(
              "%s has %,d bytes at offset %,d in %s, which has %,d",
              describe(storage), bytes(storage), offset, describe(in), baseBytes),
          storage,
          in);
    }
    ClaimedPlan.Place basePlace = placeByStorage[in];
    if (basePlace != null
        && (place.memId() != basePlace.memId()
            || !Offsets.differBy(place.offsetBytes(), basePlace.offsetBytes(), offset))) {
      find(
          FindingKind.STORAGE_MISPLACED,
          Message.format(
              "%s is at %,d of mem_id %d, but lies %,d bytes into %s, at %,d of mem_id %d",
              describe(storage),
              place.offsetBytes(),
              place.memId(),
              offset,
              describe(in),
              basePlace.offsetBytes(),
              basePlace.memId()),
          storage,
          in);
    }
  }

  private void judgeArenas() {
    for (int memId : ImmutableSortedSet.copyOf(rules.capacityBytes().keySet())) {
      long size = plan.arenaSizeBytes(memId);
      long capacity = rules.capacityBytes().getOrDefault(memId, Long.MAX_VALUE);
      if (size > capacity) {
        findings.add(
            Finding.of(
                FindingKind.OVER_CAPACITY,
                Message.format("mem_id %d takes %,d bytes and has %,d", memId, size, capacity),
                -1,
                ImmutableList.of()));
      }
    }
  }

  private void judgeOverlaps() {
    Map<Integer, Long> plainSeen = new HashMap<>();
    boolean[] derived = PairSearch.liesInChosen(base, this::isDerived);
    new PairSearch(boxes, base)
        .run(
            new PairSearch.Judge() {
              @Override
              public boolean overlap(int a, int b) {
                boolean plain = plainSpans.overlap(a, b);
                addPair(plain ? FindingKind.OVERLAP : FindingKind.IN_PLACE_OVERLAP, a, b);
                if (plain) {
                  plainSeen.merge(boxes.memId(a), 1L, Long::sum);
                }
                return !pairs.isFull();
              }

              @Override
              public void moreOverlaps(int[] roots, long count) {
                long seen = plainSeen.getOrDefault(boxes.memId(roots[0]), 0L);
                long plain = plainPairs(roots) - seen;
                pairs.count(FindingKind.OVERLAP, plain);
                pairs.count(FindingKind.IN_PLACE_OVERLAP, count - plain);
              }

              @Override
              public void siblings(int a, int b) {
                if ((!derived[a] && !derived[b]) || !mayShare(a, b)) {
                  addPair(FindingKind.SIBLING_OVERLAP, a, b);
                }
              }
            });
  }

  /** How many pairs of boxes of one arena, none in another, overlap without in-place results. */
  private long plainPairs(int[] roots) {
    Boxes plain = boxes.withSpans(plainSpans);
    int[] present = IntStream.of(roots).filter(plain::isPresent).toArray();
    return new OverlapSweep(plain, present, i -> i, i -> i + 1).pairCount();
  }

  /**
   * Proves anew that a pass could put a storage into its base: both may be live together only where
   * the one is made from the other, byte by byte at the same place, or while the one has what was
   * copied from the other.
   */
  private void judgeDerivedSharing() {
    Spans own = liveness.spans();
    for (int part = 0; part < base.length; part++) {
      boolean derived = false;
      for (int inner = part; base[inner] != NO_STORAGE; inner = base[inner]) {
        int outer = base[inner];
        Shares shares = sharesByStorage[inner];
        derived |= shares != null && shares.derived();
        if (derived
            && boxes.overlapInBytes(part, outer)
            && own.overlap(part, outer)
            && !mayShare(part, outer)) {
          addPair(FindingKind.OVERLAP, Math.min(part, outer), Math.max(part, outer));
        }
      }
    }
  }

  /** Whether two storages may be live together, of which at least one lies where a pass put it. */
  private boolean mayShare(int a, int b) {
    Spans own = liveness.spans();
    // What is written in one step is written over one another, read or not.
    return own.first[a] != own.first[b]
        && (isHandedOver(a, b, own) || isHandedOver(b, a, own) || proof().isProved(a, b));
  }

  private CopyProof proof() {
    CopyProof known = proof;
    if (known == null) {
      known = CopyProof.of(method, liveness, boxes, base, this::isDerived);
      proof = known;
    }
    return known;
  }

  private boolean isDerived(int storage) {
    Shares shares = sharesByStorage[storage];
    return shares != null && shares.derived();
  }

  /** Looks at nodes that are said to move nothing. */
  private void judgeIdleNodes() {
    for (Node node : method.nodes()) {
      if (node.attributes().getOrDefault("nop", "").equals("true") && runs(node)) {
        CopiedBytes.Copied copied = CopiedBytes.of(method, node);
        if (!copied.complete() || !copied.runs().stream().allMatch(proof()::lieTogether)) {
          findings.add(
              Finding.of(
                  FindingKind.NOT_IN_PLACE,
                  Message.format(
                      "%s (node %d) is marked to move nothing, but what it copies does not lie"
                          + " where it is copied to",
                      node.op(), node.id()),
                  node.id(),
                  ImmutableList.of()));
        }
      }
    }
  }

  /** True if the walk has come to a node that yields or uses something. */
  private boolean runs(Node node) {
    return node.results().stream().anyMatch(it -> liveness.isReached(liveness.storage(it)))
        || node.operands().stream()
            .filter(operand -> !operand.isHole())
            .anyMatch(operand -> liveness.isReached(liveness.storage(operand.tensor())));
  }

  /**
   * True if one is made from the other at the last moment of that, and the node that does so reads
   * of the bytes that they share just the slice that it writes: each element from its own place.
   */
  private boolean isHandedOver(int giver, int taker, Spans own) {
    Node maker = liveness.firstWriter(taker);
    if (own.first[giver] >= own.first[taker]
        || own.last[giver] != own.first[taker]
        || maker == null) {
      return false;
    }
    boolean reads = false;
    for (Operand operand : maker.operands()) {
      if (!operand.isHole() && liveness.storage(operand.tensor()) == giver) {
        long from = boxes.from(giver) + liveness.offsetBytes(operand.tensor());
        long to = from + method.tensor(operand.tensor()).type().bytes();
        boolean same = from == boxes.from(taker) && to == boxes.to(taker);
        if (!same && from < boxes.to(taker) && boxes.from(taker) < to) {
          return false;
        }
        reads |= same;
      }
    }
    return reads;
  }

  private void addPair(FindingKind kind, int a, int b) {
    pairs.add(
        kind,
        () -> {
          int low = number(a) <= number(b) ? a : b;
          int high = low == a ? b : a;
          int later = spans.first[high] >= spans.first[low] ? high : low;
          Node writer = liveness.firstWriter(later);
          String when =
              writer == null
                  ? ""
                  : Message.format(
                      "; %s is first written by %s (node %d)",
                      describe(later), writer.op(), writer.id());
          return Finding.of(
              kind,
              Message.format(
                  "%s and %s share bytes while both are live%s",
                  describeLive(low), describeLive(high), when),
              writer == null ? -1 : writer.id(),
              ImmutableList.of(subject(low), subject(high)));
        });
  }

  private boolean isStorage(int tensor) {
    return liveness.storage(tensor) == tensor;
  }

  private long bytes(int storage) {
    return method.tensor(storage).type().bytes();
  }

  private int number(int tensor) {
    return method.get(MemoryKeys.ORIGIN, tensor).orElse(tensor);
  }

  private String describe(int storage) {
    String name = method.tensor(storage).name();
    return "tensor " + number(storage) + (name.isEmpty() ? "" : " (" + name + ")");
  }

  private String describeLive(int storage) {
    return Message.format(
        "%s at [%,d, %,d) of mem_id %d, live over steps [%d, %d],",
        describe(storage),
        boxes.fromBytes(storage),
        boxes.toBytes(storage),
        boxes.memId(storage),
        spans.first[storage],
        spans.last[storage]);
  }

  private void find(FindingKind kind, String message, int... storages) {
    findings.add(
        Finding.of(
            kind,
            message,
            -1,
            IntStream.of(storages)
                .mapToObj(this::subject)
                .collect(ImmutableList.toImmutableList())));
  }

  private Finding.Subject subject(int storage) {
    ClaimedPlan.Place place = placeByStorage[storage];
    boolean live = spans.last[storage] >= 0;
    long offset = place == null ? 0 : place.offsetBytes();
    return new Finding.Subject(
        number(storage),
        method.tensor(storage).name(),
        place == null ? -1 : place.memId(),
        offset,
        boxes.isPlaced(storage) ? boxes.toBytes(storage) : offset,
        live ? spans.first[storage] : -1,
        spans.last[storage]);
  }
}
