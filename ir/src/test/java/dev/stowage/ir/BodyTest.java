package dev.stowage.ir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BodyTest {
  private static final TensorType TYPE = TensorType.of(DType.I8, 4);

  @Test
  void root_longChainInEitherOrder_isFoundWithItsOffset() {
    int n = 100_000;
    MethodBuilder up = Method.builder("up");
    MethodBuilder down = Method.builder("down");
    for (int i = 0; i < n; i++) {
      up.tensor("", TYPE, false, null, i == 0 ? null : Alias.view(i - 1, 2));
      down.tensor("", TYPE, false, null, i == n - 1 ? null : Alias.view(i + 1, 2));
    }
    Body upwards = up.build().body();
    Body downwards = down.build().body();
    assertThat(upwards.root(n - 1)).isZero();
    assertThat(upwards.rootOffsetBytes(n - 1)).isEqualTo(2L * (n - 1));
    assertThat(downwards.root(0)).isEqualTo(n - 1);
    assertThat(downwards.rootOffsetBytes(1)).isEqualTo(2L * (n - 2));
  }

  @Test
  void root_severalHandlesOfOneBase_haveTheirOwnOffsets() {
    MethodBuilder builder = Method.builder("m");
    builder.tensor("", TYPE, false, null, Alias.view(2, 1));
    builder.tensor("", TYPE, false, null, Alias.mutates(0));
    builder.tensor("", TYPE);
    Body body = builder.build().body();
    assertThat(body.root(1)).isEqualTo(2);
    assertThat(body.rootOffsetBytes(0)).isEqualTo(1);
    assertThat(body.rootOffsetBytes(1)).isEqualTo(1);
  }

  @Test
  void build_cycleOfAliases_isRefused() {
    MethodBuilder builder = Method.builder("m");
    builder.tensor("", TYPE, false, null, Alias.same(1));
    builder.tensor("", TYPE, false, null, Alias.same(2));
    builder.tensor("", TYPE, false, null, Alias.same(1));
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("alias edges form a cycle through tensor %1");
  }

  @Test
  void build_aliasOfNothing_isRefused() {
    MethodBuilder builder = Method.builder("m");
    builder.tensor("", TYPE, false, null, Alias.same(1));
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("tensor %0 is an alias of %1, which does not exist");
  }
}
