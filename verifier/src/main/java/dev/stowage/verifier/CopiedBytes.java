package dev.stowage.verifier;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.TensorType.Dynamism;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The runs of bytes that a node copies, as its operator, its attributes and the shapes of its
 * tensors have it.
 *
 * <p>Implementation note. Every copy is a box of one tensor that is all of another: of a result a
 * box is an operand, or of an operand a box is a result. With the dimensions in memory outermost
 * first, a box is one run of bytes if from its first to its last element there are just as many as
 * it has. Boxes that are no single run are left out: they count as written anew.
 */
final class CopiedBytes {
  /** How the operands and results of an operator are boxes of one another. */
  private enum Form {
    JOINED_RESULT,
    STACKED_RESULT,
    JOINED_OPERAND,
    STACKED_OPERAND,
    ELEMENT,
    WINDOW,
    PADDED,
    SAME_BYTES,
    /** Same bytes if the order of dimensions cannot matter. */
    SAME_ORDER,
  }

  private static final ImmutableMap<String, Form> FORMS =
      ImmutableMap.<String, Form>builder()
          .put("concat", Form.JOINED_RESULT)
          .put("CONCATENATION", Form.JOINED_RESULT)
          .put("aten.cat.out", Form.JOINED_RESULT)
          .put("stack", Form.STACKED_RESULT)
          .put("PACK", Form.STACKED_RESULT)
          .put("aten.stack.out", Form.STACKED_RESULT)
          .put("split", Form.JOINED_OPERAND)
          .put("SPLIT", Form.JOINED_OPERAND)
          .put("SPLIT_V", Form.JOINED_OPERAND)
          .put("aten.split_with_sizes_copy.out", Form.JOINED_OPERAND)
          .put("aten.split_copy.Tensor_out", Form.JOINED_OPERAND)
          .put("unpack", Form.STACKED_OPERAND)
          .put("UNPACK", Form.STACKED_OPERAND)
          .put("select", Form.ELEMENT)
          .put("aten.select_copy.int_out", Form.ELEMENT)
          .put("slice", Form.WINDOW)
          .put("SLICE", Form.WINDOW)
          .put("STRIDED_SLICE", Form.WINDOW)
          .put("aten.slice_copy.Tensor_out", Form.WINDOW)
          .put("pad", Form.PADDED)
          .put("PAD", Form.PADDED)
          .put("PADV2", Form.PADDED)
          .put("aten.constant_pad_nd.out", Form.PADDED)
          .put("reshape", Form.SAME_BYTES)
          .put("RESHAPE", Form.SAME_BYTES)
          .put("SQUEEZE", Form.SAME_BYTES)
          .put("EXPAND_DIMS", Form.SAME_BYTES)
          .put("aten.view_copy.out", Form.SAME_BYTES)
          .put("aten.squeeze_copy.dims_out", Form.SAME_BYTES)
          .put("aten.unsqueeze_copy.out", Form.SAME_BYTES)
          .put("aten.alias_copy.out", Form.SAME_BYTES)
          .put("aten.clone.out", Form.SAME_BYTES)
          .put("copy", Form.SAME_BYTES)
          .put("dim_order_ops._clone_dim_order.out", Form.SAME_ORDER)
          .buildOrThrow();

  /**
   * Bytes of one tensor that become those of another.
   *
   * @param from tensor that is read
   * @param fromOffset where in it they begin
   * @param to tensor that is written
   * @param toOffset where in it they begin
   */
  record Run(int from, long fromOffset, int to, long toOffset, long bytes) {}

  private final Node node;
  private final List<Tensor> sources;
  private final List<Tensor> targets;
  private final ImmutableList.Builder<Run> runs = ImmutableList.builder();
  private long written;

  private CopiedBytes(Node node, List<Tensor> sources, List<Tensor> targets) {
    this.node = node;
    this.sources = sources;
    this.targets = targets;
  }

  /**
   * What a node copies.
   *
   * @param runs none where that is not certain, or the node does something else
   * @param complete true if the node writes no other byte
   */
  record Copied(ImmutableList<Run> runs, boolean complete) {
    private static final Copied NOTHING = new Copied(ImmutableList.of(), false);
  }

