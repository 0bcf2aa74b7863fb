package dev.stowage.ir.structure;

import static dev.stowage.base.Kinds.INPUT_MEMBER;
import static dev.stowage.base.Kinds.INPUT_REFERENCE;
import static dev.stowage.base.Kinds.INPUT_VALUE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.ir.Alias;
import dev.stowage.ir.DType;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Program;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import org.junit.jupiter.api.Test;

class StructureTest {
  private static final TensorType TYPE = TensorType.of(DType.F32, 4);

  private final MethodBuilder method = Method.builder("m");
  private final int main = method.graph("main");

  @Test
  void check_wellFormed_findsNothing() {
    int body = method.graph("body");
    int constant = method.tensor("", TYPE, /* constant= */ true, null, null);
    method.tensor("unused", TYPE);
    int x = input(main);
    method.node(main, Ops.CALL).runs(body).add();
    output(main, x);
    method.node(body, "f").reads(x, constant).hole().add();
    output(body);
    assertThat(check()).isEmpty();
  }

  @Test
  void check_tensorsThatDoNotExist_areFaults() {
    method.node(main, "f").reads(7).yields(9).add();
    output(main);
    assertFault(INPUT_REFERENCE, "m/main/0 (f)", "it yields %9, which does not exist");
    assertFault(INPUT_REFERENCE, "m/main/0 (f)", "it uses %7, which does not exist");
    assertThat(check()).hasSize(2);
  }

  @Test
  void check_tensorYieldedTwice_isAFault() {
    int x = input(main);
    method.node(main, "f").yields(x).add();
    output(main);
    assertOnlyFault(INPUT_VALUE, "m/main/1 (f)", "%0 is yielded a second time");
  }

  @Test
  void check_neverYieldedButWrittenBeforeItIsRead_isNoFault() {
    int scratch = method.tensor("scratch", TYPE);
    method.node(main, "f").operand(scratch, Access.WRITE).add();
    method.node(main, "f").reads(scratch).add();
    output(main);
    assertThat(check()).isEmpty();
  }

  @Test
  void check_neverYieldedAndReadBeforeItIsWritten_isAFault() {
    int scratch = method.tensor("x", TYPE);
    method.node(main, "f").operand(scratch, Access.READ_WRITE).add();
    method.node(main, "f").operand(scratch, Access.WRITE).add();
    output(main);
    assertOnlyFault(INPUT_REFERENCE, "m/main/0 (f), tensor %0 (x)", "no node yields it");
  }

  @Test
  void check_usedButNeverYielded_isAFaultUnlessConstantOrState() {
    int plain = method.tensor("x", TYPE);
    int state = method.tensor("", TYPE, false, "s", null);
    output(main, plain, state);
    assertOnlyFault(INPUT_REFERENCE, "m/main/0 (output), tensor %0 (x)", "no node yields it");
  }

  @Test
  void check_usedBeforeItIsYielded_isAFault() {
    int x = method.tensor("", TYPE);
    method.node(main, "f").operand(x, Access.BIND).yields(x).add();
    output(main);
    assertOnlyFault(INPUT_REFERENCE, "m/main/0 (f), tensor %0", "used before it is yielded");
  }

  @Test
  void check_bodyThatReadsWhatTheCallerYieldsLater_isAFault() {
    int body = method.graph("body");
    int x = method.tensor("", TYPE);
    method.node(main, Ops.CALL).runs(body).add();
    method.node(main, "f").yields(x).add();
    output(main);
    output(body, x);
    assertOnlyFault(INPUT_REFERENCE, "m/body/3 (output), tensor %0", "before it is yielded");
  }

  @Test
  void check_callerThatReadsWhatABodyYields_isAFault() {
    int body = method.graph("body");
    int x = input(body);
    output(body, x);
    method.node(main, Ops.CALL).runs(body).add();
    output(main, x);
    assertOnlyFault(INPUT_REFERENCE, "m/main/3 (output), tensor %0", "graph @body, which does not");
  }

  @Test
  void check_methodWithoutGraphs_isAFault() {
    Program program = Program.of("p", Method.builder("empty").build());
    assertThat(Structure.check(program))
        .singleElement()
        .satisfies(fault -> assertThat(fault.message()).isEqualTo("the method has no graph"));
  }

  @Test
  void check_graphWithoutOutputAtItsEnd_isAFault() {
    output(main);
    method.node(main, "f").add();
    method.graph("empty");
    assertFault(INPUT_MEMBER, "m/main", "the last node of the graph is no output node");
    assertFault(INPUT_VALUE, "m/main/0 (output)", "only the last node of a graph is its output");
    assertFault(INPUT_MEMBER, "m/empty", "the last node of the graph is no output node");
    assertThat(check()).hasSize(3);
  }

  @Test
  void check_graphThatDoesNotExist_isAFault() {
    method.node(main, "f").runs(1).add();
    output(main);
    assertOnlyFault(INPUT_REFERENCE, "m/main/0 (f)", "it runs graph 1, but the method has 1");
  }

  @Test
  void check_graphsThatRunOneAnother_areOneFault() {
    int body = method.graph("body");
    method.node(main, Ops.CALL).runs(body).add();
    output(main);
    method.node(body, Ops.CALL).runs(main).add();
    output(body);
    assertOnlyFault(INPUT_VALUE, "m/body/2 (call)", "it runs @main, which is running already");
  }

  @Test
  void check_cycleThatNothingRuns_isAFault() {
    output(main);
    int body = method.graph("body");
    method.node(body, Ops.CALL).runs(body).add();
    output(body);
    assertOnlyFault(INPUT_VALUE, "m/body/1 (call)", "it runs @body, which is running already");
  }

