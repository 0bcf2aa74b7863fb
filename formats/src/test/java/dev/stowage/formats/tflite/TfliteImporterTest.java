package dev.stowage.formats.tflite;

import static dev.stowage.formats.tflite.TfliteFile.ADD;
import static dev.stowage.formats.tflite.TfliteFile.CALL_ONCE;
import static dev.stowage.formats.tflite.TfliteFile.CUSTOM;
import static dev.stowage.formats.tflite.TfliteFile.FLOAT32;
import static dev.stowage.formats.tflite.TfliteFile.IF;
import static dev.stowage.formats.tflite.TfliteFile.VAR_HANDLE;
import static dev.stowage.formats.tflite.TfliteFile.WHILE;
import static dev.stowage.formats.tflite.TfliteFile.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.base.DiagnosticException;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.formats.ImportedModel;
import dev.stowage.formats.tflite.TfliteFile.Sub;
import dev.stowage.ir.DType;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.TensorType.Dynamism;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Owner;
import java.util.List;
import org.junit.jupiter.api.Test;

class TfliteImporterTest {
  private static final int BOOL = 6;
  private static final int STRING = 5;
  private static final int RESOURCE = 13;
  private static final int INT4 = 17;

  private final TfliteFile file = new TfliteFile();

  @Test
  void read_oneOperator_givesInputOperatorAndOutputInOrder() {
    file.subgraph("main")
        .tensor("x", FLOAT32, 2, 3)
        .constant("c", 4)
        .tensor("y", FLOAT32, 2, 3)
        .op(ADD, at(0, -1, 1), at(2))
        .inputs(0)
        .outputs(2);

    Method method = method(file);

    assertThat(method.name()).isEqualTo("main");
    Graph graph = method.entry();
    assertThat(graph.nodes()).extracting(Node::op).containsExactly("input", "ADD", "output");
    assertThat(graph.inputs().asList()).containsExactly(0);
    assertThat(graph.outputs().asList()).containsExactly(2);
    assertThat(graph.nodes().get(1).operands())
        .containsExactly(
            new Operand(0, 0, Access.READ),
            new Operand(Operand.HOLE, 1, Access.READ),
            new Operand(1, 2, Access.READ));
    assertThat(method.tensor(0).type().bytes()).isEqualTo(24);
    assertThat(method.tensor(1).constant()).isTrue();
    assertThat(method.tensor(2).name()).isEqualTo("y");
  }

  @Test
  void read_severalSubgraphs_numbersTensorsThroughTheFileAndMakesNamesUnique() {
    file.subgraph("f").tensor("a", FLOAT32, 1).tensor("b", FLOAT32, 1).inputs(0).outputs(1);
    file.subgraph("f").tensor("a", FLOAT32, 1).inputs(0).outputs(0);
    file.subgraph("").tensor("a", FLOAT32, 1);

    Method method = method(file);

    assertThat(method.body().graphs())
        .extracting(Graph::name)
        .containsExactly("f", "f.1", "subgraph2");
    assertThat(method.body().graphs().get(1).inputs().asList()).containsExactly(2);
    assertThat(method.get(MemoryKeys.ORIGIN, 3)).hasValue(3);
    assertThat(read(file).facts().notes()).anyMatch(note -> note.startsWith("2 subgraphs that no"));
  }

  @Test
  void read_namelessEntry_takesTheSignatureThenMain() {
    file.subgraph("");
    assertThat(method(file).name()).isEqualTo("main");

    file.signature("serving_default");
    assertThat(method(file).name()).isEqualTo("serving_default");
  }

  @Test
  void read_constantOrRepeatedInput_isYieldedAtMostOnce() {
    file.subgraph("main").tensor("x", FLOAT32, 1).constant("c", 4).inputs(0, 1, 0).outputs(1, 0);

    Method method = method(file);

    assertThat(method.entry().inputs().asList()).containsExactly(0);
    assertThat(method.entry().outputs().asList()).containsExactly(1, 0);
  }

