package dev.stowage.passes.memory;

import com.google.common.base.Splitter;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Placement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Runs the first graph of a method on real bytes, slowly: each storage in bytes of its own, or in
 * the arenas where it is placed. Elements are bytes. Nodes that only move bytes copy element by
 * element, in either order, those marked as idle do nothing, and all others spoil their results
 * before they read their operands, as nothing forbids them to.
 */
final class Interpreter {
  private final Method method;
  private final boolean inArenas;
  private final boolean backwards;
  private final Map<Integer, byte[]> memory = new HashMap<>();

  Interpreter(Method method, boolean inArenas, boolean backwards) {
    this.method = method;
    this.inArenas = inArenas;
    this.backwards = backwards;
  }

  /** The bytes of the outputs, one behind the other, and then of the state. */
  byte[] run(long seed) {
    memory.forEach(this::spoilWhatIsNotState);
    Random random = new Random(seed);
    for (int input : method.entry().inputs().asList()) {
      if (method.tensor(input).state() == null) {
        for (int i = 0; i < bytes(input); i++) {
          set(input, i, (byte) random.nextInt());
        }
      }
    }
    List<Byte> out = new ArrayList<>();
    for (Node node : method.entry().nodes()) {
      if (node.op().equals(Ops.OUTPUT)) {
        node.operands().forEach(operand -> add(out, operand.tensor()));
      } else if (!node.attributes().containsKey("nop")) {
        run(node);
      }
    }
    for (Tensor tensor : method.tensors()) {
      if (tensor.state() != null) {
        add(out, tensor.id());
      }
    }
    byte[] bytes = new byte[out.size()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = out.get(i);
    }
    return bytes;
  }

  private void add(List<Byte> out, int tensor) {
    for (int i = 0; i < bytes(tensor); i++) {
      out.add(get(tensor, i));
    }
  }

  private void spoilWhatIsNotState(int key, byte[] bytes) {
    boolean[] kept = new boolean[bytes.length];
    for (Tensor tensor : method.tensors()) {
      if (tensor.state() != null && key(tensor.id()) == key) {
        Arrays.fill(kept, start(tensor.id()), start(tensor.id()) + bytes(tensor.id()), true);
      }
    }
    for (int i = 0; i < kept.length; i++) {
      bytes[i] = kept[i] ? bytes[i] : (byte) 0xdb;
    }
  }

  private void run(Node node) {
    List<Integer> sources = new ArrayList<>();
    List<Integer> targets = new ArrayList<>();
    for (Operand operand : node.operands()) {
      if (operand.access() == Access.READ) {
        sources.add(operand.tensor());
      } else if (operand.access() == Access.WRITE) {
        targets.add(operand.tensor());
      }
    }
    for (int result : node.results().asList()) {
      if (method.tensor(result).alias() == null) {
        targets.add(result);
      }
    }
    switch (node.op()) {
      case Ops.INPUT, Ops.ALLOC, Ops.VIEW, Ops.OUTPUT -> {}
      case "relu_" -> {
        int changed = node.operands().get(0).tensor();
        for (int i = 0; i < bytes(changed); i++) {
          set(changed, i, (byte) (get(changed, i) * 5 + 1));
        }
      }
      case "concat", "aten.cat.out" -> {
        int at = 0;
        for (int source : sources) {
          copyBox(targets.get(0), source, axis(node), at, true);
          at += (int) shape(source).get(axis(node));
        }
      }
      case "split" -> {
        int at = 0;
        for (int target : targets) {
          copyBox(sources.get(0), target, axis(node), at, false);
          at += (int) shape(target).get(axis(node));
        }
      }
      case "slice" ->
          copyBox(sources.get(0), targets.get(0), numbers(node, "begin"), /* intoWhole= */ false);
      case "pad" -> pad(node, sources.get(0), targets.get(0));
      case "reshape" -> {
        int source = sources.get(0);
        copy(source, elements(source), targets.get(0), elements(targets.get(0)));
      }
      default -> compute(node.id(), sources, targets);
    }
  }

