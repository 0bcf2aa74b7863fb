package dev.stowage.ir.text;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.Device;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Message;
import dev.stowage.base.Suggestions;
import dev.stowage.base.TextCursor;
import dev.stowage.ir.Alias;
import dev.stowage.ir.AnnotationKey;
import dev.stowage.ir.AnnotationKey.Scope;
import dev.stowage.ir.DType;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Program;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.TensorType.Dynamism;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.structure.Structure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Reads programs in the textual form that the package describes, in linear time. */
public final class ProgramParser {
  private static final int MAX_NOTES = 20;

  private static final ImmutableMap<String, DType> DTYPES =
      Maps.uniqueIndex(Arrays.asList(DType.values()), DType::toString);

  private static final ImmutableMap<String, AnnotationKey<?>> KEYS =
      Maps.uniqueIndex(MemoryKeys.all(), AnnotationKey::name);

  private final TextCursor cursor;

  private ProgramParser(TextCursor cursor) {
    this.cursor = cursor;
  }

  /**
   * The program of a text, well formed by {@link Structure#check}.
   *
   * @param source what the text is called in errors, such as a file's name
   * @throws DiagnosticException of a kind {@code input-...}, pointing into the text or naming
   *     method, graph and node
   */
  public static Program parse(String source, String text) {
    ProgramParser parser = new ProgramParser(new TextCursor(source, text, Kinds.INPUT_SYNTAX));
    Program program = parser.program();
    ImmutableList<Diagnostic> faults = Structure.check(program);
    if (!faults.isEmpty()) {
      Diagnostic first = faults.get(0).in(source);
      for (Diagnostic other : faults.subList(1, Math.min(faults.size(), MAX_NOTES + 1))) {
        first = first.note("also at " + other.location() + ": " + other.message());
      }
      if (faults.size() > MAX_NOTES + 1) {
        first = first.note(Message.format("and %,d more", faults.size() - MAX_NOTES - 1));
      }
      throw first.asException();
    }
    return program;
  }

  private Program program() {
    if (!cursor.acceptWord("program")) {
      throw cursor.error(position(), "expected a program, as in: program \"name\"");
    }
    String name = cursor.quoted();
    Map<String, TensorType> states = new LinkedHashMap<>();
    while (cursor.acceptWord("state")) {
      int at = position();
      String state = symbol("a state");
      cursor.expect(':');
      if (states.put(state, type()) != null) {
        throw cursor.error(at, "state @" + state + " is declared twice");
      }
    }
    ImmutableList.Builder<Method> methods = ImmutableList.builder();
    while (!cursor.atEnd()) {
      if (!cursor.acceptWord("method")) {
        throw cursor.error(position(), "expected 'state', 'method' or the end of the text");
      }
      methods.add(new MethodParser().method());
    }
    return new Program(name, methods.build(), ImmutableMap.copyOf(states));
  }

  /** One setting of an annotation or attribute. */
  private record Setting(String name, int at, String value, int valueAt) {}

  /** A tensor as it is defined in the text, without its id. */
  private record Definition(
      int at,
      String name,
      TensorType type,
      boolean constant,
      @Nullable String state,
      @Nullable Alias alias,
      @Nullable Device device,
      int deviceAt,
      ImmutableList<Setting> annotations) {}

  /** A node whose graphs are still names, since they may follow. */
  private record Draft(int graph, Node node, ImmutableList<Setting> graphs) {}

  /** Reads one method. */
  private final class MethodParser {
    private final Map<Integer, Definition> definitions = new HashMap<>();
    private final Map<String, Integer> graphs = new LinkedHashMap<>();
    private final List<Draft> drafts = new ArrayList<>();
    private int nextNode;

