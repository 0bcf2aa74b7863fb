package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.ir.Alias;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.TensorType.Dynamism;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * What a node that only moves bytes copies from where to where, as far as its attributes and the
 * shapes of its tensors prove it. Dimensions lie in memory outermost first, so a part is in one
 * piece in its whole where all dimensions before the axis have one element.
 *
 * <p>Where no attribute states the axis, the shapes may: it is the only dimension in which they
 * differ. But those are shapes of a format that has other orders of dimensions in memory too, such
 * as channels last. All keep dimension 0 outermost and are there from four dimensions on, so shapes
 * prove nothing of a later axis then.
 *
 * @param moves what is copied, in the order of the parts; empty where nothing is known
 * @param complete true if these bytes are all that the node writes
 * @param unknown why nothing is known; empty if something is
 */
record ByteMoves(ImmutableList<ByteMove> moves, boolean complete, String unknown) {
  private static final int RANKS_IN_ONE_ORDER = 3;

  private static ByteMoves unknown(String why) {
    return new ByteMoves(ImmutableList.of(), false, why);
  }

  private static ByteMoves of(List<ByteMove> moves, boolean complete) {
    return new ByteMoves(
        moves.stream().filter(move -> move.bytes() > 0).collect(ImmutableList.toImmutableList()),
        complete,
        "");
  }

  /** What a node of a kind copies. */
  static ByteMoves of(Method method, Node node, CopyKind kind) {
    for (String computes : List.of("activation", "rescales")) {
      if (node.attributes().containsKey(computes)) {
        return unknown("it also computes: " + computes + "=" + node.attributes().get(computes));
      }
    }
    List<Tensor> read = new ArrayList<>();
    List<Tensor> written = new ArrayList<>();
    for (Operand operand : node.operands()) {
      if (operand.isHole() || operand.access() == Access.BIND) {
        continue;
      }
      if (operand.access() == Access.READ_WRITE) {
        return unknown("it updates " + method.tensor(operand.tensor()).describe());
      }
      (operand.access() == Access.READ ? read : written).add(method.tensor(operand.tensor()));
    }
    boolean fills = !written.isEmpty();
    for (int result : node.results().asList()) {
      Alias alias = method.tensor(result).alias();
      boolean handle = alias != null && alias.kind() != Alias.Kind.MUTATES;
      if (fills ? !handle : alias != null) {
        return unknown("its result " + method.tensor(result).describe() + " is no copy");
      }
      if (!fills) {
        written.add(method.tensor(result));
      }
    }
    if (node.op().equals("SPLIT") && !read.isEmpty()) {
      read.remove(0); // the axis
    }
    if (read.isEmpty() || written.isEmpty()) {
      return unknown("it copies nothing");
    }
    try {
      return new Parts(node, read, written).moves(kind);
    } catch (ArithmeticException e) {
      return unknown("its sizes are beyond all bounds");
    }
  }

  /** The tensors of one node, and where the parts lie in the whole. */
  private record Parts(Node node, List<Tensor> read, List<Tensor> written) {
    ByteMoves moves(CopyKind kind) {
      return switch (kind) {
        case WHOLE -> written.size() == 1 ? whole(read.get(0), written.get(0)) : severalResults();
        case CONCATENATION ->
            written.size() == 1 ? joined(read, written.get(0), true) : severalResults();
        case PACK -> written.size() == 1 ? stacked(read, written.get(0), true) : severalResults();
        case SPLIT -> joined(written, read.get(0), false);
        case UNPACK -> stacked(written, read.get(0), false);
        case SELECT -> written.size() == 1 ? selected() : severalResults();
        case SLICE -> written.size() == 1 ? sliced() : severalResults();
        case PAD -> written.size() == 1 ? padded() : severalResults();
      };
    }

    private static ByteMoves severalResults() {
      return unknown("it has several results");
    }

    private ByteMoves whole(Tensor source, Tensor target) {
      if (source.type().dtype() != target.type().dtype()) {
        return unknown("the element types differ");
      }
      if (source.type().bytes() != target.type().bytes()
          || source.type().dynamism() == Dynamism.UNBOUNDED) {
        return unknown("the sizes differ, or are not known");
      }
      if (node.op().equals("dim_order_ops._clone_dim_order.out")
          && (!source.type().shape().equals(target.type().shape())
              || source.type().shape().stream().filter(size -> size != 1).count() > 1)) {
        return unknown("the order of dimensions in memory may change");
      }
      return of(
          List.of(new ByteMove(source.id(), target.id(), false, 0, source.type().bytes())), true);
    }