  private void compute(int salt, List<Integer> sources, List<Integer> targets) {
    for (int target : targets) {
      byte[] values = new byte[bytes(target)];
      for (int i = 0; i < values.length; i++) {
        set(target, i, (byte) 0xcc);
      }
      for (int source : sources) {
        for (int i = 0; i < values.length && bytes(source) > 0; i++) {
          values[i] += (byte) (salt + 3 * i + 7 * get(source, i % bytes(source)));
        }
        for (int i = 0; i < bytes(source); i++) {
          values[0] += (byte) ((2 * i + 1) * get(source, i));
        }
      }
      for (int i = 0; i < values.length; i++) {
        set(target, i, values[i]);
      }
    }
  }

  private int axis(Node node) {
    return Integer.parseInt(node.attributes().getOrDefault("axis", "0"));
  }

  private static int[] numbers(Node node, String attribute) {
    return Splitter.on(':')
        .splitToStream(node.attributes().getOrDefault(attribute, ""))
        .mapToInt(Integer::parseInt)
        .toArray();
  }

  private void copyBox(int whole, int part, int axis, int at, boolean intoWhole) {
    int[] begin = new int[shape(whole).length()];
    begin[axis] = at;
    copyBox(whole, part, begin, intoWhole);
  }

  private void copyBox(int whole, int part, int[] begin, boolean intoWhole) {
    int[] inWhole = box(whole, part, begin);
    if (intoWhole) {
      copy(part, elements(part), whole, inWhole);
    } else {
      copy(whole, inWhole, part, elements(part));
    }
  }

  private void pad(Node node, int source, int target) {
    int[] inside = box(target, source, numbers(node, "before"));
    for (int i = 0; i < bytes(target); i++) {
      int at = i;
      if (Arrays.stream(inside).noneMatch(element -> element == at)) {
        set(target, i, (byte) 0);
      }
    }
    copy(source, elements(source), target, inside);
  }

  /** The elements of a whole that are those of a part, in the part's order. */
  private int[] box(int whole, int part, int[] begin) {
    ImmutableLongArray inner = shape(part);
    ImmutableLongArray outer = shape(whole);
    int[] found = new int[bytes(part)];
    for (int i = 0; i < found.length; i++) {
      int rest = i;
      int stride = 1;
      for (int d = inner.length() - 1; d >= 0; d--) {
        found[i] += (rest % (int) inner.get(d) + begin[d]) * stride;
        rest /= (int) inner.get(d);
        stride *= (int) outer.get(d);
      }
    }
    return found;
  }

  private int[] elements(int tensor) {
    int[] all = new int[bytes(tensor)];
    Arrays.setAll(all, i -> i);
    return all;
  }

  private void copy(int source, int[] from, int target, int[] to) {
    for (int i = 0; i < from.length; i++) {
      int at = backwards ? from.length - 1 - i : i;
      set(target, to[at], get(source, from[at]));
    }
  }

  private ImmutableLongArray shape(int tensor) {
    return method.tensor(tensor).type().shape();
  }

  private int bytes(int tensor) {
    return (int) method.tensor(tensor).type().bytes();
  }

  private byte get(int tensor, int element) {
    return bytesOf(tensor)[start(tensor) + element];
  }

  private void set(int tensor, int element, byte value) {
    bytesOf(tensor)[start(tensor) + element] = value;
  }

  private byte[] bytesOf(int tensor) {
    int size = inArenas ? (int) arenaBytes(key(tensor)) : bytes(method.body().root(tensor));
    return memory.computeIfAbsent(key(tensor), key -> new byte[size]);
  }

  private long arenaBytes(int memId) {
    return method.get(MemoryKeys.ARENAS).orElseThrow().get(memId);
  }

  private int key(int tensor) {
    int root = method.body().root(tensor);
    return inArenas ? placement(root).memId() : root;
  }

  private int start(int tensor) {
    int root = method.body().root(tensor);
    int inRoot = (int) method.body().rootOffsetBytes(tensor);
    return inArenas ? (int) placement(root).offsetBytes() + inRoot : inRoot;
  }

  private Placement placement(int root) {
    return method.get(MemoryKeys.PLACEMENT, root).orElseThrow();
  }
}