    Method method() {
      int at = position();
      String name = symbol("a method");
      ImmutableList<Setting> annotations = headerSettings();
      cursor.expect('{');
      while (!cursor.accept('}')) {
        if (cursor.acceptWord("tensor")) {
          cursor.expect('%');
          int idAt = position();
          if (!define(number("a tensor id"), idAt)) {
            throw cursor.error(position(), "expected ':' and the tensor's type");
          }
        } else if (cursor.acceptWord("graph")) {
          graph();
        } else {
          throw cursor.error(position(), "expected 'tensor', 'graph' or '}'");
        }
      }
      Method built = build(name, at);
      GraphEditor editor = built.edit();
      for (Setting setting : annotations) {
        annotate(editor, -1, key(setting, /* ofMethod= */ true, /* root= */ true), setting);
      }
      for (int id = 0; id < definitions.size(); id++) {
        annotate(built, editor, id);
      }
      return editor.build();
    }

    /** Settings in braces before the brace of the body, where there are any. */
    private ImmutableList<Setting> headerSettings() {
      int start = position();
      if (cursor.accept('{') && !cursor.peek('}')) {
        boolean settings = cursor.peek('"');
        if (!settings) {
          cursor.word("an annotation, 'tensor' or 'graph'", ProgramPrinter.NAME_CHARACTERS);
          settings = cursor.peek('=');
        }
        cursor.moveTo(start);
        return settings ? settings() : ImmutableList.of();
      }
      cursor.moveTo(start);
      return ImmutableList.of();
    }

    private Method build(String name, int at) {
      MethodBuilder builder = Method.builder(name);
      for (int id = 0; id < definitions.size(); id++) {
        Definition it = definitions.get(id);
        if (it == null) {
          throw notDense(id);
        }
        builder.tensor(it.name, it.type, it.constant, it.state, it.alias);
      }
      checkAliases();
      graphs.keySet().forEach(builder::graph);
      for (Draft draft : drafts) {
        builder.add(draft.graph, resolved(draft));
      }
      try {
        return builder.build();
      } catch (ArithmeticException e) {
        throw cursor.error(
            Kinds.INPUT_OVERFLOW,
            at,
            "the offsets of a chain of views in this method add up to more than 2^63 - 1 bytes",
            "");
      }
    }

    private DiagnosticException notDense(int missing) {
      int count = definitions.size();
      int highest = definitions.keySet().stream().mapToInt(id -> id).max().orElse(0);
      int at =
          definitions.entrySet().stream()
              .filter(entry -> entry.getKey() == highest)
              .mapToInt(entry -> entry.getValue().at)
              .findFirst()
              .orElse(0);
      return cursor.error(
          Kinds.INPUT_VALUE,
          at,
          Message.format(
              "the ids of %d tensors must be %%0 to %%%d, but there is %%%d and no %%%d",
              count, count - 1, highest, missing),
          "number the tensors of a method from 0 on, without gaps");
    }

    private void checkAliases() {
      // The walk along alias edges on which a tensor was first seen, plus 1.
      int[] walk = new int[definitions.size()];
      for (int start = 0; start < walk.length; start++) {
        int at = start;
        int from = start;
        while (walk[at] == 0) {
          walk[at] = start + 1;
          Alias alias = definition(at).alias;
          if (alias == null) {
            break;
          }
          from = at;
          at = alias.base();
          if (at >= walk.length) {
            throw cursor.error(
                Kinds.INPUT_REFERENCE,
                definition(from).at,
                Message.format("tensor %%%d is an alias of %%%d, which does not exist", from, at),
                "");
          }
          if (walk[at] == start + 1) {
            throw cursor.error(
                Kinds.INPUT_VALUE,
                definition(from).at,
                Message.format("the alias edges of %%%d and %%%d form a cycle", at, from),
                "let one of the tensors have bytes of its own");
          }
        }
      }
    }

    private Definition definition(int id) {
      Definition definition = definitions.get(id);
      if (definition == null) {
        throw notDense(id);
      }
      return definition;
    }

