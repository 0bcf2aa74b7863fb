package dev.stowage.verifier;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.Ints;
import com.google.common.primitives.Longs;
import dev.stowage.ir.Alias;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which bytes a node moves without changing them, found from its operator, its attributes and the
 * shapes. Where something is not known, nothing is said to move, and the node counts as one that
 * writes what nobody knows.
 *
 * <p>Attributes: {@code axis} of a concatenation, split, pack, unpack or select; {@code begin} and
 * {@code strides} of a slice, {@code before} of a padding, by dimension with colons between them;
 * {@code index} of a select. An {@code activation}, or {@code rescales}, means that bytes are
 * changed after all.
 */
final class Movements {
  private static final String NO_OPERATION = "nop";

  /** More pieces than anyone would make a view of. */
  private static final long MOST_PIECES = 1024;

  private enum Kind {
    CONCATENATION,
    PACK,
    SLICE,
    SPLIT,
    SPLIT_BY_FIRST_OPERAND,
    UNPACK,
    SELECT,
    WHOLE,
    SAME_SHAPE,
    PAD
  }

  private static final ImmutableMap<String, Kind> KINDS =
      ImmutableMap.<String, Kind>builder()
          .put("concat", Kind.CONCATENATION)
          .put("CONCATENATION", Kind.CONCATENATION)
          .put("aten.cat.out", Kind.CONCATENATION)
          .put("stack", Kind.PACK)
          .put("PACK", Kind.PACK)
          .put("aten.stack.out", Kind.PACK)
          .put("slice", Kind.SLICE)
          .put("SLICE", Kind.SLICE)
          .put("STRIDED_SLICE", Kind.SLICE)
          .put("aten.slice_copy.Tensor_out", Kind.SLICE)
          .put("split", Kind.SPLIT)
          .put("SPLIT", Kind.SPLIT_BY_FIRST_OPERAND)
          .put("SPLIT_V", Kind.SPLIT)
          .put("aten.split_with_sizes_copy.out", Kind.SPLIT)
          .put("aten.split_copy.Tensor_out", Kind.SPLIT)
          .put("unpack", Kind.UNPACK)
          .put("UNPACK", Kind.UNPACK)
          .put("select", Kind.SELECT)
          .put("aten.select_copy.int_out", Kind.SELECT)
          .put("reshape", Kind.WHOLE)
          .put("RESHAPE", Kind.WHOLE)
          .put("SQUEEZE", Kind.WHOLE)
          .put("EXPAND_DIMS", Kind.WHOLE)
          .put("aten.view_copy.out", Kind.WHOLE)
          .put("aten.squeeze_copy.dims_out", Kind.WHOLE)
          .put("aten.unsqueeze_copy.out", Kind.WHOLE)
          .put("aten.alias_copy.out", Kind.WHOLE)
          .put("aten.clone.out", Kind.WHOLE)
          .put(Ops.COPY, Kind.WHOLE)
          .put("dim_order_ops._clone_dim_order.out", Kind.SAME_SHAPE)
          .put("pad", Kind.PAD)
          .put("PAD", Kind.PAD)
          .put("PADV2", Kind.PAD)
          .put("aten.constant_pad_nd.out", Kind.PAD)
          .buildOrThrow();

  private final Method method;
  private final Node node;
  private final ImmutableList.Builder<Piece> pieces = ImmutableList.builder();
  private long count;

  /**
   * Bytes that a node moves as they are.
   *
   * @param from tensor that they come from
   * @param fromByte where they begin in it
   * @param to tensor that they go to
   * @param toByte where they begin in that
   * @param bytes how many there are, 1 or more
   */
  record Piece(int from, long fromByte, int to, long toByte, long bytes) {}

  private Movements(Method method, Node node) {
    this.method = method;
    this.node = node;
  }

  /** What a node moves; empty where it may change bytes, or that is not known. */
  static ImmutableList<Piece> of(Method method, Node node) {
    Kind kind = KINDS.get(node.op());
    if (kind == null
        || node.attributes().containsKey("activation")
        || node.attributes().containsKey("rescales")) {
      return ImmutableList.of();
    }
    Movements movements = new Movements(method, node);
    return movements.find(kind) ? movements.pieces.build() : ImmutableList.of();
  }

  /** True if a node does nothing any more, as what it moves is there already. */
  static boolean isNoOperation(Node node) {
    return "true".equals(node.attributes().get(NO_OPERATION));
  }

