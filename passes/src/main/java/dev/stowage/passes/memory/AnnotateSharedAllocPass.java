package dev.stowage.passes.memory;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Longs;
import dev.stowage.base.Device;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.ir.Alias;
import dev.stowage.ir.Graph;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import dev.stowage.passes.Fact;
import dev.stowage.passes.MethodPass;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.Statistic;
import dev.stowage.passes.lowering.Profiles;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads ExecuTorch's share annotations: a node says that its result lies in the bytes of one of its
 * arguments, and where. Documents of ExecuTorch's graphs have them resolved; {@code .stow} has them
 * as attributes of nodes.
 *
 * <p>Where the argument is a view or an in-place result, the base is the storage that it is a
 * handle to.
 */
public final class AnnotateSharedAllocPass implements MethodPass {
  /** What it is called in pipelines. */
  public static final String NAME = "annotate-shared-alloc";

  /** Attribute with the position of the argument, for each result. */
  public static final String ARGUMENT = "share_alloc_with_arg_idx";

  /** Attribute with the offset in that argument in bytes, for each result. */
  public static final String OFFSET = "shared_alloc_offset";

  private static final String NONE = "_";

  /** Where a node has put a storage. */
  private record Put(Node by, Shares where) {}

  private static final Statistic SHARED =
      new Statistic("shared", "storages that lie in an argument's bytes");

