package dev.stowage.verifier;

import static com.google.common.base.Preconditions.checkArgument;

import dev.stowage.ir.Alias;
import dev.stowage.ir.Method;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The storages of a method and the bytes that its tensors have in them, as the replay sees them;
 * where a plan puts them, and which of them lie in which. A storage goes by the tensor at the end
 * of the alias chain.
 */
final class ReplayStorages {
  private static final int NONE = -1;

  private final Method method;
  private final int[] storage;
  private final long[] from;
  private final boolean[] inPlace;
  private final int[] base;
  private final long[] inBase;
  private final boolean[] derived;
  private final ClaimedPlan.@Nullable Place[] place;

  /**
   * Follows the aliases of a method, and takes the places from a plan.
   *
   * @throws IllegalArgumentException if alias edges or shared storages form a cycle
   */
  ReplayStorages(Method method, ClaimedPlan plan) {
    this.method = method;
    int count = method.tensors().size();
    storage = new int[count];
    from = new long[count];
    inPlace = new boolean[count];
    base = new int[count];
    inBase = new long[count];
    derived = new boolean[count];
    place = new ClaimedPlan.Place[count];
    boolean[] known = new boolean[count];
    for (int tensor = 0; tensor < count; tensor++) {
      follow(tensor, known);
    }
    Map<Integer, ClaimedPlan.Place> placeByNumber = new HashMap<>();
    for (ClaimedPlan.Place claim : plan.places()) {
      placeByNumber.putIfAbsent(claim.subject(), claim);
    }
    Arrays.fill(base, NONE);
    for (int i = 0; i < count; i++) {
      if (storage[i] == i) {
        findBase(i);
        ClaimedPlan.Place claim = placeByNumber.get(number(i));
        if (claim != null && isPlanned(method.tensor(i)) && isPossible(claim, bytes(i))) {
          place[i] = claim;
        }
      }
    }
    checkChains();
  }

  /** Walks down the chain of a tensor to one that is known, and back up again. */
  private void follow(int tensor, boolean[] known) {
    Deque<Integer> chain = new ArrayDeque<>();
    int at = tensor;
    for (Alias edge = edge(at); !known[at] && edge != null; edge = edge(at)) {
      checkArgument(chain.size() < known.length, "alias edges form a cycle through %s", at);
      chain.push(at);
      at = edge.base();
    }
    if (!known[at]) {
      storage[at] = at;
      known[at] = true;
    }
    while (!chain.isEmpty()) {
      int next = chain.pop();
      Alias edge = edge(next);
      storage[next] = storage[at];
      from[next] = Math.addExact(from[at], edge == null ? 0 : edge.offsetBytes());
      inPlace[next] = inPlace[at] || (edge != null && edge.kind() == Alias.Kind.MUTATES);
      known[next] = true;
      at = next;
    }
  }

  private @Nullable Alias edge(int tensor) {
    return method.tensor(tensor).alias();
  }

  private void findBase(int of) {
    Shares shares = method.get(MemoryKeys.SHARES, of).orElse(null);
    if (shares != null) {
      base[of] = storage[shares.base()];
      derived[of] = shares.derived();
      try {
        inBase[of] = Math.addExact(shares.offsetBytes(), from[shares.base()]);
      } catch (ArithmeticException e) {
        // No offset that a place could have.
        inBase[of] = Long.MIN_VALUE;
      }
    }
  }

  private void checkChains() {
    int[] seenFrom = new int[base.length];
    Arrays.fill(seenFrom, NONE);
    for (int start = 0; start < base.length; start++) {
      int at = start;
      for (; at != NONE && seenFrom[at] == NONE; at = base[at]) {
        seenFrom[at] = start;
      }
      checkArgument(
          at == NONE || seenFrom[at] != start, "storages share one another's bytes in a circle");
    }
  }

