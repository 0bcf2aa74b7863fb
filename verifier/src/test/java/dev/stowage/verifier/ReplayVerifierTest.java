package dev.stowage.verifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import dev.stowage.ir.Alias;
import dev.stowage.ir.DType;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Owner;
import dev.stowage.ir.memory.Shares;
import dev.stowage.memmap.DeviceMemoryException;
import dev.stowage.memmap.HostAllocator;
import dev.stowage.verifier.ClaimedPlan.Place;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ReplayVerifierTest {
  private static final TensorType BYTES_64 = TensorType.of(DType.U8, 64);

  private final MethodBuilder builder = Method.builder("forward");
  private final int main = builder.graph("main");
  private final Map<Integer, Shares> shares = new LinkedHashMap<>();
  private final Map<Integer, Integer> until = new LinkedHashMap<>();

  private int tensor(String name) {
    return builder.tensor(name, BYTES_64);
  }

  private int tensor(String name, long... shape) {
    return builder.tensor(name, TensorType.of(DType.U8, shape));
  }

  private int alias(String name, Alias alias) {
    return builder.tensor(name, BYTES_64, /* constant= */ false, /* state= */ null, alias);
  }

  private int state(String name) {
    return builder.tensor(name, BYTES_64, /* constant= */ false, name, /* alias= */ null);
  }

  private int input(int graph, String name) {
    int tensor = tensor(name);
    builder.node(graph, Ops.INPUT).yields(tensor).add();
    return tensor;
  }

  private int op(int graph, int result, int... operands) {
    builder.node(graph, "op").reads(operands).yields(result).add();
    return result;
  }

  private void output(int graph, int... tensors) {
    builder.node(graph, Ops.OUTPUT).reads(tensors).add();
  }

  private void share(int part, int base, long offset, boolean derived) {
    shares.put(part, new Shares(base, offset, derived));
  }

  private Method method() {
    GraphEditor editor = builder.build().edit();
    shares.forEach((tensor, it) -> editor.annotate(tensor, MemoryKeys.SHARES, it));
    until.forEach((tensor, node) -> editor.annotate(tensor, MemoryKeys.UNTIL, node));
    return editor.build();
  }

  /** Tensor, offset, tensor, offset, ... in arena 1. */
  private static ClaimedPlan plan(long... places) {
    List<Place> claims = new ArrayList<>();
    for (int i = 0; i < places.length; i += 2) {
      claims.add(new Place((int) places[i], 1, -1, places[i + 1]));
    }
    return ClaimedPlan.of(claims, 0, 1024);
  }

  /** Kinds and tensors, victim first, the same in real memory. */
  private List<String> lost(long... places) {
    Method method = method();
    ClaimedPlan plan = plan(places);
    ImmutableList<Finding> found = ReplayVerifier.verify(method, plan);
    try {
      assertThat(ReplayVerifier.verifyInMemory(method, plan, new HostAllocator())).isEqualTo(found);
    } catch (DeviceMemoryException e) {
      throw new AssertionError(e);
    }
    return found.stream()
        .map(
            finding ->
                finding.kind()
                    + " "
                    + String.join(
                        " < ", finding.subjects().stream().map(Finding.Subject::name).toList()))
        .toList();
  }

  @Test
  void read_ofBytesWrittenByAnother_namesBothAndTheBytes() {
    int in = input(main, "in");
    int kept = op(main, tensor("kept"), in);
    int other = op(main, tensor("other"), in);
    int out = op(main, tensor("out"), kept, other);
    output(main, out);

    ImmutableList<Finding> findings =
        ReplayVerifier.verify(method(), plan(in, 0, kept, 64, other, 100, out, 256));

    assertThat(findings).hasSize(1);
    Finding finding = findings.get(0);
    assertThat(finding.kind()).isEqualTo(FindingKind.CLOBBER);
    assertThat(finding.message())
        .isEqualTo(
            "when op (node 3) reads at step 3, tensor 1 (kept) has lost its bytes [100, 128) of"
                + " mem_id 1: op (node 2) wrote tensor 2 (other) there at step 2");
    assertThat(finding.node()).isEqualTo(3);
    assertThat(finding.subjects())
        .containsExactly(
            new Finding.Subject(1, "kept", 1, 64, 128, 1, 3),
            new Finding.Subject(2, "other", 1, 100, 164, 2, 3));
  }

  @Test
  void read_ofPoisonedBytes_saysThatNobodyNeedsThem() {
    int in = input(main, "in");
    int kept = op(main, tensor("kept"), in);
    int unread = op(main, tensor("unread"), in);
    int later = op(main, tensor("later"), in);
    output(main, kept, later);

    assertThat(ReplayVerifier.verify(method(), plan(in, 0, kept, 64, unread, 64, later, 256)))
        .extracting(Finding::message)
        .containsExactly(
            "when output (node 4) reads at step 4, tensor 1 (kept) has lost its bytes [64, 128) of"
                + " mem_id 1: op (node 2) wrote tensor 2 (unread) there at step 2, which nobody"
                + " needs any more");
  }

  @Test
  void result_overOperand_isLostWhileTheNodeWrites() {
    int in = input(main, "in");
    int out = op(main, tensor("out"), in);
    output(main, out);

    assertThat(ReplayVerifier.verify(method(), plan(in, 0, out, 0)))
        .extracting(Finding::message)
        .containsExactly(
            "while op (node 1) writes at step 1, tensor 0 (in) has lost its bytes [0, 64) of mem_id"
                + " 1: op (node 1) wrote tensor 1 (out) there at step 1");
    assertThat(lost(in, 0, out, 64)).isEmpty();
  }

  @Test
  void results_ofOneNode_mayNotShareBytes() {
    int one = tensor("one");
    int two = tensor("two");
    builder.node(main, "split").yields(one, two).add();
    output(main);

    assertThat(lost(one, 0, two, 63)).containsExactly("clobber one < two");
    assertThat(lost(one, 0, two, 64)).isEmpty();
  }

  @Test
  void inputs_nobodyReads_areAllThereAtTheBeginning() {
    int one = input(main, "one");
    int two = input(main, "two");
    output(main);

    assertThat(lost(one, 0, two, 32)).containsExactly("clobber one < two");
  }

  @Test
  void derivedSharing_identicalSlice_isAcceptedAndAShiftedOneIsNot() {
    int base = op(main, tensor("base", 128));
    int half = alias("half", Alias.view(base, 64));
    builder.node(main, Ops.VIEW).operand(base, Access.BIND).yields(half).add();
    int result = op(main, tensor("result"), half);
    output(main, result);

    share(result, base, 64, /* derived= */ true);
    assertThat(lost(base, 0, result, 64)).isEmpty();
    share(result, base, 48, /* derived= */ true);
    assertThat(lost(base, 0, result, 48)).containsExactly("clobber base < result");
    shares.clear();
    assertThat(lost(base, 0, result, 64)).containsExactly("clobber base < result");
  }

  @Test
  void derivedSharing_operandReadLater_isLost() {
    int base = op(main, tensor("base"));
    int result = op(main, tensor("result"), base);
    output(main, result, base);
    share(result, base, 0, /* derived= */ true);

    assertThat(lost(base, 0, result, 0)).containsExactly("clobber base < result");
  }

  @Test
  void declaredSharing_eitherOverTheOther_isMeantAtItsPlaceOnly() {
    int base = op(main, tensor("base", 128));
    int middle = op(main, tensor("middle", 96), base);
    int inner = op(main, tensor("inner"), middle);
    builder.node(main, "fill").operand(base, Access.READ_WRITE).add();
    output(main, inner, middle, base);
    share(middle, base, 16, /* derived= */ false);
    share(inner, middle, 8, /* derived= */ false);

    assertThat(lost(base, 0, middle, 16, inner, 24)).isEmpty();
    assertThat(lost(base, 0, middle, 16, inner, 25))
        .containsExactly("clobber middle < inner", "clobber base < inner", "clobber inner < base");
    share(middle, base, 16, /* derived= */ true);
    assertThat(lost(base, 0, middle, 16, inner, 24)).contains("clobber base < middle");
  }

  @Test
  void siblings_inOneBase_areAKindOfTheirOwn() {
    int base = op(main, tensor("base", 128));
    int one = op(main, tensor("one"), base);
    int two = op(main, tensor("two"), base);
    output(main, one, two);
    share(one, base, 0, /* derived= */ false);
    share(two, base, 32, /* derived= */ false);

    assertThat(lost(base, 0, one, 0, two, 32)).containsExactly("sibling-clobber one < two");
    assertThat(lost(base, 0, one, 0, two, 33))
        .containsExactly("clobber base < two", "clobber one < two");
    share(two, base, 64, /* derived= */ false);
    assertThat(lost(base, 0, one, 0, two, 64)).isEmpty();
  }

  @Test
  void inPlaceResult_readAfterItsBytesAreGivenAway_isAKindOfItsOwn() {
    int base = op(main, tensor("base"));
    int changed = alias("changed", Alias.mutates(base));
    builder.node(main, "add_").operand(base, Access.READ_WRITE).yields(changed).add();
    int other = op(main, tensor("other"));
    output(main, changed, other);

    assertThat(lost(base, 0, other, 0)).containsExactly("in-place-clobber base < other");
    assertThat(lost(base, 0, other, 64)).isEmpty();
  }

  @Test
  void inPlaceResult_writtenOverAnother_isTheSameKind() {
    int base = op(main, tensor("base"));
    int changed = alias("changed", Alias.mutates(base));
    builder.node(main, "add_").operand(base, Access.READ_WRITE).yields(changed).add();
    int other = op(main, tensor("other"));
    builder.node(main, "fill").operand(changed, Access.WRITE).add();
    output(main, other);

    assertThat(lost(base, 0, other, 32)).containsExactly("in-place-clobber other < base");
  }

  @Test
  void state_writtenOver_isMissedByTheNextCall() {
    int state = state("cache");
    int in = input(main, "in");
    int out = op(main, tensor("out"), state, in);
    int last = op(main, tensor("last"), out);
    output(main, last);

    ImmutableList<Finding> findings =
        ReplayVerifier.verify(method(), plan(state, 0, in, 64, out, 128, last, 32));
    assertThat(findings)
        .extracting(Finding::message)
        .containsExactly(
            "when the next call needs the state, at step 3, tensor 0 (cache) has lost its bytes"
                + " [32, 64) of mem_id 1: op (node 2) wrote tensor 3 (last) there at step 2, which"
                + " nobody needs any more");
    assertThat(findings.get(0).node()).isEqualTo(-1);
    assertThat(lost(state, 0, in, 64, out, 128, last, 64)).isEmpty();
  }

  @Test
  void state_thatNothingUses_isNotMissed() {
    int state = state("cache");
    int in = input(main, "in");
    output(main, in);

    assertThat(lost(state, 0, in, 0)).isEmpty();
  }

  @Test
  void until_writtenOverBefore_isLostAndAfterwardsIsNot() {
    int in = input(main, "in");
    int one = op(main, tensor("one"), in);
    int two = op(main, tensor("two"), one);
    int three = op(main, tensor("three"), two);
    output(main, three);

    assertThat(lost(in, 0, one, 64, two, 128, three, 0)).isEmpty();
    until.put(in, 2);
    assertThat(lost(in, 0, one, 64, two, 128, three, 0)).isEmpty();
    until.put(in, 3);
    assertThat(lost(in, 0, one, 64, two, 128, three, 0)).containsExactly("clobber in < three");
  }

  @Test
  void bytesThatNobodyHasWritten_areNotMissed() {
    int in = input(main, "in");
    int garbage = tensor("garbage");
    builder.node(main, Ops.ALLOC).yields(garbage).add();
    int out = op(main, tensor("out"), garbage, in);
    output(main, out);

    assertThat(lost(in, 0, garbage, 0, out, 64)).isEmpty();
  }

  @Test
  void bytesOfOthers_arePlacedNowhere() {
    int in = input(main, "in");
    int out = op(main, tensor("out"), in);
    output(main, in, out);
    GraphEditor editor = builder.build().edit();
    editor.annotate(in, MemoryKeys.OWNER, Owner.RUNTIME);

    assertThat(ReplayVerifier.verify(editor.build(), plan(in, 0, out, 0))).isEmpty();
    assertThat(ReplayVerifier.verify(builder.build(), plan(out, 0))).isEmpty();
    assertThat(lost(in, 0, out, 0)).containsExactly("clobber in < out");
  }

  @Test
  void elidedConcatenation_partsInTheWhole_areRightAtTheirPlacesOnly() {
    int one = op(main, tensor("one", 1, 40));
    int two = op(main, tensor("two", 1, 24));
    int whole = tensor("whole", 1, 64);
    builder
        .node(main, "concat")
        .reads(one, two)
        .yields(whole)
        .attribute("axis", "1")
        .attribute("nop", "true")
        .add();
    output(main, whole);
    share(one, whole, 0, /* derived= */ true);
    share(two, whole, 40, /* derived= */ true);

    assertThat(lost(whole, 0, one, 0, two, 40)).isEmpty();
    assertThat(lost(whole, 0, one, 0, two, 39)).containsExactly("clobber whole < two");
    assertThat(lost(whole, 0, one, 24, two, 0)).containsExactly("clobber whole < two");
    assertThat(ReplayVerifier.verify(method(), plan(whole, 0, one, 0, two, 64)))
        .extracting(Finding::message)
        .containsExactly(
            "when concat (node 2) reads at step 2, tensor 2 (whole) has lost its bytes [40, 64) of"
                + " mem_id 1: nobody has written them");
  }

  @Test
  void elidedConcatenation_ofRowsThatAreNotWhole_isFound() {
    int one = op(main, tensor("one", 2, 16));
    int two = op(main, tensor("two", 2, 16));
    int whole = tensor("whole", 2, 32);
    builder
        .node(main, "concat")
        .reads(one, two)
        .yields(whole)
        .attribute("axis", "1")
        .attribute("nop", "true")
        .add();
    output(main, whole);

    // Right for axis 0: along axis 1 the second 16 bytes are those of the other.
    assertThat(ReplayVerifier.verify(method(), plan(whole, 0, one, 0, two, 32)))
        .extracting(Finding::message)
        .containsExactly(
            "when concat (node 2) reads at step 2, tensor 2 (whole) has lost its bytes [16, 32) of"
                + " mem_id 1: op (node 0) wrote tensor 0 (one) there at step 0");
  }

  @Test
  void elidedSlice_writtenOverLater_isLost() {
    int source = op(main, tensor("source", 64));
    int slice = tensor("slice", 16);
    builder
        .node(main, "slice")
        .reads(source)
        .yields(slice)
        .attribute("begin", "8")
        .attribute("nop", "true")
        .add();
    builder.node(main, "fill").operand(source, Access.READ_WRITE).add();
    output(main, source);
    share(slice, source, 8, /* derived= */ true);

    assertThat(lost(source, 0, slice, 8)).isEmpty();
    assertThat(lost(source, 0, slice, 9)).containsExactly("clobber slice < source");
    until.put(slice, 2);
    assertThat(lost(source, 0, slice, 8)).containsExactly("clobber slice < source");
  }

  @Test
  void copyThatIsMade_besideItsSource_carriesStampsToTheNextOne() {
    int source = op(main, tensor("source"));
    int copy = tensor("copy");
    builder.node(main, Ops.COPY).reads(source).yields(copy).add();
    int back = tensor("back");
    builder.node(main, "reshape").reads(copy).yields(back).attribute("nop", "true").add();
    output(main, back);

    assertThat(lost(source, 0, copy, 64, back, 64)).isEmpty();
    // The source has the same bytes, but nobody keeps them.
    assertThat(lost(source, 0, copy, 64, back, 0)).containsExactly("clobber back < source");
    until.put(source, 3);
    assertThat(lost(source, 0, copy, 64, back, 0)).isEmpty();
    assertThat(lost(source, 0, copy, 64, back, 32)).containsExactly("clobber back < source");
  }

  @Test
  void copyThatIsMade_toWhereItsSourceLies_leavesBothWhatTheyNeed() {
    int source = op(main, tensor("source"));
    int first = tensor("first");
    int second = tensor("second");
    builder.node(main, Ops.COPY).reads(source).yields(first).add();
    builder.node(main, Ops.COPY).reads(source).yields(second).add();
    op(main, tensor("last"), first);
    output(main, source);

    assertThat(lost(source, 0, first, 0, second, 0)).isEmpty();
    assertThat(lost(source, 0, first, 1, second, 128)).containsExactly("clobber source < first");
  }

  @Test
  void noOperation_whoseMovementIsUnknown_isFound() {
    int source = op(main, tensor("source"));
    int result = tensor("result");
    builder.node(main, "relu").reads(source).yields(result).attribute("nop", "true").add();
    output(main, result);

    assertThat(lost(source, 0, result, 0)).containsExactly("clobber result < source");
  }

  @Test
  void whileLoop_outerValueGivenAwayInTheBody_isMissedInTheSecondTrip() {
    int in = input(main, "in");
    int condition = builder.graph("condition");
    int body = builder.graph("body");
    int flag = op(condition, tensor("flag"));
    output(condition, flag);
    int carried = input(body, "carried");
    int sum = op(body, tensor("sum"), carried, in);
    int next = op(body, tensor("next"), sum);
    output(body, next);
    int result = tensor("result");
    builder.node(main, Ops.WHILE).reads(in).runs(condition).runs(body).yields(result).add();
    output(main, result);

    assertThat(lost(in, 0, flag, 64, carried, 128, sum, 192, next, 256, result, 320)).isEmpty();
    assertThat(lost(in, 0, flag, 64, carried, 128, sum, 192, next, 0, result, 320))
        .containsExactly("clobber in < next");
    assertThat(lost(in, 0, flag, 320, carried, 128, sum, 192, next, 256, result, 320))
        .as("the results carry the values")
        .containsExactly("clobber result < flag");
  }

  @Test
  void branches_shareBytes_butNotWithWhatIsNeededAfterwards() {
    int in = input(main, "in");
    int kept = op(main, tensor("kept"), in);
    int thenGraph = builder.graph("then");
    int elseGraph = builder.graph("else");
    int one = op(thenGraph, tensor("one"));
    output(thenGraph, one);
    int two = op(elseGraph, tensor("two"));
    output(elseGraph, two);
    int result = tensor("result");
    builder.node(main, Ops.IF).reads(in).runs(thenGraph).runs(elseGraph).yields(result).add();
    output(main, result, kept);

    assertThat(lost(in, 0, kept, 64, one, 128, two, 128, result, 192)).isEmpty();
    assertThat(lost(in, 0, kept, 64, one, 128, two, 64, result, 192))
        .containsExactly("clobber kept < two");
    assertThat(lost(in, 0, kept, 64, one, 128, two, 256, result, 128))
        .containsExactly("clobber one < result");
  }

  @Test
  void map_resultsCollectAPartInEachTrip() {
    int in = input(main, "in");
    int body = builder.graph("body");
    int slice = input(body, "slice");
    int part = op(body, tensor("part"), slice);
    output(body, part);
    int result = tensor("result");
    builder.node(main, Ops.MAP).reads(in).runs(body).yields(result).add();
    output(main, result);

    assertThat(lost(in, 0, slice, 64, part, 128, result, 192)).isEmpty();
    assertThat(lost(in, 0, slice, 64, part, 0, result, 192)).containsExactly("clobber in < part");
    assertThat(lost(in, 0, slice, 192, part, 128, result, 192))
        .containsExactly("clobber result < slice");
  }

  @Test
  void jumpBack_readsInTheNextTripWhatItNeedsStill() {
    int in = input(main, "in");
    int head = builder.node(main, "op").reads(in).yields(tensor("sum")).add();
    int next = op(main, tensor("next"));
    builder.node(main, Ops.JUMP_IF_FALSE).reads(next).jumpsTo(head).add();
    output(main, next);

    assertThat(lost(in, 0, 1, 64, next, 0)).containsExactly("clobber in < next");
    assertThat(lost(in, 0, 1, 64, next, 64)).isEmpty();
  }

  @Test
  void manyBranches_clobberThatTakesTwoOfThem_isFound() {
    int in = input(main, "in");
    int value = op(main, tensor("value"), in);
    int other = tensor("other");
    int branches = 40;
    // Only if branch 11 is not skipped and branch 29 is not: written over in one, read in the
    // other.
    for (int i = 0; i < branches; i++) {
      builder.node(main, Ops.JUMP_IF_FALSE).reads(in).jumpsTo(1000 + i).add();
      if (i == 11) {
        op(main, other, in);
      } else if (i == 29) {
        builder.node(main, "use").reads(value).add();
      }
      builder.node(main, "nothing").id(1000 + i).add();
    }
    output(main);

    assertThat(lost(in, 0, value, 64, other, 100)).containsExactly("clobber value < other");
  }

  @Test
  void moreThanAThousandVictims_areCounted() {
    int count = 1_100;
    int[] kept = new int[count];
    long[] places = new long[2 * count + 2];
    for (int i = 0; i < count; i++) {
      kept[i] = op(main, tensor("kept" + i, 8));
      places[2 * i] = kept[i];
      places[2 * i + 1] = 8L * i;
    }
    int all = op(main, tensor("all", 8L * count));
    output(main, kept);
    places[2 * count] = all;

    ImmutableList<Finding> findings = ReplayVerifier.verify(method(), plan(places));
    assertThat(findings).hasSize(1_001);
    assertThat(findings.get(1_000).count()).isEqualTo(100);
    assertThat(findings.get(1_000).message())
        .isEqualTo(
            "100 more tensors, which are not listed: a read finds bytes that another tensor has"
                + " written");
  }

  @Test
  @Timeout(20)
  void largePlan_ofManyGigabytes_costsNothingPerByte() throws DeviceMemoryException {
    long size = 1L << 50;
    int before = op(main, builder.tensor("first", TensorType.of(DType.U8, size)));
    for (int i = 0; i < 20_000; i++) {
      before = op(main, builder.tensor("", TensorType.of(DType.U8, size)), before);
    }
    output(main, before);
    List<Place> places = new ArrayList<>();
    for (int i = 0; i <= 20_000; i++) {
      places.add(new Place(i, 1, -1, i % 2 * size));
    }
    ClaimedPlan plan = ClaimedPlan.of(places, 0, 2 * size);

    assertThat(ReplayVerifier.verify(method(), plan)).isEmpty();
    assertThatThrownBy(() -> ReplayVerifier.verifyInMemory(method(), plan, new HostAllocator()))
        .isInstanceOf(DeviceMemoryException.class)
        .hasMessageContaining("2,251,799,813,685,248 bytes are asked for");
  }

  @Test
  void verifyInMemory_whenDone_hasFreedEverything() throws DeviceMemoryException {
    int in = input(main, "in");
    int out = op(main, tensor("out"), in);
    output(main, out);
    CountingAllocator allocator = new CountingAllocator();

    assertThat(ReplayVerifier.verifyInMemory(method(), plan(in, 0, out, 64), allocator)).isEmpty();
    assertThat(allocator.allocated()).isEqualTo(4);
    assertThat(allocator.held()).isZero();
  }

  @Test
  void accesses_runsTimesWhatEachDoes_areCounted() {
    int in = input(main, "in");
    int out = op(main, tensor("out"), in);
    output(main, out);
    // Input 2, op 3, output 2.
    assertThat(ReplayVerifier.accesses(method())).isEqualTo(7);
  }

  @Test
  void verify_graphThatRunsItself_isRefused() {
    builder.node(main, Ops.CALL).runs(main).add();
    output(main);
    assertThatThrownBy(() -> ReplayVerifier.verify(method(), plan()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("graph main runs itself");
  }

  @Test
  void verify_storagesInACircle_areRefused() {
    int one = op(main, tensor("one"));
    int two = op(main, tensor("two"));
    output(main);
    share(one, two, 0, false);
    share(two, one, 0, false);
    assertThatThrownBy(() -> ReplayVerifier.verify(method(), plan()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("storages share one another's bytes in a circle");
  }
}