  private static final PassSpec SPEC =
      PassSpec.named(NAME)
          .summary("puts results into the bytes of the arguments that nodes name")
          .description(
              """
              A node may say with the attribute share_alloc_with_arg_idx which of its positional
              arguments its result lies in, counted from 0 without out arguments, and with
              shared_alloc_offset how many bytes from where that argument begins; 0 if it does not
              say. A node with several results has both for each, separated by colons, and _ where a
              result lies in none: {share_alloc_with_arg_idx=0:_:0, shared_alloc_offset=0:_:64}.

              The pass writes it down on the storages of the results (shares). A result that is a
              handle to bytes of its own accord, such as a view, cannot be moved, and nothing may
              lie in two places.
              """)
          .statistics(SHARED)
          .before(ApplyTargetRulesPass.NAME, "rules hold for storages together with their bases")
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
    Map<Integer, Put> put = new HashMap<>();
    Method annotated = applied(method, put);
    context.count(SHARED, put.size());
    return annotated;
  }

  /**
   * A method with what its nodes say of shared bytes; the same one if that is nothing new.
   *
   * @throws DiagnosticException if an annotation is wrong
   */
  public static Method applied(Method method) {
    return applied(method, new HashMap<>());
  }

  private static Method applied(Method method, Map<Integer, Put> put) {
    GraphEditor editor = method.edit();
    for (Graph graph : method.body().graphs()) {
      for (Node node : graph.nodes()) {
        if (node.attributes().containsKey(ARGUMENT) || node.attributes().containsKey(OFFSET)) {
          new Reading(method, graph, node).annotate(editor, put);
        }
      }
    }
    return editor.build();
  }

  /** The annotation of one node. */
  private static final class Reading {
    private final Method method;
    private final Graph graph;
    private final Node node;

    Reading(Method method, Graph graph, Node node) {
      this.method = method;
      this.graph = graph;
      this.node = node;
    }

    void annotate(GraphEditor editor, Map<Integer, Put> put) {
      if (node.results().isEmpty()) {
        throw fault(Kinds.INPUT_VALUE, "it yields no tensor that could share bytes").asException();
      }
      String argument = node.attributes().get(ARGUMENT);
      if (argument == null) {
        throw fault(
                Kinds.INPUT_MEMBER,
                OFFSET + " is given, but not the argument in which the offset counts")
            .help("add " + ARGUMENT + ", or take " + OFFSET + " away")
            .asException();
      }
      List<String> arguments = perResult(ARGUMENT, argument);
      List<String> offsets =
          node.attributes().containsKey(OFFSET)
              ? perResult(OFFSET, node.attributes().get(OFFSET))
              : ImmutableList.of();
      for (int result = 0; result < arguments.size(); result++) {
        String offset = offsets.isEmpty() ? NONE : offsets.get(result);
        if (!arguments.get(result).equals(NONE)) {
          long bytes = offset.equals(NONE) ? 0 : number(OFFSET, offset);
          share(
              editor,
              node.results().get(result),
              argument(number(ARGUMENT, arguments.get(result))),
              bytes,
              put);
        } else if (!offset.equals(NONE)) {
          throw fault(
                  Kinds.INPUT_MEMBER,
                  Message.format(
                      "result %d has an offset (%s), but no argument in which it counts",
                      result, offset))
              .asException();
        }
      }
    }

    private List<String> perResult(String attribute, String text) {
      List<String> values = Splitter.on(':').splitToList(text);
      if (values.size() != node.results().length()) {
        throw fault(
                Kinds.INPUT_VALUE,
                Message.format(
                    "%s has %d values (%s), but the node has %d results",
                    attribute, values.size(), text, node.results().length()))
            .help("give one for each result, separated by colons, and _ where there is none")
            .asException();
      }
      return values;
    }

    private long number(String attribute, String text) {
      Long number = Longs.tryParse(text);
      if (number == null) {
        throw fault(Kinds.INPUT_VALUE, attribute + " is no whole number below 2^63: '" + text + "'")
            .asException();
      }
      return number;
    }

    /** The tensor that is a positional argument. */
    private int argument(long index) {
      long count =
          node.operands().stream()
                  .filter(operand -> operand.access() != Access.WRITE)
                  .mapToInt(Operand::position)
                  .max()
                  .orElse(-1)
              + 1L;
      if (index < 0 || index >= count) {
        throw fault(
                Kinds.INPUT_REFERENCE,
                Message.format(
                    "%s is %d, but the node has %d positional arguments, from 0 on",
                    ARGUMENT, index, count))
            .asException();
      }
      List<Operand> at =
          node.operands().stream().filter(operand -> operand.position() == index).toList();
      if (at.isEmpty() || at.get(0).isHole()) {
        throw fault(
                Kinds.INPUT_REFERENCE,
                Message.format("%s is %d, but argument %d is no tensor", ARGUMENT, index, index))
            .asException();
      }
      if (at.size() > 1) {
        throw fault(
                Kinds.INPUT_REFERENCE,
                Message.format(
                    "%s is %d, but argument %d is a list of %d tensors",
                    ARGUMENT, index, index, at.size()))
            .asException();
      }
      if (at.get(0).access() == Access.WRITE) {
        throw fault(
                Kinds.INPUT_REFERENCE,
                Message.format("%s is %d, but that is an out argument", ARGUMENT, index))
            .asException();
      }
      return at.get(0).tensor();
    }

    private void share(
        GraphEditor editor, int result, int base, long offset, Map<Integer, Put> put) {
      int root = method.body().root(result);
      String what = method.tensor(result).describe();
      Alias alias = method.tensor(result).alias();
      if (alias != null && alias.kind() != Alias.Kind.SAME) {
        throw fault(
                Kinds.INPUT_VALUE,
                Message.format(
                    "result %s is a handle to the bytes of %s already, so that it cannot lie"
                        + " elsewhere",
                    what, method.tensor(root).describe()))
            .asException();
      }
      if (method.body().root(base) == root) {
        throw fault(Kinds.STORAGE_CYCLE, "result " + what + " would lie in its own bytes")
            .asException();
      }
      Device device = method.get(MemoryKeys.DEVICE, root).orElse(Device.CPU);
      Device baseDevice = method.get(MemoryKeys.DEVICE, base).orElse(Device.CPU);
      if (!device.equals(baseDevice)) {
        throw fault(
                Kinds.CONSTRAINTS_CONFLICT,
                Message.format(
                    "result %s is on %s, but would lie in %s, which is on %s",
                    what, device, method.tensor(base).describe(), baseDevice))
            .asException();
      }
      Shares shares = new Shares(base, offset, /* derived= */ false);
      Put earlier = put.putIfAbsent(root, new Put(node, shares));
      if (earlier != null && !earlier.where().equals(shares)) {
        throw conflict(
            what,
            shares,
            earlier.where(),
            "by node " + earlier.by().id() + " " + earlier.by().op());
      }
      Optional<Shares> known = method.get(MemoryKeys.SHARES, root);
      if (known.isPresent() && !known.get().equals(shares)) {
        throw conflict(what, shares, known.get(), "already");
      }
      editor.annotate(root, MemoryKeys.SHARES, shares);
    }

    private DiagnosticException conflict(
        String what, Shares asked, Shares known, String knownFrom) {
      return fault(
              Kinds.CONSTRAINTS_CONFLICT,
              Message.format(
                  "result %s is to lie %,d bytes into %s, but was put %,d bytes into %s %s",
                  what,
                  asked.offsetBytes(),
                  method.tensor(asked.base()).describe(),
                  known.offsetBytes(),
                  method.tensor(known.base()).describe(),
                  knownFrom))
          .help("take one of the two away")
          .asException();
    }

    private Diagnostic fault(DiagnosticKind kind, String message) {
      return Diagnostic.of(
          kind,
          Location.at(
              method.name() + "/" + graph.name() + "/" + node.id() + " (" + node.op() + ")"),
          message);
    }
  }
}
