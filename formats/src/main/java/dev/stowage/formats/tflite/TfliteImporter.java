package dev.stowage.formats.tflite;

import static com.google.common.base.Strings.lenientFormat;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.base.ByteSize;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.formats.FileFormat;
import dev.stowage.formats.ImportedModel;
import dev.stowage.formats.ImportedModel.Facts;
import dev.stowage.formats.flatbuffers.FlatBuffer;
import dev.stowage.formats.tflite.TfliteModel.Operator;
import dev.stowage.formats.tflite.TfliteModel.Subgraph;
import dev.stowage.formats.tflite.TfliteModel.TensorEntry;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.MethodBuilder.NodeBuilder;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Owner;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads TensorFlow Lite models ({@code .tflite}) into the graph.
 *
 * <p>A model is one method with a graph for each subgraph. The id of a tensor, and its {@link
 * MemoryKeys#ORIGIN}, is its number through the file: subgraph after subgraph, constants and
 * variables included.
 */
public final class TfliteImporter {
  private final String source;
  private final TfliteModel model;
  private final MethodBuilder method;

  /** By number: tensors with a value, so that no further node may yield them. */
  private final boolean[] present;

  private final Set<Integer> handles = new HashSet<>();

  private TfliteImporter(String source, TfliteModel model) {
    this.source = source;
    this.model = model;
    method = Method.builder(model.entryName().isEmpty() ? "main" : model.entryName());
    present = new boolean[model.tensors().size()];
  }

  /**
   * Reads a model, in time and memory proportional to the file.
   *
   * @param source what the file is called in messages
   * @throws DiagnosticException of kind {@code input-malformed} if the file is damaged or
   *     contradicts itself, {@code input-reference} if it refers to what does not exist or its
   *     subgraphs run each other in a circle, {@code input-value} or {@code input-overflow} if a
   *     shape or type makes no sense, {@code input-unsupported} if it cannot be handled
   */
  public static ImportedModel read(String source, byte[] bytes) {
    if (!FlatBuffer.hasIdentifier(bytes, TfliteSchema.IDENTIFIER)) {
      throw Diagnostic.of(
              Kinds.INPUT_MALFORMED,
              Location.of(source),
              "not a TensorFlow Lite model: bytes 4 to 7 are not " + TfliteSchema.IDENTIFIER)
          .asException();
    }
    TfliteModel model = new TfliteReader(source, bytes).read();
    long[] walks = CallOrder.walks(source, model.subgraphs());
    Program program = Program.of(stem(source), new TfliteImporter(source, model).method());
    return new ImportedModel(
        FileFormat.TFLITE.toString(),
        program,
        ImmutableList.of(),
        new Facts(model.constantBytes(), notes(model, walks)));
  }

  private Method method() {
    addTensors();
    boolean[] called = calledSubgraphs();
    Set<String> names = new HashSet<>();
    for (Subgraph subgraph : model.subgraphs()) {
      int graph = method.graph(uniqueName(subgraph, names));
      addInput(graph, subgraph, called[graph]);
      List<Operator> operators = subgraph.operators();
      for (int i = 0; i < operators.size(); i++) {
        Operator operator = operators.get(i);
        if (operator.subgraphs().isEmpty()) {
          addOperator(graph, operator);
        } else {
          addCall(
              graph,
              operator,
              subgraph.describe() + ", " + Places.named("operator", i, operator.name()));
        }
      }
      method.node(graph, Ops.OUTPUT).reads(subgraph.outputs().toArray()).add();
    }
    return annotated(method.build());
  }

  /** Adds the tensor table. A variable is a state of the program; nothing needs to yield it. */
  private void addTensors() {
    for (Subgraph subgraph : model.subgraphs()) {
      for (int i = 0; i < subgraph.tensorCount(); i++) {
        TensorEntry tensor = model.tensors().get(subgraph.firstTensor() + i);
        String state =
            tensor.variable() ? Message.format("subgraph%s.t%s", subgraph.index(), i) : null;
        int id =
            method.tensor(
                tensor.name(), tensor.type(), tensor.constant(), state, /* alias= */ null);
        present[id] = tensor.constant() || tensor.variable();
      }
    }
  }

  private boolean[] calledSubgraphs() {
    boolean[] called = new boolean[model.subgraphs().size()];
    for (Subgraph subgraph : model.subgraphs()) {
      for (Operator operator : subgraph.operators()) {
        operator.subgraphs().forEach(index -> called[index] = true);
      }
    }
    return called;
  }

  private void addInput(int graph, Subgraph subgraph, boolean called) {
    ImmutableIntArray inputs = subgraph.inputs();
    NodeBuilder node = method.node(graph, Ops.INPUT);
    Set<Integer> yielded = new HashSet<>();
    for (int i = 0; i < inputs.length(); i++) {
      int tensor = inputs.get(i);
      if (!model.tensors().get(tensor).constant() && yielded.add(tensor)) {
        node.yields(tensor);
        present[tensor] = true;
      } else if (called) {
        // The operator's arguments go to the inputs by position, so none can be left out.
        throw error(
            Kinds.INPUT_UNSUPPORTED,
            subgraph.describe(),
            "input %s is a constant or an earlier input, so that the operator that runs the"
                + " subgraph cannot write it",
            i);
      }
    }
    if (!yielded.isEmpty()) {
      node.add();
    }
  }

  private void addOperator(int graph, Operator operator) {
    NodeBuilder node = method.node(graph, operator.name());
    ImmutableIntArray inputs = operator.inputs();
    for (int i = 0; i < inputs.length(); i++) {
      int tensor = inputs.get(i);
      if (tensor < 0) {
        node.hole();
      } else {
        node.operand(tensor, access(tensor));
        present[tensor] = true;
      }
    }
    ImmutableIntArray outputs = operator.outputs();
    for (int i = 0; i < outputs.length(); i++) {
      int tensor = outputs.get(i);
      if (tensor >= 0 && present[tensor]) {
        node.operand(tensor, Access.WRITE);
      } else if (tensor >= 0) {
        node.yields(tensor);
        present[tensor] = true;
        if (operator.code() == BuiltinOperators.VAR_HANDLE) {
          handles.add(tensor);
        }
      }
    }
    operator.attributes().forEach(node::attribute);
    node.add();
  }

  private Access access(int tensor) {
    if (model.tensors().get(tensor).variable()) {
      // Which inputs an operator updates is known of few operators; this is sound for all.
      return Access.READ_WRITE;
    }
    // What nothing has written before can only be of use as scratch, as with Ethos-U operators.
    return present[tensor] ? Access.READ : Access.WRITE;
  }

  private void addCall(int graph, Operator operator, String place) {
    checkCall(operator, place);
    NodeBuilder node = method.node(graph, callingOp(operator));
    ImmutableIntArray inputs = operator.inputs();
    for (int i = 0; i < inputs.length(); i++) {
      int tensor = inputs.get(i);
      if (tensor < 0) {
        throw error(Kinds.INPUT_VALUE, place, "input %s is left out", i);
      }
      node.operand(tensor, Access.READ);
      present[tensor] = true;
    }
    ImmutableIntArray outputs = operator.outputs();
    for (int i = 0; i < outputs.length(); i++) {
      int tensor = outputs.get(i);
      if (tensor < 0 || present[tensor]) {
        throw error(
            Kinds.INPUT_UNSUPPORTED,
            place,
            "output %s is left out, or has a value already: it would have to be new",
            i);
      }
      node.yields(tensor);
      present[tensor] = true;
    }
    operator.subgraphs().forEach(node::runs);
    node.add();
  }

  private static String callingOp(Operator operator) {
    return switch (operator.code()) {
      case BuiltinOperators.IF -> Ops.IF;
      case BuiltinOperators.WHILE -> Ops.WHILE;
      default -> Ops.CALL;
    };
  }

  /** Arguments and results go to and from the subgraphs by position, so the counts must agree. */
  private void checkCall(Operator operator, String place) {
    int results = operator.outputs().length();
    int arguments = operator.inputs().length() - (operator.code() == BuiltinOperators.IF ? 1 : 0);
    boolean isWhile = operator.code() == BuiltinOperators.WHILE;
    if (arguments < 0 || (isWhile && results != arguments)) {
      throw error(
          Kinds.INPUT_MALFORMED,
          place,
          "it cannot have %s inputs and %s outputs",
          operator.inputs().length(),
          results);
    }
    for (int i = 0; i < operator.subgraphs().length(); i++) {
      Subgraph callee = model.subgraphs().get(operator.subgraphs().get(i));
      int expected = isWhile && i == 0 ? 1 : results;
      if (callee.inputs().length() != arguments || callee.outputs().length() != expected) {
        throw error(
            Kinds.INPUT_MALFORMED,
            place,
            "it needs a subgraph with %s inputs and %s outputs, but %s has %s and %s",
            arguments,
            expected,
            callee.describe(),
            callee.inputs().length(),
            callee.outputs().length());
      }
    }
  }

  private Method annotated(Method built) {
    GraphEditor editor = built.edit();
    for (int tensor = 0; tensor < built.tensors().size(); tensor++) {
      editor.annotate(tensor, MemoryKeys.ORIGIN, tensor);
    }
    // Variables live in the persistent part of the runtime's arena, which no plan is about.
    editor.annotate(MemoryKeys.ALLOCATION, new Allocation(true, true, /* state= */ false));
    // The kernel of VAR_HANDLE points its output at memory of its own.
    handles.forEach(tensor -> editor.annotate(tensor, MemoryKeys.OWNER, Owner.RUNTIME));
    return editor.build();
  }

  /**
   * The file's name without folders and ending, so that a plan is one of the model wherever it is.
   */
  private static String stem(String source) {
    String file = source.substring(1 + Math.max(source.lastIndexOf('/'), source.lastIndexOf('\\')));
    int end = file.indexOf(".tflite");
    return end > 0 ? file.substring(0, end) : file;
  }

  /** Names repeat in files, or are missing. */
  private static String uniqueName(Subgraph subgraph, Set<String> taken) {
    String name = subgraph.name().isEmpty() ? "subgraph" + subgraph.index() : subgraph.name();
    while (!taken.add(name)) {
      name += "." + subgraph.index();
    }
    return name;
  }

  private static ImmutableList<String> notes(TfliteModel model, long[] walks) {
    ImmutableList.Builder<String> notes = ImmutableList.builder();
    notes.add("scratch buffers that kernels ask for are not in the file and are not counted");
    if (model.resourceVariables() > 0) {
      notes.add(count(model.resourceVariables(), "resource variable") + " kept by the runtime");
    }
    if (model.openShapes() > 0) {
      notes.add(
          count(model.openShapes(), "tensor")
              + " with dimensions that the shape signature leaves open, planned at the shape in the"
              + " file");
    }
    int unreached = (int) Arrays.stream(walks).filter(count -> count == 0).count();
    if (unreached > 0) {
      notes.add(
          count(unreached, "subgraph")
              + " that no IF, WHILE or CALL_ONCE runs; their tensors count as never used");
    }
    if (model.offlinePlan()) {
      notes.add("carries an offline memory plan, which is not read yet");
    }
    return notes.build();
  }

  private static String count(int count, String noun) {
    return ByteSize.exact(count) + " " + noun + (count == 1 ? "" : "s");
  }

  private DiagnosticException error(
      DiagnosticKind kind, String place, String message, Object... arguments) {
    return Diagnostic.of(kind, new Location(source, place), lenientFormat(message, arguments))
        .asException();
  }
}