    /** Parts one behind the other along an axis of the whole. */
    private ByteMoves joined(List<Tensor> parts, Tensor whole, boolean intoWhole) {
      Optional<String> fault = fault(parts, whole);
      if (fault.isPresent()) {
        return unknown(fault.get());
      }
      return along(parts, whole, intoWhole, Parts::isJoined);
    }

    /** How parts may make up a whole along an axis. */
    private interface MakeUp {
      boolean holds(List<Tensor> parts, ImmutableLongArray whole, int axis);
    }

    private ByteMoves along(List<Tensor> parts, Tensor whole, boolean intoWhole, MakeUp makeUp) {
      ImmutableLongArray shape = whole.type().shape();
      boolean stated = node.attributes().containsKey("axis");
      OptionalInt axis = stated ? number("axis") : onlyAxis(parts, shape, makeUp);
      if (axis.isEmpty()) {
        return unknown(
            stated ? "the axis is no number" : "the axis is not stated, and shapes do not tell it");
      }
      int at = axis.getAsInt();
      if (!makeUp.holds(parts, shape, at)) {
        return unknown("the shapes do not add up along dimension " + at);
      }
      if (parts.size() > 1 && !stated && at > 0 && shape.length() > RANKS_IN_ONE_ORDER) {
        return unknown("how the dimensions lie in memory is not known");
      }
      return parts.size() > 1 && elements(shape, 0, at) > 1
          ? strided(at)
          : behindEachOther(parts, whole, intoWhole);
    }

    /** The only axis along which the parts make up the whole; for a single part, any. */
    private static OptionalInt onlyAxis(
        List<Tensor> parts, ImmutableLongArray whole, MakeUp makeUp) {
      int[] found =
          IntStream.range(0, whole.length())
              .filter(axis -> makeUp.holds(parts, whole, axis))
              .toArray();
      return found.length == 1 || (found.length > 1 && parts.size() == 1)
          ? OptionalInt.of(found[0])
          : OptionalInt.empty();
    }

    private static boolean isJoined(List<Tensor> parts, ImmutableLongArray whole, int axis) {
      if (axis >= whole.length()) {
        return false;
      }
      long sum = 0;
      for (Tensor part : parts) {
        ImmutableLongArray shape = part.type().shape();
        if (shape.length() != whole.length()) {
          return false;
        }
        for (int d = 0; d < shape.length(); d++) {
          if (d != axis && shape.get(d) != whole.get(d)) {
            return false;
          }
        }
        sum = Math.addExact(sum, shape.get(axis));
      }
      return sum == whole.get(axis);
    }

    /** Parts each of which is one element of the whole along an axis that they do not have. */
    private ByteMoves stacked(List<Tensor> parts, Tensor whole, boolean intoWhole) {
      Optional<String> fault = fault(parts, whole);
      if (fault.isPresent()) {
        return unknown(fault.get());
      }
      return along(parts, whole, intoWhole, Parts::isStacked);
    }

    private static boolean isStacked(List<Tensor> parts, ImmutableLongArray whole, int axis) {
      return axis < whole.length()
          && whole.get(axis) == parts.size()
          && parts.stream().allMatch(part -> part.type().shape().equals(without(whole, axis)));
    }

    private ByteMoves selected() {
      Tensor source = read.get(0);
      Tensor target = written.get(0);
      Optional<String> fault = fault(written, source);
      if (fault.isPresent()) {
        return unknown(fault.get());
      }
      OptionalInt axis = number("axis");
      OptionalInt index = number("index");
      if (axis.isEmpty() || index.isEmpty()) {
        return unknown("the axis and the index are not stated");
      }
      ImmutableLongArray shape = source.type().shape();
      int at = axis.getAsInt();
      if (at >= shape.length()
          || index.getAsInt() >= shape.get(at)
          || !target.type().shape().equals(without(shape, at))) {
        return unknown("the shapes are not those of element " + index.getAsInt() + " along " + at);
      }
      if (elements(shape, 0, at) > 1) {
        return strided(at);
      }
      long bytes = target.type().bytes();
      return of(
          List.of(
              new ByteMove(
                  source.id(),
                  target.id(),
                  false,
                  Math.multiplyExact(index.getAsInt(), bytes),
                  bytes)),
          true);
    }

    private ByteMoves sliced() {
      Tensor source = read.get(0);
      Tensor target = written.get(0);
      Optional<String> fault = fault(written, source);
      if (fault.isPresent()) {
        return unknown(fault.get());
      }
      long[] strides = numbers("strides");
      if (node.attributes().containsKey("strides")
          && (strides.length == 0 || Arrays.stream(strides).anyMatch(stride -> stride != 1))) {
        return unknown("it steps over elements");
      }
      return window(source, target, numbers("begin"), "begin", false);
    }