    private Node resolved(Draft draft) {
      ImmutableIntArray.Builder called = ImmutableIntArray.builder();
      for (Setting reference : draft.graphs) {
        Integer index = graphs.get(reference.name);
        if (index == null) {
          throw cursor.error(
              Kinds.INPUT_REFERENCE,
              reference.at,
              "this method has no graph @" + reference.name,
              Suggestions.help(reference.name, graphs.keySet()));
        }
        called.add(index);
      }
      Node node = draft.node;
      return new Node(
          node.id(),
          node.op(),
          node.operands(),
          node.results(),
          called.build(),
          node.target(),
          node.attributes());
    }

    private void graph() {
      int at = position();
      String name = symbol("a graph");
      int index = graphs.size();
      if (graphs.putIfAbsent(name, index) != null) {
        throw cursor.error(Kinds.INPUT_VALUE, at, "there are two graphs @" + name, "");
      }
      cursor.expect('{');
      while (!cursor.accept('}')) {
        node(index);
      }
    }

    private void node(int graph) {
      int id = nextNode;
      if (cursor.peekDigit()) {
        id = number("a node id");
        cursor.expect(':');
      }
      nextNode = Math.max(nextNode, id + 1);
      ImmutableIntArray.Builder results = ImmutableIntArray.builder();
      if (cursor.accept('%')) {
        do {
          int at = position();
          int result = number("a tensor id");
          results.add(result);
          define(result, at);
        } while (cursor.accept(',') && accepts('%'));
        cursor.expect('=');
      }
      String op = wordOrQuoted("an operator", ProgramPrinter.OP_CHARACTERS);
      ImmutableList<Operand> operands =
          cursor.accept('(') ? operands() : ImmutableList.<Operand>of();
      ImmutableList.Builder<Setting> called = ImmutableList.builder();
      if (cursor.peek('@')) {
        do {
          int at = position();
          called.add(new Setting(symbol("a graph"), at, "", at));
        } while (cursor.accept(','));
      }
      int target = cursor.accept("->") ? number("the id of a node") : -1;
      ImmutableMap.Builder<String, String> attributes = ImmutableMap.builder();
      if (cursor.peek('{')) {
        settings().forEach(setting -> attributes.put(setting.name, setting.value));
      }
      drafts.add(
          new Draft(
              graph,
              new Node(
                  id,
                  op,
                  operands,
                  results.build(),
                  ImmutableIntArray.of(),
                  target,
                  attributes.buildOrThrow()),
              called.build()));
    }

    private boolean accepts(char c) {
      cursor.expect(c);
      return true;
    }

    private ImmutableList<Operand> operands() {
      ImmutableList.Builder<Operand> operands = ImmutableList.builder();
      if (cursor.accept(')')) {
        return operands.build();
      }
      int position = 0;
      do {
        if (cursor.peekDigit() || cursor.peek('-')) {
          boolean negative = cursor.accept('-');
          position = number("a position") * (negative ? -1 : 1);
          cursor.expect(':');
        }
        if (cursor.accept('[')) {
          do {
            operands.add(operand(position));
          } while (cursor.accept(','));
          cursor.expect(']');
        } else {
          operands.add(operand(position));
        }
        position++;
      } while (cursor.accept(','));
      cursor.expect(')');
      return operands.build();
    }

    private Operand operand(int position) {
      Access access =
          cursor.acceptWord("out")
              ? Access.WRITE
              : cursor.acceptWord("inout")
                  ? Access.READ_WRITE
                  : cursor.acceptWord("bind") ? Access.BIND : Access.READ;
      if (cursor.acceptWord("_")) {
        return new Operand(Operand.HOLE, position, access);
      }
      if (!cursor.accept('%')) {
        throw cursor.error(
            position(), "expected an operand: %id, out %id, inout %id, bind %id, _ or a list");
      }
      return new Operand(number("a tensor id"), position, access);
    }

