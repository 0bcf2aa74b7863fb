package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.ir.Method;
import dev.stowage.passes.Fact;
import dev.stowage.passes.MethodPass;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.Statistic;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.planning.Limits;

/**
 * Places tensors inside others from which or to which they are only copied: {@link CopyElision}
 * does the work.
 */
public final class ElideCopiesPass implements MethodPass {
  /** What it is called in pipelines. */
  public static final String NAME = "elide-copies";

  private static final OptionSpec<ImmutableList<CopyKind>> COPIES =
      OptionSpec.of(
          "copies",
          "the kinds of copies that may vanish",
          OptionType.list(OptionType.choice(CopyKind.class)),
          ImmutableList.of(
              CopyKind.WHOLE,
              CopyKind.SELECT,
              CopyKind.SLICE,
              CopyKind.SPLIT,
              CopyKind.UNPACK,
              CopyKind.PACK,
              CopyKind.CONCATENATION));

  private static final OptionSpec<Long> PART_ALIGN =
      OptionSpec.of(
          "part-align",
          "what the offset of a part in its whole is a multiple of",
          OptionType.bytes(1, Limits.MAX_ALIGNMENT),
          8L);

  private static final OptionSpec<Boolean> REPORT =
      OptionSpec.of(
          "report",
          "prints for each copy that it vanishes, or why not",
          OptionType.BOOLEAN,
          /* defaultValue= */ false);

  private static final Statistic COPIES_ELIDED =
      new Statistic("copies", "copies of tensors that need not be made any more");
  private static final Statistic BYTES =
      new Statistic("bytes", "bytes that these copies would move in one inference");
  private static final Statistic NOPS = new Statistic("nops", "nodes that have nothing left to do");

  private static final PassSpec SPEC =
      PassSpec.named(NAME)
          .summary("places parts inside their wholes, so that they need not be copied")
          .description(
              """
              What is concatenated or packed lies inside the result then, and slices, splits,
              unpacked elements and reshaped tensors inside their source, as shares=%BASE:OFFSET:derived
              of their storages. A node that has nothing left to copy is marked by the attribute
              nop=true; the others still run, and copy some bytes to where they are already.

              A part must be in one piece in its whole: all dimensions before the axis have one
              element. Its offset is a multiple of part-align, unless it is an input or the result of
              the copy an output of the method. Parts and wholes are placed by the plan, on one
              device, and what is asked of the bytes of a part is asked of those of the whole. Neither
              is written, where they overlap, while the other is still needed.

              What nodes copy follows from their attributes (axis, begin, strides, index, before) and
              from shapes. Where these do not prove it, nothing changes; report=true says why. A
              padded tensor is placed inside the result only if copies names pad: the node still
              writes the padding, and some kernels clear the whole result before they copy.
              """)
          .options(COPIES, PART_ALIGN, REPORT)
          .statistics(COPIES_ELIDED, BYTES, NOPS)
          .after("assign-devices", "copies between devices stay")
          .after("annotate-shared-alloc", "what the model declares comes first")
          .after("pin-pool", "a part goes to the pool of its whole")
          .after(ApplyTargetRulesPass.NAME, "a part must be able to lie where its whole does")
          .before(Profiles.PLAN, "a plan that is made does not heed new sharing")
          .destroys(Fact.PLAN)
          .idempotent()
          .build();

  @Override
  public PassSpec spec() {
    return SPEC;
  }

  @Override
  public Method run(Method method, PassContext context) {
    boolean reports = context.get(REPORT);
    CopyElision elision =
        new CopyElision(
            method,
            ImmutableSet.copyOf(context.get(COPIES)),
            context.get(PART_ALIGN),
            line -> {
              if (reports) {
                context.print(line + "\n");
              }
            });
    elision.run();
    context.count(COPIES_ELIDED, elision.copies());
    context.count(BYTES, elision.bytes());
    context.count(NOPS, elision.nops());
    return elision.result();
  }
}