    private ByteMoves padded() {
      Optional<String> fault = fault(List.of(read.get(0)), written.get(0));
      return fault.isPresent()
          ? unknown(fault.get())
          : window(written.get(0), read.get(0), numbers("before"), "before", true);
    }

    /** A part that lies in the whole from given indices on. */
    private ByteMoves window(
        Tensor whole, Tensor part, long[] begin, String attribute, boolean intoWhole) {
      ImmutableLongArray outer = whole.type().shape();
      ImmutableLongArray inner = part.type().shape();
      if (begin.length == 0 && outer.length() > 0) {
        return unknown("the attribute " + attribute + " is not stated");
      }
      if (begin.length != outer.length() || inner.length() != outer.length()) {
        return unknown("the shapes and the attribute " + attribute + " differ in dimensions");
      }
      int axis = 0;
      for (int d = 0; d < begin.length; d++) {
        if (begin[d] < 0 || inner.get(d) > outer.get(d) - begin[d]) {
          return unknown("the window reaches past the end of dimension " + d);
        }
        axis = inner.get(d) == outer.get(d) ? axis : d;
      }
      if (elements(inner, 0, axis) > 1) {
        return strided(axis);
      }
      long at = 0;
      for (int d = 0; d < begin.length; d++) {
        at = Math.addExact(Math.multiplyExact(at, outer.get(d)), begin[d]);
      }
      long bytes = part.type().bytes();
      long offset = Math.multiplyExact(at, part.type().dtype().bits() / Byte.SIZE);
      return of(
          List.of(
              intoWhole
                  ? new ByteMove(part.id(), whole.id(), true, offset, bytes)
                  : new ByteMove(whole.id(), part.id(), false, offset, bytes)),
          !intoWhole || bytes == whole.type().bytes());
    }

    private static ByteMoves behindEachOther(List<Tensor> parts, Tensor whole, boolean intoWhole) {
      List<ByteMove> moves = new ArrayList<>();
      long offset = 0;
      for (Tensor part : parts) {
        long bytes = part.type().bytes();
        moves.add(
            intoWhole
                ? new ByteMove(part.id(), whole.id(), true, offset, bytes)
                : new ByteMove(whole.id(), part.id(), false, offset, bytes));
        offset = Math.addExact(offset, bytes);
      }
      return of(moves, true);
    }

    private static ByteMoves strided(int axis) {
      return unknown(
          "dimensions before dimension " + axis + " have several elements, so parts are in pieces");
    }

    /** What is wrong with the types of all, if anything. */
    private static Optional<String> fault(List<Tensor> parts, Tensor whole) {
      List<Tensor> all = new ArrayList<>(parts);
      all.add(whole);
      for (Tensor tensor : all) {
        TensorType type = tensor.type();
        if (type.dtype() != whole.type().dtype()) {
          return Optional.of("the element types differ");
        }
        if (type.dynamism() != Dynamism.STATIC || type.shape().contains(TensorType.UNKNOWN)) {
          return Optional.of("the shape of " + tensor.describe() + " may change");
        }
        if (type.dtype().bits() < Byte.SIZE
            || type.bytes() != TensorType.denseBytes(type.dtype(), type.shape()).orElse(-1)) {
          return Optional.of("the elements of " + tensor.describe() + " are not whole bytes");
        }
      }
      return Optional.empty();
    }

    private static long elements(ImmutableLongArray shape, int from, int to) {
      return shape.subArray(from, to).stream().reduce(1, Math::multiplyExact);
    }

    private static ImmutableLongArray without(ImmutableLongArray shape, int axis) {
      return ImmutableLongArray.builder(shape.length())
          .addAll(shape.subArray(0, axis))
          .addAll(shape.subArray(axis + 1, shape.length()))
          .build();
    }

    /** An attribute that is a number, 0 or more. */
    private OptionalInt number(String name) {
      long[] numbers = numbers(name);
      return numbers.length == 1 && numbers[0] >= 0 && numbers[0] <= Integer.MAX_VALUE
          ? OptionalInt.of((int) numbers[0])
          : OptionalInt.empty();
    }

    /** An attribute of numbers separated by colons; empty if there is none, or it is none. */
    private long[] numbers(String name) {
      String text = node.attributes().getOrDefault(name, "");
      try {
        return text.isEmpty()
            ? new long[0]
            : Arrays.stream(text.split(":", -1)).mapToLong(Long::parseLong).toArray();
      } catch (NumberFormatException e) {
        return new long[0];
      }
    }
  }
}