  /** The runs that a node copies. */
  static Copied of(Method method, Node node) {
    CopiedBytes copied = read(method, node);
    if (copied == null) {
      return Copied.NOTHING;
    }
    long all = copied.targets.stream().mapToLong(target -> target.type().bytes()).sum();
    return new Copied(copied.runs.build(), copied.written == all);
  }

  private static @Nullable CopiedBytes read(Method method, Node node) {
    Form form = FORMS.get(node.op());
    if (form == null
        || node.attributes().containsKey("activation")
        || node.attributes().containsKey("rescales")) {
      return null;
    }
    List<Tensor> sources = new ArrayList<>();
    List<Tensor> targets = new ArrayList<>();
    for (Operand operand : node.operands()) {
      if (operand.isHole()) {
        continue;
      }
      switch (operand.access()) {
        case READ -> sources.add(method.tensor(operand.tensor()));
        case WRITE -> targets.add(method.tensor(operand.tensor()));
        case READ_WRITE -> {
          return null;
        }
        case BIND -> {}
      }
    }
    boolean outArguments = !targets.isEmpty();
    for (int result : node.results().asList()) {
      Tensor tensor = method.tensor(result);
      if (outArguments == (tensor.alias() == null)) {
        return null;
      }
      if (!outArguments) {
        targets.add(tensor);
      }
    }
    if (node.op().equals("SPLIT") && !sources.isEmpty()) {
      sources.remove(0);
    }
    if (sources.isEmpty() || targets.isEmpty()) {
      return null;
    }
    CopiedBytes copied = new CopiedBytes(node, sources, targets);
    try {
      copied.find(form);
    } catch (ArithmeticException | NumberFormatException e) {
      return null; // sizes beyond all bounds, or an attribute that is none
    }
    return copied;
  }

  private void find(Form form) {
    Tensor source = sources.get(0);
    Tensor target = targets.get(0);
    switch (form) {
      case JOINED_RESULT -> lineUp(sources, target, true, false);
      case STACKED_RESULT -> lineUp(sources, target, true, true);
      case JOINED_OPERAND -> lineUp(targets, source, false, false);
      case STACKED_OPERAND -> lineUp(targets, source, false, true);
      case ELEMENT -> element(source, target);
      case WINDOW -> {
        ImmutableLongArray steps = numbers("strides");
        if (!node.attributes().containsKey("strides")
            || (!steps.isEmpty() && steps.stream().allMatch(step -> step == 1))) {
          box(source, target, numbers("begin"), target.type().shape(), false);
        }
      }
      case PADDED -> box(target, source, numbers("before"), source.type().shape(), true);
      case SAME_BYTES -> same(source, target);
      case SAME_ORDER -> {
        if (source.type().shape().equals(target.type().shape())
            && source.type().shape().stream().filter(size -> size != 1).count() <= 1) {
          same(source, target);
        }
      }
    }
  }

  private void same(Tensor source, Tensor target) {
    TensorType type = source.type();
    if (targets.size() == 1
        && type.dtype() == target.type().dtype()
        && type.bytes() == target.type().bytes()
        && type.dynamism() != Dynamism.UNBOUNDED) {
      add(source, 0, target, 0, type.bytes());
    }
  }

  /** The parts are boxes that follow one another along an axis of the whole. */
  private void lineUp(List<Tensor> parts, Tensor whole, boolean intoWhole, boolean newAxis) {
    if (intoWhole && targets.size() != 1) {
      return;
    }
    int rank = whole.type().shape().length();
    int axis = -1;
    if (node.attributes().containsKey("axis")) {
      axis = Integer.parseInt(node.attributes().getOrDefault("axis", ""));
      if (!fits(parts, whole, axis, newAxis)) {
        return;
      }
    } else {
      int possible = 0;
      for (int d = rank - 1; d >= 0; d--) {
        if (fits(parts, whole, d, newAxis)) {
          axis = d;
          possible++;
        }
      }
      // Formats that state no axis may have other orders of dimensions, outermost the first.
      if (possible == 0 || (parts.size() > 1 && (possible > 1 || (axis > 0 && rank > 3)))) {
        return;
      }
    }
    long at = 0;
    for (Tensor part : parts) {
      ImmutableLongArray extent = part.type().shape();
      if (newAxis) {
        extent = withOne(extent, axis);
      }
      long[] begin = new long[rank];
      begin[axis] = at;
      box(whole, part, ImmutableLongArray.copyOf(begin), extent, intoWhole);
      at += extent.get(axis);
    }
  }

