package dev.stowage.planning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ArenaTest {
  private static final Arena EVERYTHING =
      Arena.of(7)
          .withName("dtcm")
          .withCapacity(1_000)
          .withReserved(10, 20)
          .withAlignment(32, 4_096)
          .withMaxAllocation(500)
          .withCosts(3, 4)
          .closed();

  @Test
  void of_memId_hasNoLimits() {
    Arena arena = Arena.of(3);
    assertThat(arena.memId()).isEqualTo(3);
    assertThat(arena.name()).isEqualTo("arena 3");
    assertThat(arena.capacityBytes()).isEqualTo(Arena.UNLIMITED);
    assertThat(arena.maxAllocationBytes()).isEqualTo(Arena.UNLIMITED);
    assertThat(arena.alignment()).isZero();
    assertThat(arena.open()).isTrue();
  }

  @Test
  void with_oneChange_keepsEverythingElse() {
    Arena changed = EVERYTHING.withCapacity(2_000);
    assertThat(changed.capacityBytes()).isEqualTo(2_000);
    assertThat(changed.memId()).isEqualTo(7);
    assertThat(changed.name()).isEqualTo("dtcm");
    assertThat(changed.reservedBytes()).isEqualTo(10);
    assertThat(changed.paddingBytes()).isEqualTo(20);
    assertThat(changed.alignment()).isEqualTo(32);
    assertThat(changed.baseAddress()).isEqualTo(4_096);
    assertThat(changed.maxAllocationBytes()).isEqualTo(500);
    assertThat(changed.readCost()).isEqualTo(3);
    assertThat(changed.writeCost()).isEqualTo(4);
    assertThat(changed.open()).isFalse();
    assertThat(EVERYTHING.capacityBytes()).isEqualTo(1_000);
    assertThat(changed).hasToString("dtcm (mem_id 7)");
  }

  @Test
  void with_wrongNumbers_areRefused() {
    assertRefused(() -> Arena.of(0), "mem_id is below 1: 0");
    assertRefused(() -> EVERYTHING.withCapacity(-1), "capacity is negative: -1");
    assertRefused(() -> EVERYTHING.withReserved(-2, 0), "reserved bytes are negative: -2");
    assertRefused(() -> EVERYTHING.withReserved(0, -3), "padding is negative: -3");
    assertRefused(() -> EVERYTHING.withAlignment(-4, 0), "alignment is negative: -4");
    assertRefused(() -> EVERYTHING.withAlignment(0, -5), "base address is negative: -5");
    assertRefused(() -> EVERYTHING.withMaxAllocation(0), "largest allocation is below 1: 0");
  }

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }
}
