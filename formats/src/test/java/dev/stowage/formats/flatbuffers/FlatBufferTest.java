package dev.stowage.formats.flatbuffers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.flatbuffers.FlatBufferBuilder;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class FlatBufferTest {
  private static final FlatField FLAG = new FlatField(0, "flag");
  private static final FlatField NUMBER = new FlatField(1, "number");
  private static final FlatField LONG = new FlatField(2, "long");
  private static final FlatField NAME = new FlatField(3, "name");
  private static final FlatField INTS = new FlatField(4, "ints");
  private static final FlatField CHILDREN = new FlatField(5, "children");
  private static final FlatField CHILD = new FlatField(6, "child");
  private static final FlatField LEFT_OUT = new FlatField(7, "left_out");
  private static final FlatField NEWER = new FlatField(500, "newer");

  private final byte[] bytes = example();

  @Test
  void fields_ofEachKind_areReadAsWritten() {
    FlatTable root = root();

    assertThat(root.bool(FLAG)).isTrue();
    assertThat(root.int8(FLAG, 0)).isEqualTo(1);
    assertThat(root.int32(NUMBER, 0)).isEqualTo(-2);
    assertThat(root.uint32(NUMBER, 0)).isEqualTo(4_294_967_294L);
    assertThat(root.int64(LONG, 0)).isEqualTo(1L << 40);
    assertThat(root.string(NAME)).isEqualTo("größe");
    assertThat(root.int32s(INTS).asList()).containsExactly(7, -1);
    assertThat(root.tables(CHILDREN, "Child").count()).isEqualTo(2);
    assertThat(root.tables(CHILDREN, "Child").table(1).int32(NUMBER, 0)).isEqualTo(5);
    assertThat(root.table(CHILD, "Child").orElseThrow().int32(NUMBER, 0)).isEqualTo(5);
  }

  @Test
  void fields_leftOut_haveTheCallersDefault() {
    FlatTable root = root();

    assertThat(root.has(NUMBER)).isTrue();
    for (FlatField field : new FlatField[] {LEFT_OUT, NEWER}) {
      assertThat(root.has(field)).isFalse();
      assertThat(root.int32(field, -1)).isEqualTo(-1);
      assertThat(root.string(field)).isEmpty();
      assertThat(root.int32s(field).isEmpty()).isTrue();
      assertThat(root.tables(field, "Child").count()).isZero();
      assertThat(root.table(field, "Child")).isEmpty();
    }
  }

  @Test
  void vector_longerThanTheFile_namesFieldAndByte() {
    FlatTable root = root();
    int at = root.vector(INTS, 4).start() - 4;
    little().putInt(at, 0xee6b2800);

    assertMalformed(
        () -> root.int32s(INTS),
        "Root.ints (field 4) at byte ",
        "vector of 4,000,000,000 entries of 4 bytes at byte " + at + " reaches past the end");
  }

  @Test
  void reference_pastTheEnd_namesWhereItLeads() {
    FlatTable root = root();
    int at = root.tables(CHILDREN, "Child").start();
    little().putInt(at, 1 << 30);

    assertMalformed(
        () -> root.tables(CHILDREN, "Child").table(0),
        "Root.children (field 5) at byte " + at + ": refers to byte ");
  }

  @Test
  void root_outsideTheFile_isMalformed() {
    little().putInt(0, bytes.length - 3);
    assertMalformed(this::root, "the root table Root is said to be at byte ");
    little().putInt(0, -1);
    assertMalformed(this::root, "at byte 4,294,967,295, past the end");
    assertMalformed(() -> new FlatBuffer("f", new byte[7]).root("Root"), "too short");
  }

  @Test
  void vtable_outsideTheFile_isMalformed() {
    int position = root().position();
    little().putInt(position, Integer.MIN_VALUE);
    assertMalformed(this::root, "table Root at byte " + position + ": its vtable is said to be");
    little().putInt(position, position + 1);
    assertMalformed(this::root, "its vtable is said to be at byte -1");
  }

  @Test
  void vtable_ofImpossibleLength_isMalformed() {
    int vtable = root().position() - little().getInt(root().position());
    short length = little().getShort(vtable);
    little().putShort(vtable, (short) 3);
    assertMalformed(this::root, "cannot be 3 bytes long");
    little().putShort(vtable, (short) -1);
    assertMalformed(this::root, "cannot be 65535 bytes long");
    little().putShort(vtable, length).putShort(vtable + 2, (short) -1);
    assertMalformed(this::root, "it cannot be 65535 bytes long");
  }

  @Test
  void field_outsideItsTable_isMalformed() {
    int vtable = root().position() - little().getInt(root().position());
    short tableBytes = little().getShort(vtable + 2);
    FlatTable root = root();
    little().putShort(vtable + 4 + 2, (short) (tableBytes - 3));
    assertMalformed(() -> root.int32(NUMBER, 0), "Root.number (field 1)", "outside of the table");
    little().putShort(vtable + 4 + 2, (short) 2);
    assertMalformed(() -> root.int32(NUMBER, 0), "its 4 bytes at offset 2 are outside");
  }

  @Test
  void vectorsThatShareABigOne_endWithTheBudget() {
    FlatBufferBuilder builder = new FlatBufferBuilder();
    int shared = builder.createVectorOfTables(repeat(child(builder), 10_000));
    builder.startTable(6);
    builder.addOffset(CHILDREN.id(), shared, 0);
    int root = builder.endTable();
    int roots = builder.createVectorOfTables(repeat(root, 10_000));
    builder.startTable(6);
    builder.addOffset(CHILDREN.id(), roots, 0);
    builder.finish(builder.endTable());
    FlatTable top = new FlatBuffer("bomb", builder.sizedByteArray()).root("Root");

    assertMalformed(
        () -> {
          for (int i = 0; i < 10_000; i++) {
            FlatVector children = top.tables(CHILDREN, "Root").table(i).tables(CHILDREN, "Child");
            for (int j = 0; j < children.count(); j++) {
              children.table(j);
            }
          }
        },
        "referred to from so many places");
  }

  @Test
  void hasIdentifier_shortPrefix_isFalse() {
    assertThat(FlatBuffer.hasIdentifier(bytes, "TEST")).isTrue();
    assertThat(FlatBuffer.hasIdentifier(bytes, "TFL3")).isFalse();
    assertThat(FlatBuffer.hasIdentifier(new byte[7], "TEST")).isFalse();
  }

  private FlatTable root() {
    return new FlatBuffer("f", bytes).root("Root");
  }

  private ByteBuffer little() {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void assertMalformed(ThrowingCallable code, String... parts) {
    assertThatThrownBy(code)
        .isInstanceOfSatisfying(
            DiagnosticException.class,
            e -> assertThat(e.diagnostic().kind()).isEqualTo(Kinds.INPUT_MALFORMED))
        .hasMessageContainingAll(parts);
  }

  private static byte[] example() {
    FlatBufferBuilder builder = new FlatBufferBuilder();
    int child = child(builder);
    int children = builder.createVectorOfTables(repeat(child, 2));
    int name = builder.createString("größe");
    builder.startVector(4, 2, 4);
    builder.addInt(-1);
    builder.addInt(7);
    int ints = builder.endVector();
    builder.startTable(8);
    builder.addBoolean(FLAG.id(), true, false);
    builder.addInt(NUMBER.id(), -2, 0);
    builder.addLong(LONG.id(), 1L << 40, 0);
    builder.addOffset(NAME.id(), name, 0);
    builder.addOffset(INTS.id(), ints, 0);
    builder.addOffset(CHILDREN.id(), children, 0);
    builder.addOffset(CHILD.id(), child, 0);
    builder.finish(builder.endTable(), "TEST");
    return builder.sizedByteArray();
  }

  private static int child(FlatBufferBuilder builder) {
    builder.startTable(2);
    builder.addInt(NUMBER.id(), 5, 0);
    return builder.endTable();
  }

  private static int[] repeat(int value, int count) {
    int[] values = new int[count];
    Arrays.fill(values, value);
    return values;
  }
}