    /** Reads the rest of a definition; false if there is none, but only the id. */
    private boolean define(int id, int at) {
      String name = cursor.peek('"') ? cursor.quoted() : "";
      if (name.isEmpty() && !cursor.peek(':')) {
        return false;
      }
      cursor.expect(':');
      TensorType type = type();
      int deviceAt = position();
      Device device = cursor.acceptWord("on") ? device() : null;
      Alias alias = alias();
      boolean constant = cursor.acceptWord("const");
      String state = cursor.acceptWord("state") ? symbol("a state") : null;
      ImmutableList<Setting> annotations = cursor.peek('{') ? settings() : ImmutableList.of();
      Definition definition =
          new Definition(at, name, type, constant, state, alias, device, deviceAt, annotations);
      if (definitions.putIfAbsent(id, definition) != null) {
        throw cursor.error(Kinds.INPUT_VALUE, at, "tensor %" + id + " is defined twice", "");
      }
      return true;
    }

    private @Nullable Alias alias() {
      for (Alias.Kind kind : Alias.Kind.values()) {
        if (cursor.acceptWord(kind.name().toLowerCase(Locale.ROOT))) {
          cursor.expect('%');
          int base = number("a tensor id");
          long offset = 0;
          if (cursor.accept('+')) {
            offset = cursor.accept('-') ? -longNumber("an offset") : longNumber("an offset");
          }
          return new Alias(kind, base, offset);
        }
      }
      return null;
    }

    private Device device() {
      int at = position();
      String text = wordOrQuoted("a device", "_:");
      try {
        return Device.parse(text);
      } catch (IllegalArgumentException e) {
        throw cursor.error(Kinds.INPUT_VALUE, at, String.valueOf(e.getMessage()), "");
      }
    }

    private void annotate(Method method, GraphEditor editor, int id) {
      Definition it = definition(id);
      boolean root = it.alias == null;
      for (Setting setting : it.annotations) {
        annotate(editor, id, key(setting, /* ofMethod= */ false, root), setting);
      }
      if (it.device == null) {
        return;
      }
      int rootId = method.body().root(id);
      Definition rootDefinition = definition(rootId);
      Device rootDevice = rootDefinition.device == null ? Device.CPU : rootDefinition.device;
      if (root) {
        editor.annotate(id, MemoryKeys.DEVICE, it.device);
      } else if (!it.device.equals(rootDevice)) {
        throw cursor.error(
            Kinds.INPUT_VALUE,
            it.deviceAt,
            Message.format(
                "tensor %%%d is on %s, but its bytes are those of %%%d, which is on %s",
                id, it.device, rootId, rootDevice),
            "give them one device, or leave it out here");
      }
    }

    private AnnotationKey<?> key(Setting setting, boolean ofMethod, boolean root) {
      AnnotationKey<?> key = KEYS.get(setting.name);
      if (key == null) {
        throw cursor.error(
            Kinds.INPUT_MEMBER,
            setting.at,
            "there is no annotation '" + setting.name + "'",
            Suggestions.help(setting.name, KEYS.keySet()));
      }
      if ((key.scope() == Scope.METHOD) != ofMethod) {
        throw cursor.error(
            Kinds.INPUT_MEMBER,
            setting.at,
            Message.format(
                "'%s' is an annotation of %s", key, ofMethod ? "tensors" : "the method as a whole"),
            "");
      }
      if (key.equals(MemoryKeys.DEVICE)) {
        throw cursor.error(
            Kinds.INPUT_MEMBER,
            setting.at,
            "a device stands behind the type, outside the braces",
            "write 'on " + setting.value + "'");
      }
      if (key.scope() == Scope.STORAGE && !root) {
        throw cursor.error(
            Kinds.INPUT_MEMBER,
            setting.at,
            Message.format("'%s' belongs to bytes, but this tensor is an alias of another", key),
            "move it to the tensor at the end of the alias edges");
      }
      return key;
    }

    private <T> void annotate(GraphEditor editor, int id, AnnotationKey<T> key, Setting setting) {
      T value;
      try {
        value = key.parse(setting.value);
      } catch (IllegalArgumentException e) {
        throw cursor.error(
            Kinds.INPUT_VALUE,
            setting.valueAt,
            Message.format("'%s': %s", key, Message.reason(e)),
            "");
      }
      if (key.scope() == Scope.METHOD) {
        editor.annotate(key, value);
      } else {
        editor.annotate(id, key, value);
      }
    }
  }

