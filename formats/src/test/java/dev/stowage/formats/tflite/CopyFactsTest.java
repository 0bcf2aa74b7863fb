package dev.stowage.formats.tflite;

import static dev.stowage.formats.tflite.TfliteFile.FLOAT32;
import static dev.stowage.formats.tflite.TfliteFile.INT32;
import static dev.stowage.formats.tflite.TfliteFile.INT64;
import static dev.stowage.formats.tflite.TfliteFile.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.formats.tflite.TfliteFile.Sub;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What operators say of the bytes that they move becomes attributes of nodes, or nothing. */
class CopyFactsTest {
  private static final int CONCATENATION = 2;
  private static final int PAD = 34;
  private static final int STRIDED_SLICE = 45;
  private static final int SPLIT = 49;
  private static final int SLICE = 65;
  private static final int PACK = 83;
  private static final int UNPACK = 88;
  private static final int SPLIT_V = 102;
  private static final int UINT8 = 3;

  private final TfliteFile file = new TfliteFile();
  private final Sub sub = file.subgraph("main");

  /** The attributes of the first operator; tensor 0 is the input. */
  private Map<String, String> facts() {
    sub.inputs(0);
    return TfliteImporter.read("m.tflite", file.bytes())
        .program()
        .methods()
        .get(0)
        .entry()
        .nodes()
        .get(1)
        .attributes();
  }

  private static List<Object> options(Object... values) {
    return List.of(values);
  }

  private Map<String, String> concatenation(int axis, byte activation) {
    sub.tensor("x", FLOAT32, 1, 2, 4)
        .tensor("y", FLOAT32, 1, 4, 4)
        .op(CONCATENATION, 10, options(axis, activation), at(0, 0), at(1));
    return facts();
  }

  @Test
  void concatenation_axis_isCountedFromTheStart() {
    assertThat(concatenation(-2, (byte) 0)).containsExactly(Map.entry("axis", "1"));
  }

  @Test
  void concatenation_axisZeroIsLeftOutInTheFile_andIsTheAxis() {
    assertThat(concatenation(0, (byte) 0)).containsExactly(Map.entry("axis", "0"));
  }

  @Test
  void concatenation_axisOutsideOfTheShape_isNone() {
    assertThat(concatenation(3, (byte) 0)).isEmpty();
  }

  @Test
  void concatenation_activation_isStated() {
    assertThat(concatenation(1, (byte) 3))
        .containsOnly(Map.entry("axis", "1"), Map.entry("activation", "relu6"));
  }

  @Test
  void concatenation_activationThatNobodyKnows_isStatedByItsNumber() {
    assertThat(concatenation(1, (byte) 9)).containsEntry("activation", "9");
  }

  @Test
  void concatenation_optionsOfAnotherOperator_sayNothing() {
    sub.tensor("x", FLOAT32, 4)
        .tensor("y", FLOAT32, 8)
        .op(CONCATENATION, 11, options(0, (byte) 0), at(0, 0), at(1));
    assertThat(facts()).isEmpty();
  }

  @Test
  void concatenation_ofAnotherScale_rescales() {
    sub.scaled(UINT8, 0.5, 4)
        .scaled(UINT8, 0.25, 8)
        .op(CONCATENATION, 10, options(0, (byte) 0), at(0, 0), at(1));
    assertThat(facts()).containsOnly(Map.entry("axis", "0"), Map.entry("rescales", "true"));
  }

  @Test
  void concatenation_ofOneScale_doesNot() {
    sub.scaled(UINT8, 0.5, 4)
        .scaled(UINT8, 0.5, 8)
        .op(CONCATENATION, 10, options(0, (byte) 0), at(0, 0), at(1));
    assertThat(facts()).containsExactly(Map.entry("axis", "0"));
  }

  @Test
  void pack_axis_isOneOfTheResult() {
    sub.tensor("x", FLOAT32, 3)
        .tensor("y", FLOAT32, 3, 2)
        .op(PACK, 59, options(2, -1), at(0, 0), at(1));
    assertThat(facts()).containsExactly(Map.entry("axis", "1"));
  }

  @Test
  void unpack_axis_isOneOfTheOperand() {
    sub.tensor("x", FLOAT32, 3, 2)
        .tensor("y", FLOAT32, 3)
        .tensor("z", FLOAT32, 3)
        .op(UNPACK, 64, options(2, -1), at(0), at(1, 2));
    assertThat(facts()).containsExactly(Map.entry("axis", "1"));
  }

  @Test
  void split_axis_isAConstantInput() {
    sub.tensor("x", FLOAT32, 2, 4)
        .numbers(INT32, at(), -2)
        .tensor("y", FLOAT32, 1, 4)
        .tensor("z", FLOAT32, 1, 4)
        .op(SPLIT, at(1, 0), at(2, 3));
    assertThat(facts()).containsExactly(Map.entry("axis", "0"));
  }

  @Test
  void split_axisThatIsComputed_isNone() {
    sub.tensor("x", FLOAT32, 2, 4)
        .tensor("axis", INT32)
        .tensor("y", FLOAT32, 1, 4)
        .op(SPLIT, at(1, 0), at(2));
    assertThat(facts()).isEmpty();
  }

