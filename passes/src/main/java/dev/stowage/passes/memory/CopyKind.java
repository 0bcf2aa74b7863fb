package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/** What a node that moves bytes does with them, in the order in which copies are looked at. */
enum CopyKind {
  /** The same bytes in the same order. */
  WHOLE,
  /** One slice of the source along an axis. */
  SELECT,
  /** A window of the source. */
  SLICE,
  /** The results lie one behind the other in the source. */
  SPLIT,
  /** Each result is a slice of the source along an axis. */
  UNPACK,
  /** Each source is a slice of the result along a new axis. */
  PACK,
  /** The sources lie one behind the other in the result. */
  CONCATENATION,
  /** The source is a window of the result. */
  PAD;

  /** The operators of TensorFlow Lite, of ExecuTorch, and those of programs written by hand. */
  private static final ImmutableMap<String, CopyKind> BY_OPERATOR =
      ImmutableMap.<String, CopyKind>builder()
          .put("concat", CONCATENATION)
          .put("CONCATENATION", CONCATENATION)
          .put("aten.cat.out", CONCATENATION)
          .put("stack", PACK)
          .put("PACK", PACK)
          .put("aten.stack.out", PACK)
          .put("slice", SLICE)
          .put("SLICE", SLICE)
          .put("STRIDED_SLICE", SLICE)
          .put("aten.slice_copy.Tensor_out", SLICE)
          .put("split", SPLIT)
          .put("SPLIT", SPLIT)
          .put("SPLIT_V", SPLIT)
          .put("aten.split_with_sizes_copy.out", SPLIT)
          .put("aten.split_copy.Tensor_out", SPLIT)
          .put("unpack", UNPACK)
          .put("UNPACK", UNPACK)
          .put("select", SELECT)
          .put("aten.select_copy.int_out", SELECT)
          .put("reshape", WHOLE)
          .put("RESHAPE", WHOLE)
          .put("SQUEEZE", WHOLE)
          .put("EXPAND_DIMS", WHOLE)
          .put("aten.view_copy.out", WHOLE)
          .put("aten.squeeze_copy.dims_out", WHOLE)
          .put("aten.unsqueeze_copy.out", WHOLE)
          .put("aten.alias_copy.out", WHOLE)
          .put("aten.clone.out", WHOLE)
          .put("copy", WHOLE)
          .put("dim_order_ops._clone_dim_order.out", WHOLE)
          .put("pad", PAD)
          .put("PAD", PAD)
          .put("PADV2", PAD)
          .put("aten.constant_pad_nd.out", PAD)
          .buildOrThrow();

  /** What an operator does, if it only moves bytes. */
  static Optional<CopyKind> of(String op) {
    return Optional.ofNullable(BY_OPERATOR.get(op));
  }
}