  @Test
  void read_outputThatHasAValue_becomesAWrite() {
    file.subgraph("main")
        .tensor("x", FLOAT32, 1)
        .variable("state", 1)
        .tensor("y", FLOAT32, 1)
        .op(ADD, at(0, 1), at(1, 2))
        .op(ADD, at(0), at(2))
        .inputs(0);

    List<Node> nodes = method(file).entry().nodes();

    assertThat(nodes.get(1).operands())
        .containsExactly(
            new Operand(0, 0, Access.READ),
            new Operand(1, 1, Access.READ_WRITE),
            new Operand(1, 2, Access.WRITE));
    assertThat(nodes.get(1).results().asList()).containsExactly(2);
    assertThat(nodes.get(2).operands()).contains(new Operand(2, 1, Access.WRITE));
    assertThat(nodes.get(2).results().isEmpty()).isTrue();
  }

  @Test
  void read_inputThatNothingWrites_isScratchOfItsFirstOperator() {
    file.subgraph("main")
        .tensor("scratch", FLOAT32, 8)
        .op(CUSTOM, at(0), at())
        .op(CUSTOM, at(0), at());

    List<Node> nodes = method(file).entry().nodes();

    assertThat(nodes).extracting(Node::op).containsExactly("CUSTOM:mine", "CUSTOM:mine", "output");
    assertThat(nodes.get(0).operands()).containsExactly(new Operand(0, 0, Access.WRITE));
    assertThat(nodes.get(1).operands()).containsExactly(new Operand(0, 0, Access.READ));
  }

  @Test
  void read_variable_isAStateOfTheProgramNotAConstant() {
    file.subgraph("main");
    file.subgraph("body").tensor("x", FLOAT32, 1).add("v", FLOAT32, 1, true, at(5), at());

    ImportedModel model = read(file);

    assertThat(model.program().methods().get(0).tensor(1).constant()).isFalse();
    assertThat(model.program().states()).containsOnlyKeys("subgraph1.t1");
    assertThat(model.facts().constantBytes()).isZero();
  }

  @Test
  void read_constantsThatShareABuffer_countItsBytesOnce() {
    file.subgraph("main").constant("a", 4).constant("b", 2, 2);

    assertThat(read(file).facts().constantBytes()).isEqualTo(16);
  }

  @Test
  void read_varHandle_leavesItsOutputToTheRuntime() {
    file.subgraph("main")
        .tensor("handle", RESOURCE)
        .tensor("passed", RESOURCE)
        .op(VAR_HANDLE, at(), at(0))
        .inputs(1);

    Method method = method(file);

    assertThat(method.get(MemoryKeys.OWNER, 0)).hasValue(Owner.RUNTIME);
    assertThat(method.get(MemoryKeys.OWNER, 1)).isEmpty();
    assertThat(method.tensor(1).type().dtype()).isEqualTo(DType.HANDLE);
    assertThat(method.tensor(1).type().bytes()).isEqualTo(4);
  }

  @Test
  void read_elementsBelowAByte_arePackedInConstantsOnly() {
    file.subgraph("main").tensor("t", INT4, 5).add("c", INT4, 1, false, at(5), at());

    Method method = method(file);

    assertThat(method.tensor(0).type().bytes()).isEqualTo(5);
    assertThat(method.tensor(1).type().bytes()).isEqualTo(3);
  }

  @Test
  void read_strings_haveBytesOnlyWhereTheyAreStored() {
    file.subgraph("main").tensor("t", STRING, 5).add("c", STRING, 1, false, at(5), at());

    Method method = method(file);

    assertThat(method.tensor(0).type().dynamism()).isEqualTo(Dynamism.UNBOUNDED);
    assertThat(method.tensor(1).type().bytes()).isEqualTo(16);
  }