  private boolean find(Kind kind) {
    List<Integer> from = new ArrayList<>();
    List<Integer> to = new ArrayList<>();
    for (Operand operand : node.operands()) {
      if (!operand.isHole() && operand.access() == Access.READ) {
        from.add(operand.tensor());
      } else if (!operand.isHole() && operand.access() == Access.WRITE) {
        to.add(operand.tensor());
      }
    }
    for (int result : node.results().asList()) {
      Alias alias = method.tensor(result).alias();
      if (alias == null) {
        to.add(result);
      } else if (alias.kind() != Alias.Kind.SAME) {
        return false;
      }
    }
    int first = kind == Kind.SPLIT_BY_FIRST_OPERAND ? 1 : 0;
    if (from.size() <= first || to.isEmpty()) {
      return false;
    }
    int source = from.get(first);
    int target = to.get(0);
    return switch (kind) {
      case CONCATENATION -> to.size() == 1 && concatenate(from, target, false);
      case PACK -> to.size() == 1 && stack(from, target, false);
      case SPLIT, SPLIT_BY_FIRST_OPERAND -> concatenate(to, source, true);
      case UNPACK -> stack(to, source, true);
      case SELECT -> to.size() == 1 && select(source, target);
      case SLICE -> to.size() == 1 && slice(source, target);
      case PAD -> to.size() == 1 && pad(source, target);
      case WHOLE -> to.size() == 1 && whole(source, target);
      case SAME_SHAPE ->
          to.size() == 1
              && type(source).shape().equals(type(target).shape())
              && whole(source, target);
    };
  }

  /** Parts that lie one behind the other in a whole; {@code back} if they come out of it. */
  private boolean concatenate(List<Integer> parts, int whole, boolean back) {
    long @Nullable [] shape = shape(whole);
    Integer axis = shape == null ? null : axis(parts, shape);
    if (shape == null || axis == null) {
      return false;
    }
    long[] at = new long[shape.length];
    for (int part : parts) {
      long @Nullable [] extent = shape(part);
      if (extent == null || extent.length != shape.length || !move(part, whole, at, back)) {
        return false;
      }
      at[axis] += extent[axis];
    }
    return at[axis] == shape[axis];
  }

  /** The stated axis, or the only one along which the parts make up the whole. */
  private @Nullable Integer axis(List<Integer> parts, long[] whole) {
    if (node.attributes().containsKey("axis")) {
      return attributeBelow("axis", whole.length);
    }
    Integer found = null;
    for (int axis = 0; axis < whole.length; axis++) {
      long sum = 0;
      boolean fits = true;
      for (int part : parts) {
        long @Nullable [] extent = shape(part);
        if (extent == null || extent.length != whole.length) {
          return null;
        }
        sum += extent[axis];
        extent[axis] = whole[axis];
        fits &= Arrays.equals(extent, whole);
      }
      if (fits && sum == whole[axis]) {
        if (found != null && parts.size() > 1) {
          return null;
        }
        found = axis;
      }
    }
    return found;
  }

  /** Parts that are slices of a whole along an axis of its own. */
  private boolean stack(List<Integer> parts, int whole, boolean back) {
    long @Nullable [] shape = shape(whole);
    Integer axis = shape == null ? null : attributeBelow("axis", shape.length);
    if (shape == null || axis == null || shape[axis] != parts.size()) {
      return false;
    }
    long[] at = new long[shape.length];
    for (int part : parts) {
      if (!isFlatter(part, shape) || !move(part, whole, at, back)) {
        return false;
      }
      at[axis]++;
    }
    return true;
  }

  private boolean select(int source, int target) {
    long @Nullable [] shape = shape(source);
    Integer axis = shape == null ? null : attributeBelow("axis", shape.length);
    Integer index =
        shape == null || axis == null
            ? null
            : attributeBelow("index", Ints.saturatedCast(shape[axis]));
    if (shape == null || axis == null || index == null || !isFlatter(target, shape)) {
      return false;
    }
    long[] at = new long[shape.length];
    at[axis] = index;
    return move(target, source, at, /* back= */ true);
  }

  private boolean isFlatter(int part, long[] whole) {
    return type(part).shape().length() == whole.length - 1;
  }

  private boolean slice(int source, int target) {
    long @Nullable [] begin = attribute("begin");
    long @Nullable [] strides = attribute("strides");
    if (begin == null
        || (node.attributes().containsKey("strides") && strides == null)
        || (strides != null && Longs.max(strides) != 1)
        || (strides != null && Longs.min(strides) != 1)) {
      return false;
    }
    return move(target, source, begin, /* back= */ true);
  }

  private boolean pad(int source, int target) {
    long @Nullable [] before = attribute("before");
    return before != null && move(source, target, before, /* back= */ false);
  }