  @Test
  void check_graphRunTwice_isNoCycle() {
    int body = method.graph("body");
    method.node(main, Ops.IF).runs(body).runs(body).add();
    output(main);
    output(body);
    assertThat(check()).isEmpty();
  }

  @Test
  void check_wrongNumberOfGraphs_isAFault() {
    int body = method.graph("body");
    method.node(main, Ops.IF).runs(body).add();
    method.node(main, Ops.CALL).add();
    output(main);
    output(body);
    assertFault(INPUT_MEMBER, "m/main/0 (if)", "it runs 1 graphs instead of 2");
    assertFault(INPUT_MEMBER, "m/main/1 (call)", "it runs 0 graphs instead of 1");
  }

  @Test
  void check_jumpOutOfItsGraph_isAFault() {
    int body = method.graph("body");
    output(body);
    method.node(main, Ops.JUMP_IF_FALSE).jumpsTo(0).add();
    method.node(main, Ops.JUMP_IF_FALSE).add();
    output(main);
    assertFault(INPUT_REFERENCE, "m/main/1 (jump_if_false)", "it jumps to node 0, which is not in");
    assertFault(INPUT_MEMBER, "m/main/2 (jump_if_false)", "it does not say where to jump");
  }

  @Test
  void check_twoOfOneName_areFaults() {
    method.graph("main");
    method.node(main, Ops.OUTPUT).id(5).add();
    method.node(1, Ops.OUTPUT).id(5).add();
    Method built = method.build();
    ImmutableList<Diagnostic> faults =
        Structure.check(Program.of("p", ImmutableList.of(built, built)));
    assertThat(faults.stream().map(Diagnostic::message))
        .containsExactly(
            "there are two graphs @main",
            "another node has the same id",
            "there are two methods @m",
            "there are two graphs @main",
            "another node has the same id");
  }

  @Test
  void check_viewOutsideItsBase_isAFault() {
    int x = input(main);
    method.tensor("fits", TensorType.of(DType.I8, 4), false, null, Alias.view(x, 12));
    method.tensor("late", TensorType.of(DType.I8, 5), false, null, Alias.view(x, 12));
    method.tensor("early", TensorType.of(DType.I8, 5), false, null, Alias.view(x, -1));
    method.tensor("far", TYPE, false, null, Alias.view(x, Long.MAX_VALUE));
    method.tensor("same", TYPE, false, null, new Alias(Alias.Kind.SAME, x, 4));
    output(main);
    assertThat(check().stream().map(fault -> fault.location() + ": " + fault.message()))
        .containsExactly(
            "m, tensor %2 (late): its 5 bytes at offset 12 reach past the end of its base %0,"
                + " which has 16",
            "m, tensor %3 (early): it begins 1 bytes before its base %0",
            "m, tensor %4 (far): its 16 bytes at offset 9,223,372,036,854,775,807 reach past the"
                + " end of its base %0, which has 16",
            "m, tensor %5 (same): only a view may begin at an offset, but this one begins at 4");
  }

  @Test
  void check_stateThatIsMissingOrOfAnotherSize_isAFault() {
    method.tensor("", TYPE, false, "s", null);
    method.tensor("", TYPE, false, "t", null);
    output(main);
    Program program =
        new Program(
            "p",
            ImmutableList.of(method.build()),
            ImmutableMap.of("s", TensorType.of(DType.F32, 5)));
    assertThat(Structure.check(program).stream().map(Diagnostic::message))
        .containsExactly(
            "it has 16 bytes, but the state @s for which it stands has 20",
            "it stands for the state @t, which the program does not have");
  }

  @Test
  void check_sharesOfATensorThatDoesNotExist_isAFault() {
    int x = input(main);
    output(main, x);
    Method built =
        method.build().edit().annotate(x, MemoryKeys.SHARES, new Shares(3, 0, false)).build();
    assertThat(Structure.check(Program.of("p", built)))
        .singleElement()
        .satisfies(
            fault ->
                assertThat(fault.message())
                    .isEqualTo("it shares bytes of %3, which does not exist"));
  }

  @Test
  void check_outlastedNodeThatIsTakenOut_isAFault() {
    int x = input(main);
    method.node(main, "f").reads(x).add();
    output(main, x);
    Method built = method.build().edit().annotate(x, MemoryKeys.UNTIL, 1).build();
    assertThat(Structure.check(Program.of("p", built))).isEmpty();
    assertThat(Structure.check(Program.of("p", built.edit().remove(1).build())))
        .singleElement()
        .satisfies(
            fault -> {
              assertThat(fault.kind()).isEqualTo(INPUT_REFERENCE);
              assertThat(fault.location().place()).isEqualTo("m, tensor %0");
              assertThat(fault.message())
                  .isEqualTo("it is to stay alive until node 1, which does not exist");
            });
  }

  private int input(int graph) {
    int tensor = method.tensor("", TYPE);
    method.node(graph, Ops.INPUT).yields(tensor).add();
    return tensor;
  }

  private void output(int graph, int... tensors) {
    method.node(graph, Ops.OUTPUT).reads(tensors).add();
  }

  private ImmutableList<Diagnostic> check() {
    return Structure.check(Program.of("p", method.build()));
  }

  private void assertOnlyFault(DiagnosticKind kind, String place, String message) {
    assertThat(check()).hasSize(1);
    assertFault(kind, place, message);
  }

  private void assertFault(DiagnosticKind kind, String place, String message) {
    assertThat(check())
        .anySatisfy(
            fault -> {
              assertThat(fault.kind()).isEqualTo(kind);
              assertThat(fault.location().place()).isEqualTo(place);
              assertThat(fault.message()).contains(message);
            });
  }
}