  @Test
  void read_openShapeAndOfflinePlan_areNoted() {
    file.metadata("min_runtime_version").metadata("OfflineMemoryAllocation");
    file.subgraph("main").add("t", FLOAT32, 0, false, at(1, 8), at(-1, 8));

    assertThat(method(file).tensor(0).type().dynamism()).isEqualTo(Dynamism.STATIC);
    assertThat(read(file).facts().notes())
        .anyMatch(note -> note.startsWith("1 tensor with dimensions"))
        .contains("carries an offline memory plan, which is not read yet");
  }

  @Test
  void read_controlFlow_runsItsSubgraphsInOrder() {
    file.subgraph("main")
        .tensor("flag", BOOL, 1)
        .tensor("x", FLOAT32, 1)
        .tensor("y", FLOAT32, 1)
        .tensor("z", FLOAT32, 1)
        .op(CALL_ONCE, at(), at(), 4)
        .op(IF, at(0, 1), at(2), 1, 2)
        .op(WHILE, at(2), at(3), 3, 2)
        .inputs(0, 1)
        .outputs(3);
    identity(file.subgraph("then"));
    identity(file.subgraph("else"));
    identity(file.subgraph("cond"));
    file.subgraph("init");

    List<Node> nodes = method(file).entry().nodes();

    assertThat(nodes)
        .extracting(Node::op)
        .containsExactly("input", "call", "if", "while", "output");
    assertThat(nodes.get(1).graphs().asList()).containsExactly(4);
    assertThat(nodes.get(2).graphs().asList()).containsExactly(1, 2);
    assertThat(nodes.get(3).graphs().asList()).containsExactly(3, 2);
    assertThat(nodes.get(3).operands()).containsExactly(new Operand(2, 0, Access.READ));
    assertThat(nodes.get(3).results().asList()).containsExactly(3);
  }

  @Test
  void read_unknownOperator_isNamedByItsNumber() {
    file.subgraph("main").op(4711, at(), at());

    assertThat(method(file).entry().nodes().get(0).op()).isEqualTo("BUILTIN_4711");
  }

  @Test
  void read_tensorIndexOutOfRange_namesThePlace() {
    file.subgraph("main").tensor("x", FLOAT32, 1).op(ADD, at(0, 7), at(0));

    assertRefused(
        file,
        Kinds.INPUT_REFERENCE,
        "m.tflite:subgraph 0 (main), operator 0 (ADD)",
        "input 1 is tensor 7, which does not exist; the subgraph has 1");
  }

  @Test
  void read_minusOne_isNoSubgraphInput() {
    file.subgraph("main").tensor("x", FLOAT32, 1).inputs(-1);

    assertRefused(file, Kinds.INPUT_REFERENCE, "input 0 is tensor -1");
  }

  @Test
  void read_bufferOutOfRange_namesTheTensor() {
    file.subgraph("main").add("x", FLOAT32, 2, false, at(1), at());

    assertRefused(
        file, Kinds.INPUT_REFERENCE, "subgraph 0 (main), tensor 0 (x)", "buffer 2 does not exist");
  }

  @Test
  void read_subgraphOutOfRange_namesTheOperator() {
    file.subgraph("main").op(CALL_ONCE, at(), at(), 1);

    assertRefused(file, Kinds.INPUT_REFERENCE, "operator 0 (CALL_ONCE)", "it runs subgraph 1");
  }

  @Test
  void read_missingOptions_isMalformed() {
    file.subgraph("main").op(WHILE, at(), at());

    assertRefused(file, Kinds.INPUT_MALFORMED, "do not say which subgraphs");
  }

  @Test
  void read_subgraphWithOtherArguments_isMalformed() {
    file.subgraph("main")
        .tensor("flag", BOOL, 1)
        .tensor("y", FLOAT32, 1)
        .op(IF, at(0), at(1), 1, 1);
    identity(file.subgraph("then"));

    assertRefused(
        file,
        Kinds.INPUT_MALFORMED,
        "needs a subgraph with 0 inputs and 1 outputs, but subgraph 1 (then) has 1 and 1");
  }