  /** False for what has bytes of its own, whatever a plan says. */
  private boolean isPlanned(Tensor tensor) {
    int of = tensor.id();
    boolean fixed = tensor.constant() && !method.get(MemoryKeys.TRAINABLE, of).orElse(false);
    boolean callersState =
        tensor.state() != null && !method.get(MemoryKeys.ALLOCATION).orElse(Allocation.ALL).state();
    return !fixed
        && !callersState
        && tensor.type().dynamism() != TensorType.Dynamism.UNBOUNDED
        && method.get(MemoryKeys.OWNER, of).isEmpty();
  }

  private static boolean isPossible(ClaimedPlan.Place claim, long bytes) {
    return claim.memId() >= 1
        && claim.offsetBytes() >= 0
        && claim.offsetBytes() <= Long.MAX_VALUE - bytes;
  }

  int count() {
    return storage.length;
  }

  /** The storage that a tensor is a handle to. */
  int storage(int tensor) {
    return storage[tensor];
  }

  /** First byte of a tensor in its storage. */
  long from(int tensor) {
    return Math.max(0, Math.min(from[tensor], bytes(storage[tensor])));
  }

  /** Last byte of a tensor in its storage, exclusive; never past the storage's end. */
  long to(int tensor) {
    long end = bytes(storage[tensor]);
    return from(tensor) + Math.min(bytes(tensor), end - from(tensor));
  }

  /** Bytes of a tensor; as many as there can be where the number is not known. */
  private long bytes(int tensor) {
    long bytes = method.tensor(tensor).type().bytes();
    return bytes == TensorType.UNKNOWN ? Long.MAX_VALUE : bytes;
  }

  /** True if a tensor is the result of an in-place operator, or a handle to one. */
  boolean isInPlace(int tensor) {
    return inPlace[tensor];
  }

  /** Where the plan puts a storage, or null for one that has bytes of its own. */
  ClaimedPlan.@Nullable Place place(int ofStorage) {
    return place[ofStorage];
  }

  /** The number of a tensor in the source. */
  int number(int tensor) {
    return method.get(MemoryKeys.ORIGIN, tensor).orElse(tensor);
  }

  /** A tensor for messages, by number and name. */
  String describe(int tensor) {
    String name = method.tensor(tensor).name();
    return "tensor " + number(tensor) + (name.isEmpty() ? "" : " (" + name + ")");
  }

  /**
   * True if one storage backs the other, through a chain that the model declares all along, and the
   * plan puts the inner one where the chain says.
   */
  boolean isBackedAsDeclared(int one, int other) {
    return isInside(one, other) || isInside(other, one);
  }

  private boolean isInside(int inner, int outer) {
    OptionalLong offset = offsetIn(inner, outer);
    return offset.isPresent() && areApartBy(inner, outer, offset.getAsLong());
  }

  /** True if two lie in one storage as the model declares, and the plan puts both there. */
  boolean areDeclaredSiblings(int one, int other) {
    int root = root(one);
    return root == root(other) && isInside(one, root) && isInside(other, root);
  }

  /** True if one lies in the other, directly or through a chain, and a pass chose that. */
  boolean isPutInto(int inner, int outer) {
    boolean chosen = false;
    int at = inner;
    while (at != outer && base[at] != NONE) {
      chosen |= derived[at];
      at = base[at];
    }
    return at == outer && chosen;
  }

  private int root(int ofStorage) {
    int at = ofStorage;
    while (base[at] != NONE) {
      at = base[at];
    }
    return at;
  }

  /** Where the model says that one begins in another; empty if it does not. */
  private OptionalLong offsetIn(int inner, int outer) {
    long offset = 0;
    int at = inner;
    while (at != outer) {
      if (base[at] == NONE || derived[at] || inBase[at] == Long.MIN_VALUE) {
        return OptionalLong.empty();
      }
      try {
        offset = Math.addExact(offset, inBase[at]);
      } catch (ArithmeticException e) {
        return OptionalLong.empty();
      }
      at = base[at];
    }
    return OptionalLong.of(offset);
  }

  private boolean areApartBy(int inner, int outer, long offset) {
    ClaimedPlan.Place of = place[inner];
    ClaimedPlan.Place in = place[outer];
    return of != null
        && in != null
        && of.memId() == in.memId()
        && Offsets.differBy(of.offsetBytes(), in.offsetBytes(), offset);
  }
}
