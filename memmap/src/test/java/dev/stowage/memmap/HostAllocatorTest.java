package dev.stowage.memmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class HostAllocatorTest {
  private final HostAllocator allocator = new HostAllocator();

  @Test
  void copies_intoTheMiddle_changeNothingElse() throws DeviceMemoryException {
    long first = allocator.allocate(0, 40, 64);
    long second = allocator.allocate(0, 60, 16);
    assertThat(first % 64).isZero();
    assertThat(second % 16).isZero();

    ByteBuffer sent = ByteBuffer.wrap(new byte[] {1, 2, 3, 4}, 1, 3);
    allocator.copyHostToDevice(0, sent, first + 37);
    assertThat(sent.hasRemaining()).isFalse();
    ByteBuffer received = ByteBuffer.allocate(4);
    allocator.copyDeviceToHost(0, first + 36, received);
    assertThat(received.hasRemaining()).isFalse();
    assertThat(received.array()).containsExactly(0, 2, 3, 4);
    ByteBuffer other = ByteBuffer.allocate(60);
    allocator.copyDeviceToHost(0, second, other);
    assertThat(other.array()).containsOnly(0);
  }

  @Test
  void calls_thatCannotBeDone_sayWhy() throws DeviceMemoryException {
    long address = allocator.allocate(0, 40, 1);
    assertFails(
        () -> allocator.copyHostToDevice(0, ByteBuffer.allocate(4), address + 37),
        "4 bytes at address " + (address + 37) + " are not all allocated");
    assertFails(
        () -> allocator.copyDeviceToHost(0, address - 1, ByteBuffer.allocate(1)),
        "1 bytes at address " + (address - 1) + " are not all allocated");
    assertFails(
        () -> allocator.copyDeviceToHost(2, address, ByteBuffer.allocate(1)),
        "there is no device CPU:2");
    assertFails(() -> allocator.allocate(1, 8, 8), "there is no device CPU:1");
    assertFails(() -> allocator.allocate(0, -5, 8), "-5 bytes are asked for");
    assertFails(() -> allocator.allocate(0, 8, 24), "alignment 24 is no power of two");
    assertFails(() -> allocator.allocate(0, 8, 0), "alignment 0 is no power of two");
    assertFails(
        () -> allocator.allocate(0, Long.MAX_VALUE, 1),
        "there are no addresses left for 9,223,372,036,854,775,807 bytes");
    assertFails(() -> allocator.free(0, address + 1), "nothing is allocated at address ");
    allocator.free(0, address);
    assertFails(() -> allocator.free(0, address), "nothing is allocated at address " + address);
  }

  @Test
  void allocate_moreThanTheHeapHas_isRefusedBeforeAnythingIsTaken() {
    assertFails(() -> allocator.allocate(0, 1L << 50, 64), "1,125,899,906,842,624 bytes are asked");
  }

  @Test
  void allocate_nothing_hasAnAddressOfItsOwn() throws DeviceMemoryException {
    long first = allocator.allocate(0, 0, 8);
    assertThat(allocator.allocate(0, 0, 8)).isNotEqualTo(first).isPositive();
    allocator.copyHostToDevice(0, ByteBuffer.allocate(0), first);
    allocator.free(0, first);
  }

  private interface Call {
    void run() throws DeviceMemoryException;
  }

  private static void assertFails(Call call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOf(DeviceMemoryException.class)
        .hasMessageStartingWith(message);
  }
}
