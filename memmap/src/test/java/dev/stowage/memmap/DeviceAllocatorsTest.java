package dev.stowage.memmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.Plugins;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceAllocatorsTest {
  private static DeviceAllocator of(String type) {
    return new HeapAllocator(type, 2, 100);
  }

  @Test
  void get_registeredType_isFoundInAnyCase() {
    DeviceAllocator cuda = of("cuda");
    DeviceAllocators allocators = new DeviceAllocators(List.of(of("my_NPU2"), cuda));
    assertThat(allocators.get("CUDA")).containsSame(cuda);
    assertThat(allocators.get("Cuda")).containsSame(cuda);
    assertThat(allocators.all().keySet()).containsExactly("CUDA", "MY_NPU2");
  }

  @Test
  void get_noneRegistered_isNone() {
    assertThat(DeviceAllocators.withAllocatorsOf(Plugins.NONE).get("CPU")).isEmpty();
    assertThat(new DeviceAllocators(List.of(of("CUDA"))).get("VULKAN")).isEmpty();
  }

  @Test
  void constructor_secondOfAType_isRefused() {
    Diagnostic fault =
        catchThrowableOfType(
                DiagnosticException.class,
                () -> new DeviceAllocators(List.of(of("CUDA"), of("npu"), of("cuda"))))
            .diagnostic();
    assertThat(fault.kind()).isEqualTo(Kinds.PLUGIN_CLASH);
    assertThat(fault.message())
        .startsWith("two of kind device allocator are called 'CUDA': ")
        .contains(HeapAllocator.class.getName());
  }

  @Test
  void constructor_null_isRefused() {
    assertThatThrownBy(() -> new DeviceAllocators(Arrays.asList(of("CUDA"), null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("a device allocator is null");
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "cuda:0", "2d", " cuda", "my npu"})
  void constructor_typeThatIsNone_isRefused(String type) {
    assertThatThrownBy(() -> new DeviceAllocators(List.of(of(type))))
        .isInstanceOf(PluginFailedException.class)
        .hasMessageStartingWith("device allocator '" + HeapAllocator.class.getName() + "' from ");
  }

  @Test
  void allocator_whatAnyCanBeAskedFor_worksOrSaysWhyNot() throws DeviceMemoryException {
    DeviceAllocator allocator = of("CUDA");
    long first = allocator.allocate(1, 40, 64);
    long second = allocator.allocate(1, 60, 16);
    assertThat(first % 64).isZero();
    assertThat(second % 16).isZero();

    ByteBuffer sent = ByteBuffer.wrap(new byte[] {1, 2, 3, 4}, 1, 3);
    allocator.copyHostToDevice(1, sent, first + 37);
    assertThat(sent.hasRemaining()).isFalse();
    ByteBuffer received = ByteBuffer.allocate(4);
    allocator.copyDeviceToHost(1, first + 36, received);
    assertThat(received.array()).containsExactly(0, 2, 3, 4);

    assertFails(() -> allocator.copyHostToDevice(1, ByteBuffer.allocate(4), first + 37));
    assertFails(() -> allocator.copyDeviceToHost(0, first, ByteBuffer.allocate(1)));
    assertFails(() -> allocator.allocate(1, 1, 16));
    assertFails(() -> allocator.allocate(2, 1, 16));
    assertFails(() -> allocator.allocate(0, 1, 24));
    assertFails(() -> allocator.free(1, first + 1));
    allocator.free(1, first);
    assertFails(() -> allocator.free(1, first));
    assertThat(allocator.allocate(1, 40, 1)).isPositive();
  }

  private interface Call {
    void run() throws DeviceMemoryException;
  }

  private static void assertFails(Call call) {
    assertThatThrownBy(call::run).isInstanceOf(DeviceMemoryException.class);
  }
}
