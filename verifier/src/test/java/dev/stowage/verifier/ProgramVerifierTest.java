package dev.stowage.verifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.google.common.collect.ImmutableMap;
import dev.stowage.ir.Alias;
import dev.stowage.ir.DType;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Owner;
import dev.stowage.ir.memory.Shares;
import dev.stowage.verifier.ClaimedPlan.Place;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ProgramVerifierTest {
  private static final TensorType BYTES_64 = TensorType.of(DType.U8, 64);
  private static final ProgramVerifier.Rules RULES = ProgramVerifier.Rules.aligned(16);

  private final MethodBuilder builder = Method.builder("forward");
  private final int main = builder.graph("main");

  private int tensor(String name) {
    return builder.tensor(name, BYTES_64);
  }

  private int alias(String name, Alias alias) {
    return builder.tensor(name, BYTES_64, /* constant= */ false, /* state= */ null, alias);
  }

  private int state(String name) {
    return builder.tensor(name, BYTES_64, /* constant= */ false, name, /* alias= */ null);
  }

  private void input(int graph, int tensor) {
    builder.node(graph, Ops.INPUT).yields(tensor).add();
  }

  private void op(int graph, int result, int... operands) {
    builder.node(graph, "op").reads(operands).yields(result).add();
  }

  private void output(int graph, int... tensors) {
    builder.node(graph, Ops.OUTPUT).reads(tensors).add();
  }

  /** Tensor, offset, tensor, offset, ... in arena 1. */
  private static ClaimedPlan plan(long... places) {
    List<Place> claims = new ArrayList<>();
    for (int i = 0; i < places.length; i += 2) {
      claims.add(new Place((int) places[i], 1, -1, places[i + 1]));
    }
    return ClaimedPlan.of(claims, 0, 1024);
  }

  private static List<String> summaries(Method method, ClaimedPlan plan) {
    return summaries(method, plan, RULES);
  }

  private static List<String> summaries(
      Method method, ClaimedPlan plan, ProgramVerifier.Rules rules) {
    return ProgramVerifier.verify(method, plan, rules).stream()
        .map(
            finding ->
                finding.kind()
                    + " "
                    + finding.subjects().stream().map(Finding.Subject::number).toList())
        .toList();
  }

  private static String lifetime(Method method, ClaimedPlan plan, int tensor) {
    // Over everything else's bytes and alive with it, a tensor says how long it lives.
    return ProgramVerifier.verify(method, plan, RULES).stream()
        .flatMap(finding -> finding.subjects().stream())
        .filter(subject -> subject.number() == tensor)
        .findFirst()
        .map(subject -> "[" + subject.first() + ", " + subject.last() + "]")
        .orElse("");
  }

  @Test
  void inPlaceResult_readAfterItsBytesAreGivenAway_isAHazard() {
    // golden/pte/inplace_hazard, with its specs as numbers and its recorded placements.
    TensorType f32 = TensorType.of(DType.F32, 8, 4);
    int a = builder.tensor("a", f32);
    int b = builder.tensor("b", f32);
    int i = builder.tensor("i", TensorType.of(DType.I64, 2));
    int v = builder.tensor("v", TensorType.of(DType.F32, 2, 4));
    int add = builder.tensor("alloc", f32);
    int addOut = builder.tensor("aten_add_tensor", f32, false, null, Alias.same(add));
    int put = builder.tensor("aten_index_put__default", f32, false, null, Alias.mutates(addOut));
    int mul = builder.tensor("alloc_1", f32);
    int exp = builder.tensor("alloc_2", f32);
    int relu = builder.tensor("alloc_3", f32);
    int last = builder.tensor("alloc_4", f32);
    for (int input : new int[] {a, b, i, v}) {
      input(main, input);
    }
    builder.node(main, Ops.ALLOC).yields(add).add();
    builder.node(main, "aten.add.out").reads(a, b).operand(add, Access.WRITE).yields(addOut).add();
    builder
        .node(main, "aten.index_put_")
        .operand(addOut, Access.READ_WRITE)
        .reads(i, v)
        .yields(put)
        .add();
    builder.node(main, Ops.ALLOC).yields(mul).add();
    builder.node(main, "aten.mul.out").reads(a, b).operand(mul, Access.WRITE).add();
    builder.node(main, Ops.ALLOC).yields(exp).add();
    int expNode = builder.node(main, "aten.exp.out").reads(mul).operand(exp, Access.WRITE).add();
    builder.node(main, Ops.ALLOC).yields(relu).add();
    builder.node(main, "aten.relu.out").reads(exp).operand(relu, Access.WRITE).add();
    builder.node(main, Ops.ALLOC).yields(last).add();
    builder.node(main, "aten.add.out").reads(put, relu).operand(last, Access.WRITE).add();
    output(main, last);
    GraphEditor editor = builder.build().edit();
    int[] origins = {0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9};
    for (int t = 0; t < origins.length; t++) {
      editor.annotate(t, MemoryKeys.ORIGIN, origins[t]);
    }
    ClaimedPlan recorded =
        ClaimedPlan.of(
            List.of(
                new Place(0, 1, 3, 384),
                new Place(1, 1, 2, 256),
                new Place(2, 1, 1, 160),
                new Place(3, 1, 1, 128),
                new Place(4, 1, 0, 0),
                new Place(6, 1, 1, 128),
                new Place(7, 1, 0, 0),
                new Place(8, 1, 1, 128),
                new Place(9, 1, 0, 0)),
            0,
            512);

    List<Finding> findings = ProgramVerifier.verify(editor.build(), recorded, RULES);

    assertThat(findings)
        .extracting(Finding::kind)
        .containsExactly(FindingKind.IN_PLACE_OVERLAP, FindingKind.IN_PLACE_OVERLAP);
    assertThat(findings.get(0).node()).isEqualTo(expNode);
    assertThat(findings.get(0).message())
        .isEqualTo(
            "tensor 4 (alloc) at [0, 128) of mem_id 1, live over steps [5, 14], and"
                + " tensor 7 (alloc_2) at [0, 128) of mem_id 1, live over steps [10, 12],"
                + " share bytes while both are live;"
                + " tensor 7 (alloc_2) is first written by aten.exp.out (node 10)");
    assertThat(findings.get(1).subjects())
        .extracting(Finding.Subject::number)
        .containsExactly(4, 9);
  }

  @Test
  void inputPassedThrough_overwritten_isRejected() {
    int in = tensor("input_0");
    int plus = tensor("plus_10");
    input(main, in);
    op(main, plus, in);
    output(main, plus, in);

    assertThat(summaries(builder.build(), plan(in, 0, plus, 0))).containsExactly("overlap [0, 1]");
    assertThat(summaries(builder.build(), plan(in, 0, plus, 64))).isEmpty();
  }

  @Test
  void view_keepsStorageAlive() {
    int base = tensor("base");
    int view = alias("view", Alias.view(base, 32));
    int other = tensor("other");
    int out = tensor("out");
    op(main, base);
    builder.node(main, Ops.VIEW).operand(base, Access.BIND).yields(view).add();
    op(main, other);
    op(main, out, view, other);
    output(main, out);

    assertThat(summaries(builder.build(), plan(base, 0, other, 0, out, 128)))
        .containsExactly("overlap [0, 2]");
    assertThat(summaries(builder.build(), plan(base, 0, other, 64, out, 128))).isEmpty();
  }

  @Test
  void resultThatNobodyReads_takesItsBytesForOneStep() {
    int in = tensor("in");
    int unread = tensor("unread");
    int out = tensor("out");
    input(main, in);
    op(main, unread, in);
    op(main, out, in);
    output(main, out);

    assertThat(summaries(builder.build(), plan(in, 0, unread, 0, out, 64)))
        .containsExactly("overlap [0, 1]");
    assertThat(summaries(builder.build(), plan(in, 0, unread, 64, out, 64))).isEmpty();
  }

  @Test
  void branches_mayShareBytes_butNotWithWhatIsReadAfterwards() {
    int in = tensor("in");
    int kept = tensor("kept");
    int thenIn = tensor("then.in");
    int thenOut = tensor("then.out");
    int elseIn = tensor("else.in");
    int elseOut = tensor("else.out");
    int result = tensor("result");
    int out = tensor("out");
    int thenGraph = builder.graph("then");
    int elseGraph = builder.graph("else");
    input(thenGraph, thenIn);
    op(thenGraph, thenOut, thenIn);
    output(thenGraph, thenOut);
    input(elseGraph, elseIn);
    op(elseGraph, elseOut, elseIn);
    output(elseGraph, elseOut);
    input(main, in);
    op(main, kept, in);
    builder.node(main, Ops.IF).reads(in, in).runs(thenGraph).runs(elseGraph).yields(result).add();
    op(main, out, result, kept);
    output(main, out);
    Method method = builder.build();

    assertThat(
            summaries(
                method,
                plan(
                    in, 0, kept, 64, thenIn, 128, thenOut, 192, elseIn, 128, elseOut, 192, result,
                    256, out, 0)))
        .isEmpty();
    assertThat(
            summaries(
                method,
                plan(
                    in, 0, kept, 64, thenIn, 128, thenOut, 64, elseIn, 128, elseOut, 192, result,
                    256, out, 0)))
        .containsExactly("overlap [1, 3]");
    assertThat(
            summaries(
                method,
                plan(
                    in, 0, kept, 64, thenIn, 128, thenOut, 192, elseIn, 128, elseOut, 192, result,
                    192, out, 0)))
        .as("the result is copied from the output of either branch")
        .containsExactly("overlap [3, 6]", "overlap [5, 6]");
  }

  @Test
  void whileLoop_readsOuterValue_keepsItToTheLastTrip() {
    int in = tensor("in");
    int weight = tensor("weight");
    int condIn = tensor("cond.in");
    int condOut = tensor("cond.out");
    int bodyIn = tensor("body.in");
    int bodyOut = tensor("body.out");
    int late = tensor("late");
    int result = tensor("result");
    int cond = builder.graph("cond");
    int body = builder.graph("body");
    input(cond, condIn);
    op(cond, condOut, condIn);
    output(cond, condOut);
    input(body, bodyIn);
    op(body, bodyOut, bodyIn, weight);
    op(body, late, bodyOut);
    output(body, late);
    input(main, in);
    op(main, weight, in);
    builder.node(main, Ops.WHILE).reads(in).runs(cond).runs(body).yields(result).add();
    output(main, result);
    Method method = builder.build();

    // 0 in, 1 weight, 2 while opens, 3-5 cond, 6-9 body, 10 while closes, 11 output.
    ClaimedPlan allTogether =
        plan(in, 0, weight, 0, condIn, 0, condOut, 0, bodyIn, 0, bodyOut, 0, late, 0, result, 0);
    assertThat(lifetime(method, allTogether, weight)).isEqualTo("[1, 10]");
    assertThat(lifetime(method, allTogether, result)).isEqualTo("[2, 11]");
    assertThat(lifetime(method, allTogether, bodyIn)).isEqualTo("[6, 7]");
    assertThat(
            summaries(
                method,
                plan(
                    in, 0, weight, 64, condIn, 128, condOut, 192, bodyIn, 128, bodyOut, 192, late,
                    64, result, 256)))
        .as("the next trip reads what this one overwrites")
        .containsExactly("overlap [1, 6]");
  }

  @Test
  void whileLoop_valueReadBeforeItIsWritten_livesOverAllTrips() {
    int in = tensor("in");
    int carried = tensor("carried");
    int scratch = tensor("scratch");
    int flag = tensor("flag");
    int result = tensor("result");
    int cond = builder.graph("cond");
    int body = builder.graph("body");
    op(cond, flag);
    output(cond, flag);
    op(body, scratch, carried);
    builder.node(body, "set").operand(carried, Access.WRITE).add();
    output(body, scratch);
    input(main, in);
    builder.node(main, Ops.WHILE).reads(in).runs(cond).runs(body).yields(result).add();
    output(main, result);
    Method method = builder.build();

    // 0 in, 1 while opens, 2-3 cond, 4-6 body, 7 while closes.
    ClaimedPlan allTogether = plan(in, 0, carried, 0, scratch, 0, flag, 0, result, 0);
    assertThat(lifetime(method, allTogether, carried)).isEqualTo("[1, 7]");
    assertThat(lifetime(method, allTogether, scratch)).isEqualTo("[4, 7]");
  }

  @Test
  void branchInLoop_mayWriteOuterValue_keepsItOverAllTrips() {
    int in = tensor("in");
    int value = tensor("value");
    int flag = tensor("flag");
    int use = tensor("use");
    int chosen = tensor("chosen");
    int result = tensor("result");
    int body = builder.graph("body");
    int thenGraph = builder.graph("then");
    int elseGraph = builder.graph("else");
    builder.node(thenGraph, "set").operand(value, Access.WRITE).add();
    output(thenGraph, value);
    output(elseGraph, value);
    op(body, flag);
    builder.node(body, Ops.IF).reads(flag).runs(thenGraph).runs(elseGraph).yields(chosen).add();
    op(body, use, chosen);
    output(body, use);
    input(main, in);
    builder.node(main, Ops.SCAN).reads(in).runs(body).yields(result).add();
    output(main, result);
    Method method = builder.build();

    // 0 in, 1 scan opens, 2-8 body (3 if opens, 4-5 then, 6 else, 7 if closes, 8 op, 9 output).
    ClaimedPlan allTogether = plan(in, 0, value, 0, flag, 0, use, 0, chosen, 0, result, 0);
    assertThat(lifetime(method, allTogether, value)).isEqualTo("[1, 10]");
    assertThat(lifetime(method, allTogether, chosen)).isEqualTo("[5, 8]");
    assertThat(lifetime(method, allTogether, in))
        .as("each trip takes another slice")
        .isEqualTo("[0, 10]");
    assertThat(lifetime(method, allTogether, result)).isEqualTo("[1, 11]");
  }

  @Test
  void conditional_operands_liveUntilTheLastBranchIsEntered() {
    int one = tensor("one");
    int two = tensor("two");
    int elseIn = tensor("else.in");
    int thenGraph = builder.graph("then");
    int elseGraph = builder.graph("else");
    output(thenGraph);
    input(elseGraph, elseIn);
    output(elseGraph, elseIn);
    input(main, one);
    input(main, two);
    builder.node(main, Ops.IF).reads(one, two).runs(thenGraph).runs(elseGraph).add();
    output(main);

    // Copied one by one, the first operand would be written over the second.
    assertThat(summaries(builder.build(), plan(one, 0, two, 64, elseIn, 64)))
        .containsExactly("overlap [1, 2]");
    assertThat(summaries(builder.build(), plan(one, 0, two, 64, elseIn, 128))).isEmpty();
  }

  @Test
  void whatALoopWrites_readAfterIt_livesOverTheWholeLoop() {
    int value = tensor("value");
    int flag = tensor("flag");
    builder.node(main, "op").id(1).yields(flag).add();
    builder.node(main, Ops.JUMP_IF_FALSE).reads(flag).jumpsTo(5).id(2).add();
    builder.node(main, "set").operand(value, Access.WRITE).id(3).add();
    builder.node(main, Ops.JUMP_IF_FALSE).jumpsTo(1).id(4).add();
    builder.node(main, Ops.OUTPUT).reads(value).id(5).add();

    // The last trip ends after the flag is written anew.
    assertThat(summaries(builder.build(), plan(value, 0, flag, 0)))
        .containsExactly("overlap [0, 1]");
    assertThat(summaries(builder.build(), plan(value, 0, flag, 64))).isEmpty();
  }

  @Test
  void jumpIntoTheMiddleOfALoop_repeatsAllOfIt() {
    int early = tensor("early");
    int flag = tensor("flag");
    int late = tensor("late");
    input(main, early);
    builder.node(main, "use").reads(early).id(10).add();
    builder.node(main, "op").yields(flag).id(11).add();
    builder.node(main, Ops.JUMP_IF_FALSE).reads(flag).jumpsTo(10).id(12).add();
    builder.node(main, "op").yields(late).id(13).add();
    builder.node(main, Ops.JUMP_IF_FALSE).reads(late).jumpsTo(11).id(14).add();
    output(main);

    // From 14 to 11, from 12 to 10, which reads once more what 13 has written over.
    assertThat(summaries(builder.build(), plan(early, 0, flag, 64, late, 0)))
        .containsExactly("overlap [0, 2]");
    assertThat(summaries(builder.build(), plan(early, 0, flag, 64, late, 128))).isEmpty();
  }

  @Test
  void until_nodeBeforeTheFirstUseInALoop_keepsItFromTripToTrip() {
    int early = tensor("early");
    int kept = tensor("kept");
    builder.node(main, "op").yields(early).id(1).add();
    builder.node(main, "wait").id(2).add();
    builder.node(main, "op").yields(kept).id(3).add();
    builder.node(main, Ops.JUMP_IF_FALSE).reads(kept).jumpsTo(1).id(4).add();
    output(main);
    Method method = builder.build();
    assertThat(summaries(method, plan(early, 0, kept, 0))).isEmpty();

    Method outlasting = method.edit().annotate(kept, MemoryKeys.UNTIL, 2).build();
    assertThat(summaries(outlasting, plan(early, 0, kept, 0))).containsExactly("overlap [0, 1]");
  }

  @Test
  void derivedSharing_ofTwoResultsOfOneNode_isNoHandOver() {
    int one = tensor("one");
    int two = tensor("two");
    builder.node(main, "split").yields(one, two).add();
    output(main, two);
    Method method =
        builder.build().edit().annotate(two, MemoryKeys.SHARES, new Shares(one, 0, true)).build();

    assertThat(summaries(method, plan(one, 0, two, 0))).containsExactly("overlap [0, 1]");
  }

  @Test
  void validPlan_ofLargeMethod_isAccepted() {
    int count = 50_000;
    long[] places = new long[2 * count];
    for (int i = 0; i < count; i++) {
      places[2 * i] = tensor("");
      places[2 * i + 1] = i % 2 * 64L;
      if (i == 0) {
        op(main, 0);
      } else {
        op(main, i, i - 1);
      }
    }
    output(main, count - 1);

    assertThat(summaries(builder.build(), plan(places))).isEmpty();
  }

  @Test
  void backwardJump_isALoop() {
    int flag = tensor("flag");
    int weight = tensor("weight");
    int value = tensor("value");
    int late = tensor("late");
    op(main, weight);
    int top = builder.node(main, "op").reads(weight).yields(value).add();
    op(main, late, value);
    op(main, flag, late);
    builder.node(main, Ops.JUMP_IF_FALSE).reads(flag).jumpsTo(top).add();
    output(main, late);
    Method method = builder.build();

    assertThat(summaries(method, plan(flag, 0, weight, 64, value, 128, late, 64)))
        .containsExactly("overlap [1, 3]");
    assertThat(summaries(method, plan(flag, 0, weight, 64, value, 128, late, 192))).isEmpty();
  }

  @Test
  void forwardJumpInLoop_writeMayBeSkipped_keepsTheValue() {
    int flag = tensor("flag");
    int value = tensor("value");
    int use = tensor("use");
    op(main, flag);
    int jump = 100;
    int join = 101;
    builder.node(main, Ops.JUMP_IF_FALSE).id(jump).reads(flag).jumpsTo(join).add();
    builder.node(main, "set").operand(value, Access.WRITE).add();
    builder.node(main, "op").id(join).reads(value).yields(use).add();
    builder.node(main, Ops.JUMP_IF_FALSE).reads(use).jumpsTo(jump).add();
    output(main, use);

    assertThat(lifetime(builder.build(), plan(flag, 0, value, 0, use, 0), value))
        .isEqualTo("[1, 4]");
  }

  @Test
  void callInLoop_thatWritesTwiceButMayBeSkipped_keepsTheValue() {
    int flag = tensor("flag");
    int value = tensor("value");
    int use = tensor("use");
    int called = builder.graph("called");
    builder.node(called, "set").operand(value, Access.WRITE).add();
    builder.node(called, "set").operand(value, Access.WRITE).add();
    op(main, flag);
    int jump = 100;
    int join = 101;
    builder.node(main, Ops.JUMP_IF_FALSE).id(jump).reads(flag).jumpsTo(join).add();
    builder.node(main, Ops.CALL).runs(called).add();
    builder.node(main, "op").id(join).reads(value).yields(use).add();
    builder.node(main, Ops.JUMP_IF_FALSE).reads(use).jumpsTo(jump).add();
    output(main, use);

    assertThat(lifetime(builder.build(), plan(flag, 0, value, 0, use, 0), value))
        .isEqualTo("[1, 7]");
  }

  @Test
  void graphThatRunsItself_isRefused() {
    builder.node(main, Ops.CALL).runs(main).add();
    Method method = builder.build();

    assertThatThrownBy(() -> ProgramVerifier.verify(method, plan(), RULES))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("main runs itself");
  }

  @Test
  void graphCalledTwice_livesFromTheFirstToTheLastWalk() {
    int in = tensor("in");
    int calledIn = tensor("called.in");
    int first = tensor("first");
    int between = tensor("between");
    int second = tensor("second");
    int called = builder.graph("called");
    input(called, calledIn);
    output(called, calledIn);
    input(main, in);
    builder.node(main, Ops.CALL).reads(in).runs(called).yields(first).add();
    op(main, between, first);
    builder.node(main, Ops.CALL).reads(between).runs(called).yields(second).add();
    output(main, second);

    ClaimedPlan plan = plan(in, 0, calledIn, 64, first, 128, between, 64, second, 192);
    assertThat(summaries(builder.build(), plan)).containsExactly("overlap [1, 3]");
  }

  @Test
  void allocation_saysWhoProvidesInputsOutputsAndState() {
    int in = tensor("in");
    int memory = state("memory");
    int out = tensor("out");
    int foreign = tensor("foreign");
    input(main, in);
    input(main, memory);
    op(main, foreign, in);
    op(main, out, memory, foreign);
    output(main, out);
    Method all = builder.build().edit().annotate(foreign, MemoryKeys.OWNER, Owner.RUNTIME).build();
    Method none =
        all.edit().annotate(MemoryKeys.ALLOCATION, new Allocation(false, false, false)).build();

    assertThat(summaries(all, plan()))
        .containsExactly("input-output [0]", "not-placed [1]", "input-output [2]");
    assertThat(summaries(none, plan())).isEmpty();
    assertThat(summaries(none, plan(in, 0, memory, 64, out, 128, foreign, 192)))
        .containsExactly("input-output [0]", "not-ours [1]", "input-output [2]", "not-ours [3]");
  }

  @Test
  void state_isAliveTheWholeTime() {
    int memory = state("memory");
    int early = tensor("early");
    int late = tensor("late");
    op(main, early);
    op(main, late, early, memory);
    int last = tensor("last");
    op(main, last, late);
    output(main);

    assertThat(summaries(builder.build(), plan(memory, 0, early, 64, late, 128, last, 0)))
        .containsExactly("overlap [0, 3]");
  }

  @Test
  void constantsAndUnboundedAndUnreached_needNoPlace() {
    int constant = builder.tensor("weight", BYTES_64, /* constant= */ true, null, null);
    int trained = builder.tensor("trained", BYTES_64, /* constant= */ true, null, null);
    tensor("nowhere");
    op(main, builder.tensor("empty", TensorType.of(DType.U8, 0)), constant, trained);
    output(main);
    Method method = builder.build().edit().annotate(trained, MemoryKeys.TRAINABLE, true).build();

    assertThat(summaries(method, plan())).containsExactly("not-placed [1]");
  }

  @Test
  void sharing_declaredOrDerived_isHeldToItsBase() {
    int base = tensor("base");
    int part = tensor("part");
    int out = tensor("out");
    op(main, base);
    op(main, part, base);
    op(main, out, part, base);
    output(main, out);
    Method plain = builder.build();
    Method declared =
        plain.edit().annotate(part, MemoryKeys.SHARES, new Shares(base, 0, false)).build();
    Method derived =
        plain.edit().annotate(part, MemoryKeys.SHARES, new Shares(base, 0, true)).build();
    Method outside =
        plain.edit().annotate(part, MemoryKeys.SHARES, new Shares(base, 16, false)).build();

    ClaimedPlan together = plan(base, 0, part, 0, out, 64);
    assertThat(summaries(plain, together)).containsExactly("overlap [0, 1]");
    assertThat(summaries(declared, together)).isEmpty();
    assertThat(summaries(derived, together))
        .as("the base is read after the part is written")
        .containsExactly("overlap [0, 1]");
    assertThat(summaries(outside, together))
        .containsExactly("storage-outside-base [1, 0]", "storage-misplaced [1, 0]");
  }

  @Test
  void sharing_derivedWhereTheBaseDies_isProved() {
    int base = tensor("base");
    int part = tensor("part");
    int out = tensor("out");
    op(main, base);
    op(main, part, base);
    op(main, out, part);
    output(main, out);
    Method method =
        builder.build().edit().annotate(part, MemoryKeys.SHARES, new Shares(base, 0, true)).build();

    assertThat(summaries(method, plan(base, 0, part, 0, out, 64))).isEmpty();
    assertThat(summaries(method, plan(base, 0, part, 0, out, 0)))
        .as("the base is as live as its part")
        .containsExactly("overlap [0, 2]");
  }

  @Test
  void claims_wrongInThemselves_areFound() {
    int a = tensor("a");
    int b = tensor("b");
    int c = tensor("c");
    int d = tensor("d");
    op(main, a);
    op(main, b, a);
    op(main, c, b);
    op(main, d, c);
    output(main, d);
    Method method = builder.build().edit().annotate(a, MemoryKeys.PIN, 2).build();
    ClaimedPlan plan =
        ClaimedPlan.of(
            List.of(
                new Place(a, 1, -1, 0),
                new Place(b, 1, -1, 72),
                new Place(c, 0, -1, 0),
                new Place(d, 1, -1, Long.MAX_VALUE),
                new Place(d, 1, -1, 0),
                new Place(77, 1, -1, 0)),
            0,
            200);

    assertThat(
            summaries(
                method,
                plan,
                new ProgramVerifier.Rules(16, ImmutableMap.of(1, 199L), ImmutableMap.of(1, 8L))))
        .containsExactly(
            "placed-twice [3]",
            "unknown-tensor []",
            "wrong-arena [0]",
            "reserved-misaligned [1]",
            "closed-arena [2]",
            "outside-arena [3]",
            "misaligned [3]",
            "over-capacity []");
  }

  @Test
  void claimUnderTheNumberOfAnInPlaceResult_saysNothing() {
    int base = tensor("base");
    int result = alias("result", Alias.mutates(base));
    op(main, base);
    builder.node(main, "relu_").operand(base, Access.READ_WRITE).yields(result).add();
    output(main, result);

    assertThat(summaries(builder.build(), plan(base, 0, result, 5))).isEmpty();
  }

  @Test
  @Timeout(60)
  void pairs_aboveAThousand_areCountedByKind() {
    int base = tensor("base");
    int result = alias("result", Alias.mutates(base));
    op(main, base);
    builder.node(main, "add_").operand(base, Access.READ_WRITE).yields(result).add();
    int count = 20_000;
    int[] read = new int[count + 1];
    long[] places = new long[2 * count + 2];
    for (int i = 0; i < count; i++) {
      read[i] = tensor("");
      op(main, read[i]);
      places[2 * i] = read[i];
    }
    read[count] = result;
    places[2 * count] = base;
    builder.node(main, "concat").reads(read).add();

    Map<FindingKind, Long> pairs = new EnumMap<>(FindingKind.class);
    ProgramVerifier.verify(builder.build(), plan(places), RULES)
        .forEach(finding -> pairs.merge(finding.kind(), finding.count(), Long::sum));

    assertThat(pairs)
        .containsOnly(
            entry(FindingKind.OVERLAP, 20_000L * 19_999 / 2),
            entry(FindingKind.IN_PLACE_OVERLAP, 20_000L));
  }

  @Test
  void until_bytesTakenBeforeTheNodeHasEnded_areAnOverlap() {
    int x = tensor("x");
    input(main, x);
    int a = tensor("a");
    op(main, a, x);
    int b = tensor("b");
    op(main, b, a);
    int c = tensor("c");
    op(main, c, b);
    output(main, c);
    Method method = builder.build();
    assertThat(summaries(method, plan(x, 0, a, 64, b, 128, c, 64))).isEmpty();
    Method held = method.edit().annotate(a, MemoryKeys.UNTIL, 3).build();
    assertThat(summaries(held, plan(x, 0, a, 64, b, 128, c, 64))).containsExactly("overlap [1, 3]");
    assertThat(summaries(held, plan(x, 0, a, 64, b, 128, c, 0))).isEmpty();
    // A node that runs before the bytes are used asks nothing of them.
    Method early = method.edit().annotate(c, MemoryKeys.UNTIL, 1).build();
    assertThat(summaries(early, plan(x, 0, a, 64, b, 128, c, 64))).isEmpty();
  }

  @Test
  void until_nodeInTheBodyOfALoop_holdsWhatComesFromOutsideInEveryTrip() {
    int condition = builder.graph("condition");
    int body = builder.graph("body");
    int x = tensor("x");
    input(main, x);
    int held = tensor("held");
    op(main, held, x);
    int y = tensor("y");
    builder.node(main, Ops.WHILE).reads(x).runs(condition).runs(body).yields(y).add();
    output(main, y);
    int c = tensor("c");
    input(condition, c);
    output(condition, c);
    int in = tensor("in");
    input(body, in);
    int first = tensor("first");
    op(body, first, in);
    int second = tensor("second");
    op(body, second, first);
    output(body, second);
    Method method = builder.build();
    int firstNode = method.body().graphs().get(body).nodes().get(1).id();
    Method outer = method.edit().annotate(held, MemoryKeys.UNTIL, firstNode).build();
    Method inner = method.edit().annotate(first, MemoryKeys.UNTIL, firstNode).build();
    ClaimedPlan plan = plan(x, 0, held, 64, y, 128, c, 192, in, 256, first, 320, second, 64);
    assertThat(summaries(method, plan)).isEmpty();
    // The next trip comes to the node again, after %second was written in this one.
    assertThat(summaries(outer, plan)).containsExactly("overlap [%d, %d]".formatted(held, second));
    assertThat(summaries(inner, plan)).isEmpty();
  }

  @Test
  void until_storageThatAnotherWasDerivedInto_mustNotBeOverwrittenBefore() {
    int x = tensor("x");
    input(main, x);
    int a = tensor("a");
    op(main, a, x);
    int b = tensor("b");
    op(main, b, a);
    int c = tensor("c");
    op(main, c, b);
    output(main, c);
    Method derived =
        builder.build().edit().annotate(b, MemoryKeys.SHARES, new Shares(a, 0, true)).build();
    ClaimedPlan plan = plan(x, 0, a, 64, b, 64, c, 128);
    assertThat(summaries(derived, plan)).isEmpty();
    assertThat(summaries(derived.edit().annotate(a, MemoryKeys.UNTIL, 3).build(), plan))
        .containsExactly("overlap [1, 2]");
  }
}
