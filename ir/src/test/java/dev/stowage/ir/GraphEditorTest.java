package dev.stowage.ir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.base.Device;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GraphEditorTest {
  private static final TensorType TYPE = TensorType.of(DType.F32, 4);
  private static final Device CUDA = new Device("CUDA", 0);

  private Method method;

  /** Nodes 0 (input), 1 (view of it), 7 (output); tensors 0, and 1 as a view of 0. */
  @BeforeEach
  void buildMethod() {
    MethodBuilder builder = Method.builder("m");
    int graph = builder.graph("main");
    builder.tensor("x", TYPE);
    builder.tensor("v", TYPE, false, null, Alias.view(0, 0));
    builder.node(graph, Ops.INPUT).yields(0).add();
    builder.node(graph, Ops.VIEW).reads(0).yields(1).add();
    builder.node(graph, Ops.OUTPUT).reads(1).id(7).add();
    method = builder.build();
  }

  @Test
  void build_nothingChanged_givesTheSameMethod() {
    Method annotated = method.edit().annotate(0, MemoryKeys.PIN, 2).build();
    assertThat(annotated.edit().build()).isSameAs(annotated);
    assertThat(annotated.edit().annotate(0, MemoryKeys.PIN, 2).build()).isSameAs(annotated);
    assertThat(annotated.edit().annotate(0, MemoryKeys.ORIGIN, null).build()).isSameAs(annotated);
    assertThat(annotated.edit().replace(annotated.entry().nodes().get(1)).build())
        .isSameAs(annotated);
  }

  @Test
  void annotate_throughAView_landsOnTheRoot() {
    Method changed = method.edit().annotate(1, MemoryKeys.DEVICE, CUDA).build();
    assertThat(changed.get(MemoryKeys.DEVICE, 0)).contains(CUDA);
    assertThat(changed.get(MemoryKeys.DEVICE, 1)).contains(CUDA);
    assertThat(changed.edit().annotate(0, MemoryKeys.DEVICE, null).build()).isEqualTo(method);
    assertThat(method.get(MemoryKeys.DEVICE, 0)).isEmpty();
  }

  @Test
  void annotate_tensorKeyOfAView_leavesTheRoot() {
    Method changed = method.edit().annotate(1, MemoryKeys.ORIGIN, 5).build();
    assertThat(changed.get(MemoryKeys.ORIGIN, 0)).isEmpty();
    assertThat(changed.get(MemoryKeys.ORIGIN, 1)).contains(5);
  }

  @Test
  void annotate_throughAnAddedViewOfAView_landsOnTheRoot() {
    GraphEditor editor = method.edit();
    int view = editor.addTensor("", TYPE, Alias.view(1, 0));
    int viewOfIt = editor.addTensor("", TYPE, Alias.same(view));
    Method changed = editor.annotate(viewOfIt, MemoryKeys.PIN, 3).build();
    assertThat(viewOfIt).isEqualTo(3);
    assertThat(changed.body().root(viewOfIt)).isZero();
    assertThat(changed.get(MemoryKeys.PIN, 0)).contains(3);
  }

  @Test
  void annotate_tensorAddedAfterTheColumnWasTouched_growsTheColumn() {
    GraphEditor editor = method.edit().annotate(0, MemoryKeys.ORIGIN, 1);
    int added = editor.addTensor("", TYPE, null);
    assertThat(editor.annotate(added, MemoryKeys.ORIGIN, 9).build().get(MemoryKeys.ORIGIN, added))
        .contains(9);
  }

  @Test
  void build_annotationsOnly_sharesTheBodyAndOtherColumns() {
    Method before = method.edit().annotate(0, MemoryKeys.PIN, 2).build();
    Method after = before.edit().annotate(0, MemoryKeys.ORIGIN, 4).build();
    assertThat(after.body()).isSameAs(before.body());
    assertThat(after.columns().get(MemoryKeys.PIN)).isSameAs(before.columns().get(MemoryKeys.PIN));
  }

  @Test
  void build_insertReplaceRemove_keepsIdsAndMovesPositions() {
    GraphEditor editor = method.edit();
    int first = editor.newNodeId();
    int second = editor.newNodeId();
    Method changed =
        editor
            .insertBefore(7, node(first, "a"))
            .insertBefore(7, node(second, "b"))
            .replace(node(7, Ops.OUTPUT))
            .remove(1)
            .build();
    assertThat(changed.entry().nodes().stream().map(Node::id)).containsExactly(0, 8, 9, 7);
    assertThat(changed.entry().nodes().get(3).operands()).isEmpty();
    assertThat(method.entry().nodes().stream().map(Node::id)).containsExactly(0, 1, 7);
  }

  @Test
  void build_insertBeforeARemovedNode_takesItsPlace() {
    Method changed = method.edit().insertBefore(1, node(8, "a")).remove(1).build();
    assertThat(changed.entry().nodes().stream().map(Node::id)).containsExactly(0, 8, 7);
  }

  @Test
  void build_nodeThatDoesNotExist_isRefused() {
    assertThatThrownBy(() -> method.edit().remove(3).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("method m has no nodes [3]");
    assertThatThrownBy(() -> method.edit().insertBefore(4, node(8, "a")).build())
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void annotate_keyOfTheOtherScope_isRefused() {
    assertThatThrownBy(() -> method.edit().annotate(0, MemoryKeys.ALLOCATION, Allocation.ALL))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> method.edit().annotate(MemoryKeys.PIN, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> method.get(MemoryKeys.PIN))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void clear_key_removesItEverywhere() {
    Method annotated =
        method.edit().annotate(0, MemoryKeys.PIN, 2).annotate(1, MemoryKeys.ORIGIN, 1).build();
    Method cleared = annotated.edit().clear(MemoryKeys.PIN).build();
    assertThat(cleared.keys()).containsExactly(MemoryKeys.ORIGIN);
    assertThat(annotated.edit().annotate(0, MemoryKeys.PIN, 3).clear(MemoryKeys.PIN).build())
        .isEqualTo(cleared);
  }

  private static Node node(int id, String op) {
    return new Node(
        id,
        op,
        ImmutableList.of(),
        ImmutableIntArray.of(),
        ImmutableIntArray.of(),
        -1,
        ImmutableMap.of());
  }

  @Test
  @Timeout(60)
  void annotate_eachOfManyAddedTensors_keepsAllValues() {
    GraphEditor editor = method.edit();
    int count = 200_000;
    for (int i = 0; i < count; i++) {
      editor.annotate(editor.addTensor("", TYPE, null), MemoryKeys.ORIGIN, i);
    }
    Method changed = editor.build();
    assertThat(changed.get(MemoryKeys.ORIGIN, 1)).isEmpty();
    assertThat(changed.get(MemoryKeys.ORIGIN, 2)).contains(0);
    assertThat(changed.get(MemoryKeys.ORIGIN, count + 1)).contains(count - 1);
  }
}
