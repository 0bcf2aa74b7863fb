package dev.stowage.formats.executorch;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.Ints;
import dev.stowage.base.Kinds;
import dev.stowage.base.json.JsonObject;
import dev.stowage.ir.Alias;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One graph of a document as a method.
 *
 * <p>Each node stays one node with its index as id and position. A spec that a node yields first is
 * a tensor with bytes of its own; yielded again (a call with an out argument, a getitem) it is the
 * same tensor by another handle. A view is a window on its base. The result of an in-place operator
 * is the mutated argument after it, and its spec, which ExecuTorch replaces, is only its origin.
 */
final class GraphTranslation {
  private static final ImmutableSet<String> NODE =
      ImmutableSet.of(
          "index",
          "name",
          "op",
          "target",
          "args",
          "kwargs",
          "specs",
          "out_variant",
          "inplace",
          "inplace_alias",
          "view",
          "view_base",
          "buffer",
          "mutable_buffer",
          "control_flow",
          "delegate_backend",
          "share_alloc_with_arg_idx",
          "shared_alloc_offset",
          "weight_has_gradient");

  /** Operands that any document may have, and for each number that its nodes name as many more. */
  private static final long FREE_OPERANDS = 1L << 20;

  private static final long OPERANDS_PER_NUMBER = 64;

  private final JsonObject graph;
  private final ImmutableList<Spec> specs;
  private final MethodBuilder builder;
  private final int graphIndex;
  private final List<int[]> resultsOfNode = new ArrayList<>();
  private final Map<Integer, Integer> tensorOfSpec = new HashMap<>();
  private final List<Integer> specOfTensor = new ArrayList<>();
  private final Set<Integer> trainable = new HashSet<>();

  /** How many more operands there may be: an argument is as many as its node has results. */
  private long operandBudget = FREE_OPERANDS;

  GraphTranslation(JsonObject graph, ImmutableList<Spec> specs) {
    this.graph = graph;
    this.specs = specs;
    builder = Method.builder(graph.text("method"));
    graphIndex = builder.graph("main");
  }

  Method translate() {
    ImmutableList<JsonObject> nodes = graph.objects("nodes");
    for (JsonObject node : nodes) {
      translate(node.only(NODE));
    }
    if (nodes.isEmpty() || !nodes.get(nodes.size() - 1).text("op").equals("output")) {
      throw graph.error(Kinds.INPUT_VALUE, "nodes", "the last node is not the output node");
    }
    for (int spec = 0; spec < specs.size(); spec++) {
      specs.get(spec).base().ifPresent(this::ensureTensor);
    }
    return annotate(builder.build());
  }

  /** A storage base may be a spec that no node yields. */
  private void ensureTensor(int spec) {
    if (!tensorOfSpec.containsKey(spec)) {
      newTensor("", spec, null, null);
    }
  }

  private void translate(JsonObject node) {
    int index = resultsOfNode.size();
    if (node.number("index", 0, Integer.MAX_VALUE) != index) {
      throw node.error(Kinds.INPUT_VALUE, "index", "nodes must be numbered in order from 0");
    }
    String op = op(node);
    int[] nodeSpecs = node.integers("specs", 0, specs.size() - 1);
    int[] args = node.integers("args", 0, index - 1);
    int[] kwargs = node.integers("kwargs", 0, index - 1);
    charge(node, args, kwargs, nodeSpecs.length);
    boolean inPlace = node.bool("inplace", false);
    int[] mutatedArgument = inPlace ? mutatedArguments(node, nodeSpecs, index) : new int[0];
    MethodBuilder.NodeBuilder translated = builder.node(graphIndex, op).id(index);
    if (node.has("delegate_backend")) {
      translated.attribute(Node.BACKEND, node.text("delegate_backend"));
    }
    int position = 0;
    Set<Integer> outs =
        node.bool("out_variant", false) ? new HashSet<>(Ints.asList(nodeSpecs)) : Set.of();
    Set<Integer> mutated = new HashSet<>(Ints.asList(mutatedArgument));
    for (int arg : args) {
      operands(translated, op, arg, position++, outs, mutated, false);
    }
    for (int arg : kwargs) {
      operands(translated, op, arg, position++, outs, mutated, true);
    }
    resultsOfNode.add(
        op.equals(Ops.OUTPUT)
            ? new int[0]
            : results(node, translated, op, index, nodeSpecs, mutatedArgument));
    translated.add();
    if (node.bool("weight_has_gradient", false)) {
      Arrays.stream(nodeSpecs).forEach(trainable::add);
    }
  }

  private void charge(JsonObject node, int[] args, int[] kwargs, int results) {
    operandBudget += OPERANDS_PER_NUMBER * (1L + args.length + kwargs.length + results);
    for (int arg : Ints.concat(args, kwargs)) {
      operandBudget -= resultsOfNode.get(arg).length;
    }
    if (operandBudget < 0) {
      throw node.error(
          Kinds.INPUT_UNSUPPORTED,
          "args",
          "node "
              + resultsOfNode.size()
              + " takes so many results of other nodes that the method would be far larger than"
              + " its document");
    }
  }