  @Test
  void splitV_axis_isTheThirdInput() {
    sub.tensor("x", FLOAT32, 2, 4)
        .numbers(INT32, at(2), 1, 3)
        .numbers(INT64, at(1), 1)
        .tensor("y", FLOAT32, 2, 1)
        .tensor("z", FLOAT32, 2, 3)
        .op(SPLIT_V, at(0, 1, 2), at(3, 4));
    assertThat(facts()).containsExactly(Map.entry("axis", "1"));
  }

  private Map<String, String> slice(int type, int[] shape, long... begin) {
    sub.tensor("x", FLOAT32, 5, 4)
        .numbers(type, shape, begin)
        .numbers(type, at(2), 2, -1)
        .tensor("y", FLOAT32, 2, 3)
        .op(SLICE, at(0, 1, 2), at(3));
    return facts();
  }

  @Test
  void slice_begin_isAConstantInput() {
    assertThat(slice(INT64, at(2), 3, 1)).containsExactly(Map.entry("begin", "3:1"));
  }

  @Test
  void slice_beginPastTheEnd_isNone() {
    assertThat(slice(INT32, at(2), 3, 2)).isEmpty();
  }

  @Test
  void slice_beginBeforeTheStart_isNone() {
    assertThat(slice(INT64, at(2), Long.MIN_VALUE, 0)).isEmpty();
  }

  @Test
  void slice_beginOfAnotherRank_isNone() {
    assertThat(slice(INT32, at(3), 0, 0, 0)).isEmpty();
  }

  @Test
  void slice_beginWithFewerBytesThanItsShape_isNone() {
    assertThat(slice(INT32, at(3), 0, 0)).isEmpty();
  }

  @Test
  void slice_beginThatIsNoWholeNumber_isNone() {
    sub.tensor("x", FLOAT32, 4)
        .constant("begin", 4)
        .tensor("y", FLOAT32, 2)
        .op(SLICE, at(0, 1, 1), at(2));
    assertThat(facts()).isEmpty();
  }

  @Test
  void slice_withoutInputs_isNone() {
    sub.tensor("x", FLOAT32, 4).tensor("y", FLOAT32, 2).op(SLICE, at(0), at(1));
    assertThat(facts()).isEmpty();
  }

  private Map<String, String> stridedSlice(
      List<Object> options, long[] begin, long[] end, long[] strides) {
    sub.tensor("x", FLOAT32, 6, 4)
        .numbers(INT32, at(2), begin)
        .numbers(INT32, at(2), end)
        .numbers(INT32, at(2), strides)
        .tensor("y", FLOAT32, 2, 4)
        .op(STRIDED_SLICE, 32, options, at(0, 1, 2, 3), at(4));
    return facts();
  }

  @Test
  void stridedSlice_negativeNumbersAndMasks_areResolved() {
    assertThat(
            stridedSlice(
                options(2, 2, 0, 0, 0, false),
                new long[] {-3, 3},
                new long[] {-1, 1},
                new long[] {1, 1}))
        .containsOnly(Map.entry("begin", "3:0"), Map.entry("strides", "1:1"));
  }

  @Test
  void stridedSlice_strides_areStated() {
    assertThat(
            stridedSlice(
                options(0, 0, 0, 0, 0, false),
                new long[] {1, 0},
                new long[] {99, 4},
                new long[] {3, 1}))
        .containsOnly(Map.entry("begin", "1:0"), Map.entry("strides", "3:1"));
  }

  @Test
  void stridedSlice_shapeThatDoesNotFollow_isNone() {
    assertThat(
            stridedSlice(
                options(0, 0, 0, 0, 0, false),
                new long[] {1, 0},
                new long[] {4, 4},
                new long[] {1, 1}))
        .as("three rows, where the output has two")
        .isEmpty();
  }

  @Test
  void stridedSlice_backwards_isNone() {
    assertThat(
            stridedSlice(
                options(0, 0, 0, 0, 0, false),
                new long[] {3, 0},
                new long[] {1, 4},
                new long[] {-1, 1}))
        .isEmpty();
  }

  @Test
  void stridedSlice_masksThatChangeDimensions_areNone() {
    for (int mask = 2; mask <= 5; mask++) {
      Object[] values = {0, 0, 0, 0, 0, false};
      values[mask] = mask == 5 ? (Object) true : (Object) 1;
      CopyFactsTest other = new CopyFactsTest();
      assertThat(
              other.stridedSlice(
                  options(values), new long[] {0, 0}, new long[] {2, 4}, new long[] {1, 1}))
          .as("mask %s", mask)
          .isEmpty();
    }
  }

  private Map<String, String> pad(long... paddings) {
    sub.tensor("x", FLOAT32, 3, 4)
        .numbers(INT32, at(2, 2), paddings)
        .tensor("y", FLOAT32, 6, 4)
        .op(PAD, at(0, 1), at(2));
    return facts();
  }

  @Test
  void pad_before_isTheFirstOfEachPair() {
    assertThat(pad(1, 2, 0, 0)).containsExactly(Map.entry("before", "1:0"));
  }

  @Test
  void pad_paddingsThatDoNotGiveTheShape_areNone() {
    assertThat(pad(1, 1, 0, 0)).isEmpty();
  }

  @Test
  void pad_negativePadding_isNone() {
    assertThat(pad(-1, 4, 0, 0)).isEmpty();
  }
}