  private TensorType type() {
    int at = position();
    String name = cursor.word("an element type", "_");
    DType dtype = DTYPES.get(name);
    if (dtype == null) {
      throw cursor.error(
          Kinds.INPUT_VALUE,
          at,
          "there is no element type '" + name + "'",
          Suggestions.help(name, DTYPES.keySet()));
    }
    cursor.expect('[');
    ImmutableLongArray.Builder dimensions = ImmutableLongArray.builder();
    if (!cursor.accept(']')) {
      do {
        dimensions.add(cursor.accept('?') ? TensorType.UNKNOWN : longNumber("a dimension or '?'"));
      } while (cursor.accept(','));
      cursor.expect(']');
    }
    ImmutableLongArray shape = dimensions.build();
    Dynamism dynamism =
        cursor.acceptWord("bounded")
            ? Dynamism.BOUNDED
            : cursor.acceptWord("unbounded") ? Dynamism.UNBOUNDED : Dynamism.STATIC;
    if (cursor.peekDigit()) {
      long bytes = longNumber("a number of bytes");
      cursor.expect("bytes");
      return new TensorType(dtype, shape, dynamism, bytes);
    }
    return new TensorType(dtype, shape, dynamism, bytesOf(dtype, shape, dynamism, at));
  }

  private long bytesOf(DType dtype, ImmutableLongArray shape, Dynamism dynamism, int at) {
    OptionalLong bytes;
    try {
      bytes = ProgramPrinter.defaultBytes(dtype, shape, dynamism);
    } catch (ArithmeticException e) {
      throw cursor.error(
          Kinds.INPUT_OVERFLOW, at, "this tensor takes more than 2^63 - 1 bytes", "");
    }
    if (bytes.isEmpty()) {
      throw cursor.error(
          Kinds.INPUT_MEMBER,
          at,
          "the bytes of this type do not follow from its shape",
          "write them behind it, as in 'f32[?,4] bounded 128 bytes'");
    }
    return bytes.getAsLong();
  }

  /** Settings in braces, each name once. */
  private ImmutableList<Setting> settings() {
    Map<String, Setting> settings = new LinkedHashMap<>();
    cursor.expect('{');
    if (!cursor.accept('}')) {
      do {
        int at = position();
        String name = wordOrQuoted("a name", ProgramPrinter.NAME_CHARACTERS);
        cursor.expect('=');
        int valueAt = position();
        String value = wordOrQuoted("a value", ProgramPrinter.VALUE_CHARACTERS);
        if (settings.put(name, new Setting(name, at, value, valueAt)) != null) {
          throw cursor.error(at, "'" + name + "' is set twice");
        }
      } while (cursor.accept(','));
      cursor.expect('}');
    }
    return ImmutableList.copyOf(settings.values());
  }

  private String symbol(String what) {
    if (!cursor.accept('@')) {
      throw cursor.error(position(), "expected " + what + ", as in @main");
    }
    return wordOrQuoted("a name", ProgramPrinter.NAME_CHARACTERS);
  }

  private String wordOrQuoted(String what, String others) {
    return cursor.peek('"') ? cursor.quoted() : cursor.word(what, others);
  }

  private int number(String what) {
    int at = position();
    long number = longNumber(what);
    if (number > Integer.MAX_VALUE) {
      throw cursor.error(Kinds.INPUT_VALUE, at, number + " is above 2^31 - 1", "");
    }
    return (int) number;
  }

  /** A number, 0 or more. */
  private long longNumber(String what) {
    int at = position();
    String digits = cursor.peekDigit() ? cursor.word(what, "_") : "";
    if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw cursor.error(at, "expected " + what + ", a number");
    }
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw cursor.error(Kinds.INPUT_OVERFLOW, at, what + " is above 2^63 - 1", "");
    }
  }

  private int position() {
    cursor.skipBlanks();
    return cursor.position();
  }
}