  @Test
  void read_ifWithoutCondition_isMalformed() {
    file.subgraph("main").op(IF, at(), at(), 1, 1);
    file.subgraph("then");

    assertRefused(file, Kinds.INPUT_MALFORMED, "it cannot have 0 inputs and 0 outputs");
  }

  @Test
  void read_negativeDimension_isRefused() {
    file.subgraph("main").tensor("x", FLOAT32, 2, -3);

    assertRefused(file, Kinds.INPUT_VALUE, "tensor 0 (x)", "dimension 1 of its shape");
  }

  @Test
  void read_unknownType_isRefused() {
    file.subgraph("main").tensor("x", 99, 2);

    assertRefused(file, Kinds.INPUT_VALUE, "tensor 0 (x)", "element type 99 is unknown");
  }

  @Test
  void read_sizeOf2To63Bytes_overflows() {
    file.subgraph("main").tensor("x", FLOAT32, 1 << 30, 1 << 30, 2);

    assertRefused(file, Kinds.INPUT_OVERFLOW, "tensor 0 (x)", "2^63 bytes or more");
  }

  @Test
  void read_zeroDimensionBesideHugeOnes_hasNoBytes() {
    file.subgraph("main").tensor("x", FLOAT32, 1 << 30, 1 << 30, 1 << 30, 0);

    assertThat(method(file).tensor(0).type().bytes()).isZero();
  }

  @Test
  void read_subgraphsInACircle_namesThem() {
    file.subgraph("main").op(CALL_ONCE, at(), at(), 1);
    file.subgraph("a").op(CALL_ONCE, at(), at(), 2);
    file.subgraph("b").op(CALL_ONCE, at(), at(), 1);

    assertRefused(
        file,
        Kinds.INPUT_REFERENCE,
        "in a circle: subgraph 1 (a) -> subgraph 2 (b) -> subgraph 1 (a)");
  }

  @Test
  void read_circleThatNothingReaches_isRefusedToo() {
    file.subgraph("main");
    file.subgraph("a").op(CALL_ONCE, at(), at(), 1);

    assertRefused(file, Kinds.INPUT_REFERENCE, "circle: subgraph 1 (a) -> subgraph 1 (a)");
  }

  @Test
  void read_chainOf10000Subgraphs_isRead() {
    for (int i = 0; i < 10_000; i++) {
      file.subgraph("").op(CALL_ONCE, at(), at(), i + 1);
    }
    file.subgraph("");

    assertThat(method(file).body().graphs()).hasSize(10_001);
  }

  @Test
  void read_callsThatDouble60Times_areRefused() {
    for (int i = 0; i < 60; i++) {
      file.subgraph("").op(CALL_ONCE, at(), at(), i + 1).op(CALL_ONCE, at(), at(), i + 1);
    }
    file.subgraph("");

    assertRefused(file, Kinds.INPUT_UNSUPPORTED, "goes through more than 100000 subgraphs");
  }

  private static void identity(Sub sub) {
    sub.tensor("in", FLOAT32, 1)
        .tensor("out", FLOAT32, 1)
        .op(ADD, at(0), at(1))
        .inputs(0)
        .outputs(1);
  }

  private static ImportedModel read(TfliteFile file) {
    return TfliteImporter.read("m.tflite", file.bytes());
  }

  private static Method method(TfliteFile file) {
    return read(file).program().methods().get(0);
  }

  private static void assertRefused(TfliteFile file, DiagnosticKind kind, String... parts) {
    byte[] bytes = file.bytes();
    assertThatThrownBy(() -> TfliteImporter.read("m.tflite", bytes))
        .isInstanceOfSatisfying(
            DiagnosticException.class, e -> assertThat(e.diagnostic().kind()).isEqualTo(kind))
        .hasMessageContainingAll(parts);
  }
}