  private static String op(JsonObject node) {
    String target = node.text("target");
    return switch (node.text("op")) {
      case "placeholder" -> Ops.INPUT;
      case "output" -> Ops.OUTPUT;
      case "get_attr" -> "get_attr";
      case "call_function" ->
          node.bool("view", false) ? Ops.VIEW : target.equals("memory.alloc") ? Ops.ALLOC : target;
      default ->
          throw node.error(
              Kinds.INPUT_VALUE,
              "op",
              "must be one of placeholder, call_function, get_attr, output");
    };
  }

  /** For each result the node whose tensor it mutates. */
  private static int[] mutatedArguments(JsonObject node, int[] nodeSpecs, int index) {
    int[] mutated = new int[nodeSpecs.length];
    Arrays.fill(mutated, -1);
    if (node.has("inplace_alias")) {
      for (JsonNode pair : node.list("inplace_alias")) {
        int output = pair.path(0).asInt(-1);
        int argument = pair.path(1).asInt(-1);
        if (output < 0 || output >= mutated.length || argument < 0 || argument >= index) {
          throw node.error(
              Kinds.INPUT_REFERENCE, "inplace_alias", pair + " names no output and earlier node");
        }
        mutated[output] = argument;
      }
    }
    for (int argument : mutated) {
      if (argument < 0) {
        throw node.error(
            Kinds.INPUT_UNSUPPORTED,
            "inplace_alias",
            "an in-place result does not say which argument it is");
      }
    }
    return mutated;
  }

  private void operands(
      MethodBuilder.NodeBuilder translated,
      String op,
      int argument,
      int position,
      Set<Integer> outs,
      Set<Integer> mutatedArguments,
      boolean keyword) {
    for (int tensor : resultsOfNode.get(argument)) {
      Access access = Access.READ;
      if (op.equals(Ops.VIEW) || op.equals("getitem")) {
        access = Access.BIND;
      } else if (mutatedArguments.contains(argument)) {
        access = Access.READ_WRITE;
      } else if (outs.contains(specOfTensor.get(tensor))) {
        access = keyword ? Access.WRITE : Access.READ_WRITE;
      }
      translated.operand(tensor, position, access);
    }
  }

  private int[] results(
      JsonObject node,
      MethodBuilder.NodeBuilder translated,
      String op,
      int index,
      int[] nodeSpecs,
      int[] mutatedArguments) {
    int[] results = new int[nodeSpecs.length];
    String name = node.text("name");
    for (int i = 0; i < results.length; i++) {
      int spec = nodeSpecs[i];
      if (mutatedArguments.length > 0) {
        int mutated = onlyTensor(node, "inplace_alias", mutatedArguments[i]);
        results[i] = newTensor(name, spec, null, Alias.mutates(mutated));
      } else if (op.equals(Ops.VIEW)) {
        int base = (int) node.number("view_base", 0, index - 1L);
        results[i] =
            newTensor(name, spec, null, Alias.view(onlyTensor(node, "view_base", base), 0));
      } else {
        Integer owner = tensorOfSpec.get(spec);
        String state =
            op.equals(Ops.INPUT) ? node.optionalText("mutable_buffer").orElse(null) : null;
        results[i] = newTensor(name, spec, state, owner == null ? null : Alias.same(owner));
      }
    }
    translated.yields(results);
    return results;
  }

  private int onlyTensor(JsonObject node, String member, int of) {
    int[] tensors = resultsOfNode.get(of);
    if (tensors.length == 0) {
      throw node.error(Kinds.INPUT_REFERENCE, member, "node " + of + " yields no tensor");
    }
    return tensors[0];
  }

  private int newTensor(String name, int number, @Nullable String state, @Nullable Alias alias) {
    Spec spec = specs.get(number);
    int tensor = builder.tensor(name, spec.type(), spec.constant(), state, alias);
    tensorOfSpec.putIfAbsent(number, tensor);
    specOfTensor.add(number);
    return tensor;
  }

  private Method annotate(Method method) {
    GraphEditor editor = method.edit();
    for (int tensor = 0; tensor < specOfTensor.size(); tensor++) {
      int number = specOfTensor.get(tensor);
      Spec spec = specs.get(number);
      editor.annotate(tensor, MemoryKeys.ORIGIN, number);
      Alias alias = method.tensor(tensor).alias();
      if (alias != null) {
        if (alias.kind() == Alias.Kind.MUTATES && spec.pin().isPresent()) {
          editor.annotate(tensor, MemoryKeys.RESULT_PIN, spec.pin().getAsInt());
        }
        continue;
      }
      if (spec.pin().isPresent()) {
        editor.annotate(tensor, MemoryKeys.PIN, spec.pin().getAsInt());
      }
      if (spec.base().isPresent()) {
        editor.annotate(
            tensor,
            MemoryKeys.SHARES,
            new Shares(
                tensorOfSpec.getOrDefault(spec.base().getAsInt(), tensor),
                spec.baseOffsetBytes(),
                /* derived= */ false));
      }
      if (trainable.contains(number)) {
        editor.annotate(tensor, MemoryKeys.TRAINABLE, true);
      }
    }
    return editor.build();
  }
}