  private static boolean fits(List<Tensor> parts, Tensor whole, int axis, boolean newAxis) {
    ImmutableLongArray outer = whole.type().shape();
    if (axis < 0 || axis >= outer.length()) {
      return false;
    }
    long sum = 0;
    for (Tensor part : parts) {
      ImmutableLongArray extent = part.type().shape();
      if (extent.length() != outer.length() - (newAxis ? 1 : 0)) {
        return false;
      }
      extent = newAxis ? withOne(extent, axis) : extent;
      for (int d = 0; d < outer.length(); d++) {
        if (d != axis && extent.get(d) != outer.get(d)) {
          return false;
        }
      }
      sum = Math.addExact(sum, extent.get(axis));
    }
    return sum == outer.get(axis);
  }

  private void element(Tensor source, Tensor target) {
    int rank = source.type().shape().length();
    ImmutableLongArray axis = numbers("axis");
    ImmutableLongArray index = numbers("index");
    if (axis.length() != 1
        || index.length() != 1
        || axis.get(0) < 0
        || axis.get(0) >= rank
        || target.type().shape().length() != rank - 1) {
      return;
    }
    int at = (int) axis.get(0);
    long[] begin = new long[rank];
    begin[at] = index.get(0);
    ImmutableLongArray extent = withOne(target.type().shape(), at);
    for (int d = 0; d < rank; d++) {
      if (d != at && extent.get(d) != source.type().shape().get(d)) {
        return;
      }
    }
    box(source, target, ImmutableLongArray.copyOf(begin), extent, false);
  }

  /** A part is a box of the whole; copied if it is one run. */
  private void box(
      Tensor whole,
      Tensor part,
      ImmutableLongArray begin,
      ImmutableLongArray extent,
      boolean intoWhole) {
    ImmutableLongArray shape = whole.type().shape();
    boolean single = !intoWhole || targets.size() == 1;
    if (!single
        || !isDense(whole)
        || !isDense(part)
        || whole.type().dtype() != part.type().dtype()
        || begin.length() != shape.length()
        || extent.length() != shape.length()) {
      return;
    }
    long first = 0;
    long last = 0;
    long count = 1;
    for (int d = 0; d < shape.length(); d++) {
      if (begin.get(d) < 0 || extent.get(d) > shape.get(d) - begin.get(d)) {
        return;
      }
      first = Math.addExact(Math.multiplyExact(first, shape.get(d)), begin.get(d));
      last =
          Math.addExact(Math.multiplyExact(last, shape.get(d)), begin.get(d) + extent.get(d) - 1);
      count = Math.multiplyExact(count, extent.get(d));
    }
    if (count > 0 && last - first + 1 != count) {
      return;
    }
    long offset = Math.multiplyExact(first, whole.type().dtype().bits() / Byte.SIZE);
    if (intoWhole) {
      add(part, 0, whole, offset, part.type().bytes());
    } else {
      add(whole, offset, part, 0, part.type().bytes());
    }
  }

  private void add(Tensor from, long fromOffset, Tensor to, long toOffset, long bytes) {
    written = Math.addExact(written, bytes);
    if (bytes > 0) {
      runs.add(new Run(from.id(), fromOffset, to.id(), toOffset, bytes));
    }
  }

  /** Whether all elements are there, whole bytes each, whatever happens at run time. */
  private static boolean isDense(Tensor tensor) {
    TensorType type = tensor.type();
    return type.dynamism() == Dynamism.STATIC
        && type.dtype().bits() >= Byte.SIZE
        && TensorType.denseBytes(type.dtype(), type.shape()).orElse(-1) == type.bytes();
  }

  private static ImmutableLongArray withOne(ImmutableLongArray shape, int axis) {
    if (axis > shape.length()) {
      return shape;
    }
    return ImmutableLongArray.builder()
        .addAll(shape.subArray(0, axis))
        .add(1)
        .addAll(shape.subArray(axis, shape.length()))
        .build();
  }

  private ImmutableLongArray numbers(String attribute) {
    String text = node.attributes().getOrDefault(attribute, "");
    ImmutableLongArray.Builder numbers = ImmutableLongArray.builder();
    if (!text.isEmpty()) {
      for (String number : text.split(":", -1)) {
        numbers.add(Long.parseLong(number));
      }
    }
    return numbers.build();
  }
}
