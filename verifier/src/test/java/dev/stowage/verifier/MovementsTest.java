package dev.stowage.verifier;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import dev.stowage.ir.Alias;
import dev.stowage.ir.DType;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.MethodBuilder.NodeBuilder;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.TensorType;
import dev.stowage.verifier.Movements.Piece;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MovementsTest {
  private final MethodBuilder builder = Method.builder("moves");
  private final int main = builder.graph("main");

  private int tensor(long... shape) {
    return builder.tensor("", TensorType.of(DType.F16, shape));
  }

  private NodeBuilder node(String op, int... reads) {
    return builder.node(main, op).reads(reads);
  }

  private List<Piece> pieces() {
    Method method = builder.build();
    return Movements.of(method, method.entry().nodes().get(0));
  }

  @Test
  void concatenation_inFront_isAPieceEach() {
    int a = tensor(1, 3, 4);
    int b = tensor(1, 2, 4);
    int whole = tensor(1, 5, 4);
    node("CONCATENATION", a, b).yields(whole).attribute("axis", "1").add();
    assertThat(pieces())
        .containsExactly(new Piece(a, 0, whole, 0, 24), new Piece(b, 0, whole, 24, 16));
  }

  @Test
  void concatenation_outVariantWithoutAxis_goesByTheShapes() {
    int a = tensor(3, 4);
    int b = tensor(2, 4);
    int out = tensor(5, 4);
    int same = builder.tensor("", TensorType.of(DType.F16, 5, 4), false, null, Alias.same(out));
    node("aten.cat.out", a, b).operand(out, Access.WRITE).yields(same).add();
    assertThat(pieces()).containsExactly(new Piece(a, 0, out, 0, 24), new Piece(b, 0, out, 24, 16));
  }

  @Test
  void split_axisAsFirstOperand_takesTheSecond() {
    int axis = builder.tensor("", TensorType.of(DType.I32, 1), /* constant= */ true, null, null);
    int whole = tensor(4);
    int a = tensor(2);
    int b = tensor(2);
    node("SPLIT", axis, whole).yields(a, b).attribute("axis", "0").add();
    assertThat(pieces())
        .containsExactly(new Piece(whole, 0, a, 0, 4), new Piece(whole, 4, b, 0, 4));
  }

  @Test
  void select_ofAMiddleAxis_isOneRowOfEach() {
    int source = tensor(2, 3, 5);
    int result = tensor(2, 5);
    node("select", source).yields(result).attribute("axis", "1").attribute("index", "2").add();
    assertThat(pieces())
        .containsExactly(
            new Piece(source, 20, result, 0, 10), new Piece(source, 50, result, 10, 10));
  }

  @Test
  void pad_dataLiesInsideTheResult() {
    int data = tensor(2, 3);
    int result = tensor(4, 3);
    node("PAD", data).yields(result).attribute("before", "1:0").add();
    assertThat(pieces()).containsExactly(new Piece(data, 0, result, 6, 12));
  }

  @Test
  void wholeCopy_otherShape_isOnePiece() {
    int source = tensor(2, 6);
    int result = tensor(3, 4);
    node("RESHAPE", source).yields(result).add();
    assertThat(pieces()).containsExactly(new Piece(source, 0, result, 0, 24));
  }

  @Test
  void cloneOfDimOrder_otherShape_movesNothing() {
    int source = tensor(2, 6);
    int result = tensor(3, 4);
    node("dim_order_ops._clone_dim_order.out", source).yields(result).add();
    assertThat(pieces()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"begin=1:1;strides=1:2", "begin=1:", "begin=2:1", "begin=-1:0", "x=1", "begin=0"})
  void slice_ofWhatIsNotKnown_movesNothing(String attributes) {
    int source = tensor(3, 4);
    int result = tensor(2, 3);
    NodeBuilder node = node("STRIDED_SLICE", source).yields(result);
    Splitter.on(';').withKeyValueSeparator('=').split(attributes).forEach(node::attribute);
    node.add();
    assertThat(pieces()).isEmpty();
  }

  @Test
  void concatenation_withActivation_movesNothing() {
    int a = tensor(2);
    int whole = tensor(2);
    node("CONCATENATION", a)
        .yields(whole)
        .attribute("axis", "0")
        .attribute("activation", "RELU")
        .add();
    assertThat(pieces()).isEmpty();
  }

  @Test
  void wholeCopy_otherElements_movesNothing() {
    int source = tensor(2);
    int result = builder.tensor("", TensorType.of(DType.I16, 2));
    node(Ops.COPY, source).yields(result).add();
    assertThat(pieces()).isEmpty();
  }

  @Test
  void concatenation_ofMorePiecesThanAnyoneWants_movesNothing() {
    int a = tensor(600, 2);
    int b = tensor(600, 2);
    int whole = tensor(600, 4);
    node("concat", a, b).yields(whole).attribute("axis", "1").add();
    assertThat(pieces()).isEmpty();
  }

  @Test
  void boxes_atRandom_goWhereEachElementGoes() {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      int rank = 1 + random.nextInt(4);
      long[] whole = LongStream.range(0, rank).map(i -> 1 + random.nextInt(4)).toArray();
      long[] part = Arrays.stream(whole).map(size -> 1 + random.nextInt((int) size)).toArray();
      long[] at = new long[rank];
      Arrays.setAll(at, i -> random.nextInt((int) (whole[i] - part[i] + 1)));
      boolean slice = random.nextBoolean();
      MovementsTest test = new MovementsTest();
      int outer = test.tensor(whole);
      int inner = test.tensor(part);
      test.node(slice ? "slice" : "pad", slice ? outer : inner)
          .yields(slice ? inner : outer)
          .attribute(
              slice ? "begin" : "before",
              Arrays.stream(at).mapToObj(String::valueOf).collect(Collectors.joining(":")))
          .add();

      Map<Long, Long> moved = new HashMap<>();
      for (Piece piece : test.pieces()) {
        assertThat(piece.from()).isEqualTo(slice ? outer : inner);
        for (long i = 0; i < piece.bytes(); i++) {
          long from = piece.fromByte() + i;
          long to = piece.toByte() + i;
          moved.put(slice ? to : from, slice ? from : to);
        }
      }
      Map<Long, Long> expected = new HashMap<>();
      long elements = Arrays.stream(part).reduce(1, (a, b) -> a * b);
      for (long element = 0; element < elements; element++) {
        long rest = element;
        long stride = 1;
        long index = 0;
        for (int i = rank - 1; i >= 0; i--) {
          index += (at[i] + rest % part[i]) * stride;
          rest /= part[i];
          stride *= whole[i];
        }
        expected.put(2 * element, 2 * index);
        expected.put(2 * element + 1, 2 * index + 1);
      }
      assertThat(moved).as("seed %d", seed).isEqualTo(expected);
    }
  }
}
