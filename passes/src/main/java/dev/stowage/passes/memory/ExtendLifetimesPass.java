package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Kinds;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.base.Options;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import dev.stowage.passes.Fact;
import dev.stowage.passes.MethodPass;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.Statistic;
import dev.stowage.passes.lowering.Profiles;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Keeps tensors alive longer than their uses say, as {@link MemoryKeys#UNTIL}: storage bases for
 * what lies in them, what asynchronous units read late, and what a user wants to see at the end.
 *
 * <p>The node that a tensor outlasts stands in the graph of the node that reads it late, or that
 * yields what is to be kept. In the body of a loop that is a node of the same trip, at most its
 * last: a read that is still under way when the trip ends is not waited for. What the body reads
 * from outside lives through the whole loop anyway, as the next trip reads it again, and after the
 * last trip until that node.
 *
 * <p>A base that holds something because a pass chose so ({@link Shares#derived}) is left alone. In
 * that sharing the contents of the base end where the others begin, which the verifier proves anew;
 * to hold the base longer would deny it. Profiles that know of such tensors keep the bytes of a
 * base for what lies in it.
 */
public final class ExtendLifetimesPass implements MethodPass {
  private static final OptionSpec<Optional<Integer>> BY =
      OptionSpec.optional(
          "by",
          "how many nodes after the one that reads a tensor the read ends; needs op",
          OptionType.integer(0, Integer.MAX_VALUE));

  private static final OptionSpec<Optional<Glob>> OP =
      OptionSpec.optional("op", "the operators that read late; needs by", Glob.TYPE);

  private static final OptionSpec<Optional<Glob>> KEEP =
      OptionSpec.optional(
          "keep", "the names of tensors that live to the end of their graph", Glob.TYPE);

  private static final Statistic EXTENDED =
      new Statistic("extended", "storages that live longer than before");

  /** These name bytes without reading them. */
  private static final ImmutableSet<String> WITHOUT_ACCESS =
      ImmutableSet.of(Ops.ALLOC, Ops.BIND, Ops.FREE, Ops.INPUT, Ops.VIEW);

  private static final PassSpec SPEC =
      PassSpec.named("extend-lifetimes")
          .summary("keeps tensors alive longer than their uses say")
          .description(
              """
              Without options, a tensor in whose bytes others lie lives until the last use of these.

              With by=N and op=PATTERN, what a matching operator reads lives until the node that
              stands N positions after it in the same graph, or the last one: for units that read
              while others go on. With keep=PATTERN, tensors of matching names live until the last
              node of the graph that yields them: to look at them when all is done. In a pattern *
              stands for any run of characters.

              Lifetimes are never made shorter. They are written down as until=NODE, the node that
              must have run, so they stay right when nodes come or go in between. Constants are left
              alone, and so are bases that a pass has put something into.
              """)
          .options(BY, OP, KEEP)
          .check((given, context) -> check(given))
          .statistics(EXTENDED)
          .after("assign-devices", "copies between devices are nodes that use tensors")
          .before(Profiles.PLAN, "a plan that is made does not heed new lifetimes")
          .destroys(Fact.PLAN)
          .idempotent()
          .build();

  @Override
  public PassSpec spec() {
    return SPEC;
  }

  private static void check(Options options) {
    Optional<Integer> by = options.get(BY);
    Optional<Glob> op = options.get(OP);
    if (by.isPresent() && op.isEmpty()) {
      throw options
          .call()
          .diagnoseOption(
              BY.name(),
              Kinds.OPTION_VALUE,
              "by=" + by.get() + " needs op, the operators that read late")
          .help("op=* is all operators")
          .asException();
    }
    if (op.isPresent() && by.isEmpty()) {
      throw options
          .call()
          .diagnoseOption(
              OP.name(),
              Kinds.OPTION_VALUE,
              "op=" + op.get() + " needs by, how many nodes later the reads end")
          .help(BY.describe())
          .asException();
    }
  }

  @Override
  public Method run(Method method, PassContext context) {
    Extension extension = new Extension(method);
    Optional<Glob> op = context.get(OP);
    Optional<Glob> keep = context.get(KEEP);
    if (op.isPresent()) {
      boolean met = extension.readLate(op.get(), context.get(BY).orElse(0));
      context.expect(
          met,
          context
              .call()
              .diagnoseValue(
                  OP.name(),
                  Kinds.NO_MATCH,
                  "no operator that reads a tensor matches '" + op.get() + "'"));
    }
    if (keep.isPresent()) {
      boolean met = extension.keep(keep.get());
      context.expect(
          met,
          context
              .call()
              .diagnoseValue(
                  KEEP.name(),
                  Kinds.NO_MATCH,
                  "no tensor that is used and not constant matches '" + keep.get() + "'"));
    }
    if (op.isEmpty() && keep.isEmpty()) {
      extension.coverParts();
    }
    context.count(EXTENDED, extension.count());
    return extension.result();
  }

  /** What becomes of the lifetimes of one method. Storages go by their root tensors. */
  private static final class Extension {
    private static final int NONE = -1;

    private final Method method;
    private final LastRuns runs;

    /** By storage, the node with which it ends: its last use, or the one annotated. */
    private final int[] end;

    /** By storage, the graph that yields it or, where none does, uses it first. */
    private final int[] home;

    private final boolean[] extended;

    Extension(Method method) {
      this.method = method;
      runs = LastRuns.of(method.body());
      int count = method.tensors().size();
      end = new int[count];
      Arrays.fill(end, NONE);
      home = new int[count];
      Arrays.fill(home, NONE);
      extended = new boolean[count];
      findUses();
      for (Tensor tensor : method.tensors()) {
        int storage = root(tensor.id());
        if (tensor.state() != null && isUsed(storage)) {
          end[storage] = lastNode(0);
        }
      }
      for (int storage = 0; storage < count; storage++) {
        int until = method.get(MemoryKeys.UNTIL, storage).orElse(NONE);
        if (root(storage) == storage && isUsed(storage) && runs.isLater(until, end[storage])) {
          end[storage] = until;
        }
      }
    }

    private void findUses() {
      boolean[] yielded = new boolean[end.length];
      for (int graph = 0; graph < method.body().graphs().size(); graph++) {
        for (Node node : method.body().graphs().get(graph).nodes()) {
          for (Operand operand : node.operands()) {
            if (!operand.isHole()) {
              use(root(operand.tensor()), node, graph);
            }
          }
          for (int result : node.results().asList()) {
            int storage = root(result);
            use(storage, node, graph);
            if (!yielded[storage]) {
              yielded[storage] = true;
              home[storage] = graph;
            }
          }
        }
      }
    }

    private void use(int storage, Node node, int graph) {
      home[storage] = home[storage] == NONE ? graph : home[storage];
      if (runs.isLater(node.id(), end[storage])) {
        end[storage] = node.id();
      }
    }

    /** Lengthens what matching operators read; true if there are any. */
    boolean readLate(Glob op, int by) {
      boolean any = false;
      for (int graph = 0; graph < method.body().graphs().size(); graph++) {
        List<Node> nodes = method.body().graphs().get(graph).nodes();
        for (int position = 0; position < nodes.size(); position++) {
          Node node = nodes.get(position);
          if (WITHOUT_ACCESS.contains(node.op()) || !op.matches(node.op())) {
            continue;
          }
          int last = (int) Math.min(nodes.size() - 1L, (long) position + by);
          for (Operand operand : node.operands()) {
            if (!operand.isHole() && reads(operand.access())) {
              any = true;
              extend(root(operand.tensor()), nodes.get(last).id());
            }
          }
        }
      }
      return any;
    }

    private static boolean reads(Access access) {
      return access == Access.READ || access == Access.READ_WRITE;
    }

    /** Keeps tensors to the ends of their graphs; true if there are any. */
    boolean keep(Glob name) {
      boolean any = false;
      for (Tensor tensor : method.tensors()) {
        int storage = root(tensor.id());
        if (isUsed(storage) && !isFixed(storage) && name.matches(tensor.name())) {
          any = true;
          extend(storage, lastNode(home[storage]));
        }
      }
      return any;
    }

    /** Lengthens storages over what lies in them, directly or in one another. */
    void coverParts() {
      int[] base = new int[end.length];
      int[] partsLeft = new int[end.length];
      Arrays.fill(base, NONE);
      boolean[] left = new boolean[end.length];
      for (int storage = 0; storage < end.length; storage++) {
        Optional<Shares> shares = method.get(MemoryKeys.SHARES, storage);
        if (root(storage) == storage && shares.isPresent()) {
          base[storage] = root(shares.get().base());
          partsLeft[base[storage]]++;
          left[base[storage]] |= shares.get().derived();
        }
      }
      // Parts come before what they lie in. What lies in itself is never ready; that is an error
      // where the method is planned.
      int[] ready = new int[end.length];
      int found = 0;
      for (int storage = 0; storage < end.length; storage++) {
        if (root(storage) == storage && partsLeft[storage] == 0) {
          ready[found++] = storage;
        }
      }
      int[] reach = end.clone();
      for (int next = 0; next < found; next++) {
        int part = ready[next];
        if (!left[part]) {
          extend(part, reach[part]);
        }
        int in = base[part];
        if (in != NONE) {
          left[in] |= left[part];
          reach[in] = runs.isLater(reach[part], reach[in]) ? reach[part] : reach[in];
          if (--partsLeft[in] == 0) {
            ready[found++] = in;
          }
        }
      }
    }

    private void extend(int storage, int node) {
      if (isUsed(storage) && !isFixed(storage) && runs.isLater(node, end[storage])) {
        end[storage] = node;
        extended[storage] = true;
      }
    }

    private boolean isUsed(int storage) {
      return end[storage] != NONE;
    }

    private boolean isFixed(int storage) {
      return method.tensor(storage).constant()
          && !method.get(MemoryKeys.TRAINABLE, storage).orElse(false);
    }

    private int root(int tensor) {
      return method.body().root(tensor);
    }

    private int lastNode(int graph) {
      List<Node> nodes = method.body().graphs().get(graph).nodes();
      return nodes.get(nodes.size() - 1).id();
    }

    int count() {
      int count = 0;
      for (boolean one : extended) {
        count += one ? 1 : 0;
      }
      return count;
    }

    Method result() {
      GraphEditor editor = method.edit();
      for (int storage = 0; storage < end.length; storage++) {
        if (extended[storage]) {
          editor.annotate(storage, MemoryKeys.UNTIL, end[storage]);
        }
      }
      return editor.build();
    }
  }
}