  private boolean whole(int source, int target) {
    long bytes = type(source).bytes();
    if (!isFixed(source)
        || !isFixed(target)
        || type(source).dtype() != type(target).dtype()
        || bytes != type(target).bytes()) {
      return false;
    }
    return bytes == 0 || add(source, 0, target, 0, bytes);
  }

  /** Moves all of a part into a whole, or out of it. The part may lack the axis. */
  private boolean move(int part, int whole, long[] at, boolean back) {
    long @Nullable [] outer = shape(whole);
    long @Nullable [] inner = shape(part);
    if (outer == null
        || inner == null
        || type(part).dtype() != type(whole).dtype()
        || at.length != outer.length) {
      return false;
    }
    long @Nullable [] extent = inner.length == outer.length ? inner : withAxis(inner, outer.length);
    if (extent == null) {
      return false;
    }
    for (int i = 0; i < outer.length; i++) {
      if (at[i] < 0 || at[i] > outer[i] || extent[i] > outer[i] - at[i]) {
        return false;
      }
    }
    return rows(part, whole, at, extent, outer, back);
  }

  /** A shape with a dimension of 1 at the axis. */
  private long @Nullable [] withAxis(long[] shape, int rank) {
    Integer axis = attributeBelow("axis", rank);
    if (axis == null || shape.length != rank - 1) {
      return null;
    }
    long[] extent = new long[rank];
    Arrays.fill(extent, 1);
    System.arraycopy(shape, 0, extent, 0, axis);
    System.arraycopy(shape, axis, extent, axis + 1, shape.length - axis);
    return extent;
  }

  /** Adds the pieces of a box, each as long as can be. */
  private boolean rows(int part, int whole, long[] at, long[] extent, long[] outer, boolean back) {
    long elementBytes = type(whole).dtype().bits() / 8;
    int outermost = outer.length;
    long run = elementBytes;
    // Dimensions that the part fills are of one piece with the next.
    while (outermost > 0) {
      outermost--;
      run *= extent[outermost];
      if (extent[outermost] != outer[outermost]) {
        break;
      }
    }
    if (run == 0) {
      return true;
    }
    long[] stride = new long[outer.length];
    long bytes = elementBytes;
    long start = 0;
    for (int i = outer.length - 1; i >= 0; i--) {
      stride[i] = bytes;
      start += at[i] * bytes;
      bytes *= outer[i];
    }
    long pieceCount = 1;
    for (int i = 0; i < outermost; i++) {
      pieceCount *= extent[i];
      if (pieceCount == 0 || pieceCount > MOST_PIECES) {
        return pieceCount == 0;
      }
    }
    for (long piece = 0; piece < pieceCount; piece++) {
      long rest = piece;
      long inWhole = start;
      for (int i = outermost - 1; i >= 0; i--) {
        inWhole += rest % extent[i] * stride[i];
        rest /= extent[i];
      }
      boolean added =
          back
              ? add(whole, inWhole, part, piece * run, run)
              : add(part, piece * run, whole, inWhole, run);
      if (!added) {
        return false;
      }
    }
    return true;
  }

  private boolean add(int from, long fromByte, int to, long toByte, long bytes) {
    pieces.add(new Piece(from, fromByte, to, toByte, bytes));
    return ++count <= MOST_PIECES;
  }

  private TensorType type(int tensor) {
    return method.tensor(tensor).type();
  }

  private boolean isFixed(int tensor) {
    return type(tensor).dynamism() == TensorType.Dynamism.STATIC;
  }

  /** The dimensions of a tensor that is dense and of whole bytes, or null. */
  private long @Nullable [] shape(int tensor) {
    Tensor described = method.tensor(tensor);
    TensorType type = described.type();
    int bits = type.dtype().bits();
    if (!isFixed(tensor) || bits < 8) {
      return null;
    }
    try {
      boolean dense = TensorType.denseBytes(type.dtype(), type.shape()).orElse(-1) == type.bytes();
      return dense ? type.shape().toArray() : null;
    } catch (ArithmeticException e) {
      return null;
    }
  }

  private @Nullable Integer attributeBelow(String name, int limit) {
    long @Nullable [] values = attribute(name);
    return values != null && values.length == 1 && values[0] >= 0 && values[0] < limit
        ? (int) values[0]
        : null;
  }

  private long @Nullable [] attribute(String name) {
    String text = node.attributes().get(name);
    if (text == null) {
      return null;
    }
    List<Long> values = new ArrayList<>();
    for (String part : Splitter.on(':').split(text)) {
      Long value = Longs.tryParse(part);
      if (value == null) {
        return null;
      }
      values.add(value);
    }
    return Longs.toArray(values);
  }
}
