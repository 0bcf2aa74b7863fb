/**
 * The textual form {@code .stow} of programs: {@link dev.stowage.ir.text.ProgramPrinter} writes it,
 * {@link dev.stowage.ir.text.ProgramParser} reads it.
 *
 * <pre>
 * program "kws"
 *
 * state @cache : f32[1,64]
 *
 * method @forward {allocation=inputs:outputs:no-state} {
 *   tensor %5 "weight" : f32[4] const      # a tensor that no node yields
 *
 *   graph @main {
 *     %0 "x" : f32[8,4] {origin=0} = input
 *     %1 : f32[8,4] on cuda:0 = alloc
 *     %2 : f32[8,4] on cuda:0 same %1 = aten.add.out(%0, %0, _, out %1)
 *     %3 : f32[2,4] on cuda:0 view %2+32 = view(bind %2)
 *     %4 : f32[?,4] bounded 128 bytes = if([%3, %5], 3: %0) @then, @else {backend=Xnnpack}
 *     10: jump_if_false(%4) -> 12
 *     free(%1)
 *     12: output(%4)
 *   }
 *   ...
 * }
 * </pre>
 *
 * <p>A tensor is defined where the first node yields it: {@code %id "name" : type}, its device, its
 * alias edge, {@code const}, {@code state @name}, and its annotations in braces. The ids are those
 * of the tensor table, so a method defines each of 0, 1, 2... exactly once, in any order. Bytes
 * stand where they do not follow from the shape. The device stands on every tensor that is not on
 * the host, also on a view, though it is an annotation of the root.
 *
 * <p>A node is {@code id: results = op(operands) graphs -> target {attributes}}, all but the op
 * where there is something to say; its id stands where it is not one above the highest so far, or
 * where a node jumps to it. An operand is read, or {@code out}, {@code inout} or {@code bind};
 * {@code _} is an argument left out, {@code [...]} a list argument, and {@code 3: %0} an argument
 * at another position than the next.
 */
@NullMarked
package dev.stowage.ir.text;

import org.jspecify.annotations.NullMarked;
