/**
 * The graph that everything works on: a {@link dev.stowage.ir.Program} of {@link
 * dev.stowage.ir.Method}s, each a {@link dev.stowage.ir.Body} (tensors, and graphs of nodes) and
 * columns of annotations by tensor id.
 *
 * <p>A {@link dev.stowage.ir.Tensor} is a handle to bytes. {@link dev.stowage.ir.Alias} edges lead
 * from a handle to the tensor that owns the bytes, its root. What is known about bytes (device,
 * pin, placement) is kept at the root only: through a view one reads and writes the root's, so
 * nothing is forwarded and nothing can be forgotten.
 *
 * <p>Everything is immutable. {@link dev.stowage.ir.MethodBuilder} makes a method from nothing,
 * {@link dev.stowage.ir.GraphEditor} a changed copy of one.
 */
@NullMarked
package dev.stowage.ir;

import org.jspecify.annotations.NullMarked;
