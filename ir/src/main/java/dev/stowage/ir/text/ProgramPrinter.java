package dev.stowage.ir.text;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.Device;
import dev.stowage.base.TextCursor;
import dev.stowage.ir.Alias;
import dev.stowage.ir.AnnotationKey;
import dev.stowage.ir.AnnotationKey.Scope;
import dev.stowage.ir.DType;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Program;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.TensorType.Dynamism;
import dev.stowage.ir.memory.MemoryKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Writes programs in the textual form that the package describes. Of a well-formed program, {@link
 * ProgramParser} makes an equal one again, as long as its annotations are those of {@link
 * MemoryKeys#all}.
 */
public final class ProgramPrinter {
  /** Characters other than letters and digits that a name may have without quotes. */
  static final String NAME_CHARACTERS = "_.-$";

  /** The same for operators. */
  static final String OP_CHARACTERS = "_.:";

  /** The same for values of annotations and attributes. */
  static final String VALUE_CHARACTERS = "_.-:/+*%";

  private final StringBuilder out = new StringBuilder();

  private ProgramPrinter() {}

  /** The text of a program. */
  public static String print(Program program) {
    StringBuilder text = new StringBuilder();
    try {
      print(program, text);
    } catch (IOException e) {
      throw new AssertionError("a string builder takes any text", e);
    }
    return text.toString();
  }

  /**
   * Appends the text of a program, method by method.
   *
   * @throws IOException if {@code to} does
   */
  public static void print(Program program, Appendable to) throws IOException {
    ProgramPrinter header = new ProgramPrinter();
    header.out.append("program ").append(TextCursor.quote(program.name())).append('\n');
    if (!program.states().isEmpty()) {
      header.out.append('\n');
    }
    program
        .states()
        .forEach(
            (name, type) ->
                header
                    .out
                    .append("state ")
                    .append(symbol(name))
                    .append(" : ")
                    .append(text(type))
                    .append('\n'));
    to.append(header.out);
    for (Method method : program.methods()) {
      to.append('\n').append(print(method));
    }
  }

  /** The text of a method. */
  public static String print(Method method) {
    ProgramPrinter printer = new ProgramPrinter();
    printer.method(method);
    return printer.out.toString();
  }

  /** {@code %3 (conv1): f32[8,4] on cpu}: a tensor with its type and device, for messages. */
  public static String describe(Method method, int tensor) {
    Tensor described = method.tensor(tensor);
    Device device = method.get(MemoryKeys.DEVICE, tensor).orElse(Device.CPU);
    return described.describe() + ": " + text(described.type()) + " on " + device;
  }

  /** A name, in quotes if it needs them. */
  static String word(String text, String others) {
    return !text.isEmpty() && text.chars().allMatch(c -> isWordPart(c, others))
        ? text
        : TextCursor.quote(text);
  }

  /** The bytes of a type if it does not state them; empty where it must. */
  static OptionalLong defaultBytes(DType dtype, ImmutableLongArray shape, Dynamism dynamism) {
    return dynamism == Dynamism.UNBOUNDED
        ? OptionalLong.of(TensorType.UNKNOWN)
        : TensorType.denseBytes(dtype, shape);
  }

  private static boolean isWordPart(int c, String others) {
    return (c < 128 && Character.isLetterOrDigit(c)) || others.indexOf(c) >= 0;
  }

  private static String symbol(String name) {
    return "@" + word(name, NAME_CHARACTERS);
  }

  private static String text(TensorType type) {
    StringBuilder text = new StringBuilder(type.toString());
    if (type.dynamism() != Dynamism.STATIC) {
      text.append(' ').append(type.dynamism().name().toLowerCase(Locale.ROOT));
    }
    if (!bytesFollow(type)) {
      text.append(' ').append(type.bytes()).append(" bytes");
    }
    return text.toString();
  }

  private static boolean bytesFollow(TensorType type) {
    try {
      return defaultBytes(type.dtype(), type.shape(), type.dynamism())
          .equals(OptionalLong.of(type.bytes()));
    } catch (ArithmeticException e) {
      return false;
    }
  }

  private void method(Method method) {
    out.append("method ").append(symbol(method.name()));
    braces(annotations(method, key -> key.scope() == Scope.METHOD, 0));
    out.append(" {\n");
    Set<Integer> defined = new HashSet<>();
    Set<Integer> targets = new HashSet<>();
    for (Node node : method.nodes()) {
      node.results().forEach(defined::add);
      targets.add(node.target());
    }
    boolean declared = false;
    for (Tensor tensor : method.tensors()) {
      if (!defined.contains(tensor.id())) {
        out.append("  tensor ");
        definition(method, tensor);
        out.append('\n');
        declared = true;
      }
    }
    int nextNode = 0;
    for (Graph graph : method.body().graphs()) {
      out.append(declared ? "\n" : "").append("  graph ").append(symbol(graph.name()));
      out.append(" {\n");
      for (Node node : graph.nodes()) {
        out.append("    ");
        if (node.id() != nextNode || targets.contains(node.id())) {
          out.append(node.id()).append(": ");
        }
        nextNode = Math.max(nextNode, node.id() + 1);
        node(method, node, defined);
        out.append('\n');
      }
      out.append("  }\n");
      declared = true;
    }
    out.append("}\n");
  }

  /** Defines the results that are still in {@code undefined}, and takes them out. */
  private void node(Method method, Node node, Set<Integer> undefined) {
    String separator = "";
    for (int result : node.results().asList()) {
      out.append(separator);
      if (undefined.remove(result) && result >= 0 && result < method.tensors().size()) {
        definition(method, method.tensor(result));
      } else {
        out.append('%').append(result);
      }
      separator = ", ";
    }
    out.append(node.results().isEmpty() ? "" : " = ");
    boolean likeAnId = !node.op().isEmpty() && Character.isDigit(node.op().charAt(0));
    out.append(likeAnId ? TextCursor.quote(node.op()) : word(node.op(), OP_CHARACTERS));
    operands(node.operands());
    separator = " ";
    for (int graph : node.graphs().asList()) {
      ImmutableList<Graph> graphs = method.body().graphs();
      boolean exists = graph >= 0 && graph < graphs.size();
      out.append(separator).append(symbol(exists ? graphs.get(graph).name() : "?" + graph));
      separator = ", ";
    }
    if (node.target() >= 0) {
      out.append(" -> ").append(node.target());
    }
    List<String> attributes = new ArrayList<>();
    for (Map.Entry<String, String> entry : node.attributes().entrySet()) {
      attributes.add(setting(entry.getKey(), entry.getValue()));
    }
    braces(attributes);
  }

  private void operands(ImmutableList<Operand> operands) {
    if (operands.isEmpty()) {
      return;
    }
    int position = 0;
    for (int i = 0; i < operands.size(); ) {
      out.append(i == 0 ? "(" : ", ");
      int own = operands.get(i).position();
      if (own != position) {
        out.append(own).append(": ");
      }
      int end = i + 1;
      while (end < operands.size() && operands.get(end).position() == own) {
        end++;
      }
      boolean list = end > i + 1;
      out.append(list ? "[" : "");
      for (int j = i; j < end; j++) {
        out.append(j == i ? "" : ", ").append(text(operands.get(j)));
      }
      out.append(list ? "]" : "");
      position = own + 1;
      i = end;
    }
    out.append(')');
  }

  private static String text(Operand operand) {
    String tensor = operand.isHole() ? "_" : "%" + operand.tensor();
    return switch (operand.access()) {
      case READ -> tensor;
      case WRITE -> "out " + tensor;
      case READ_WRITE -> "inout " + tensor;
      case BIND -> "bind " + tensor;
    };
  }

  private void definition(Method method, Tensor tensor) {
    out.append('%').append(tensor.id());
    if (!tensor.name().isEmpty()) {
      out.append(' ').append(TextCursor.quote(tensor.name()));
    }
    out.append(" : ").append(text(tensor.type()));
    Alias alias = tensor.alias();
    method
        .get(MemoryKeys.DEVICE, tensor.id())
        // The root keeps what it says; a view repeats it where a reader must not miss it.
        .filter(device -> alias == null || !device.isCpu())
        .ifPresent(device -> out.append(" on ").append(word(device.toString(), "_:")));
    if (alias != null) {
      out.append(' ').append(alias.kind().name().toLowerCase(Locale.ROOT));
      out.append(" %").append(alias.base());
      if (alias.offsetBytes() != 0) {
        out.append('+').append(alias.offsetBytes());
      }
    }
    out.append(tensor.constant() ? " const" : "");
    if (tensor.state() != null) {
      out.append(" state ").append(symbol(tensor.state()));
    }
    Predicate<AnnotationKey<?>> own =
        key ->
            key.scope() == Scope.TENSOR
                || (key.scope() == Scope.STORAGE && alias == null && key != MemoryKeys.DEVICE);
    braces(annotations(method, own, tensor.id()));
  }

  private static List<String> annotations(
      Method method, Predicate<AnnotationKey<?>> wanted, int tensor) {
    ImmutableSet<AnnotationKey<?>> keys =
        ImmutableSet.<AnnotationKey<?>>builder()
            .addAll(MemoryKeys.all())
            .addAll(method.keys())
            .build();
    List<String> settings = new ArrayList<>();
    for (AnnotationKey<?> key : keys) {
      if (wanted.test(key)) {
        addAnnotation(settings, method, key, tensor);
      }
    }
    return settings;
  }

  private static <T> void addAnnotation(
      List<String> settings, Method method, AnnotationKey<T> key, int tensor) {
    (key.scope() == Scope.METHOD ? method.get(key) : method.get(key, tensor))
        .ifPresent(value -> settings.add(setting(key.name(), key.print(value))));
  }

  private static String setting(String name, String value) {
    return word(name, NAME_CHARACTERS) + "=" + word(value, VALUE_CHARACTERS);
  }

  private void braces(List<String> settings) {
    if (!settings.isEmpty()) {
      out.append(" {").append(String.join(", ", settings)).append('}');
    }
  }
}
