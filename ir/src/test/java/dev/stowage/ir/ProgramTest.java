package dev.stowage.ir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import dev.stowage.ir.memory.MemoryKeys;
import org.junit.jupiter.api.Test;

class ProgramTest {
  private static final TensorType TYPE = TensorType.of(DType.F32, 4);

  private final Method first = method("first");
  private final Method second = method("second");
  private final Program program = Program.of("p", ImmutableList.of(first, second));

  @Test
  void with_theMethodItHas_isTheSameProgram() {
    assertThat(program.with(second)).isSameAs(program);
  }

  @Test
  void with_changedMethod_replacesItInPlaceAndKeepsTheOthers() {
    Method changed = first.edit().annotate(0, MemoryKeys.PIN, 1).build();
    Program result = program.with(changed);
    assertThat(result.methods().get(0)).isSameAs(changed);
    assertThat(result.methods().get(1)).isSameAs(second);
    assertThat(result.states()).isEqualTo(program.states());
  }

  @Test
  void with_unknownMethod_isRefused() {
    assertThatThrownBy(() -> program.with(method("third")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("there is no method third");
  }

  @Test
  void of_methodsThatShareAState_declaresItOnce() {
    assertThat(program.states()).containsOnlyKeys("cache").containsValue(TYPE);
  }

  private static Method method(String name) {
    MethodBuilder builder = Method.builder(name);
    builder.graph("main");
    builder.tensor("", TYPE, false, "cache", null);
    return builder.build();
  }
}
