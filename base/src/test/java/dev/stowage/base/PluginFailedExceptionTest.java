package dev.stowage.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.common.base.Throwables;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class PluginFailedExceptionTest {
  @Test
  void guard_whatAPluginThrows_isItsFailure() {
    for (Throwable thrown :
        List.of(
            new IllegalStateException("seven"),
            new NoSuchMethodError("seven"),
            new AssertionError("seven"),
            new OutOfMemoryError("seven"),
            new StackOverflowError("seven"))) {
      assertThat(guarded(thrown))
          .isInstanceOf(PluginFailedException.class)
          .hasMessage("pass 'acme-pin' from module java.base failed: " + thrown)
          .hasCause(thrown);
    }
  }

  @Test
  void guard_whatIsNotThePluginsFault_passes() {
    for (Throwable thrown :
        List.of(
            Diagnostic.of(Kinds.INPUT_VALUE, "7").asException(),
            new PluginFailedException("strategy", "inner", String.class, new Error()))) {
      assertThat(guarded(thrown)).isSameAs(thrown);
    }
    assertThatThrownBy(
            () ->
                PluginFailedException.guard(
                    "exporter",
                    "acme",
                    String.class,
                    () -> {
                      throw new IOException("disk full");
                    }))
        .isInstanceOf(IOException.class);
  }

  @Test
  void isOurs_byNameAndLoader_tells() {
    assertThat(new PluginFailedException("pass", "x", Call.class, new Error()).isOurs()).isTrue();
    assertThat(new PluginFailedException("pass", "x", String.class, new Error()).isOurs())
        .isFalse();
  }

  private static Throwable guarded(Throwable thrown) {
    return catchThrowable(
        () ->
            PluginFailedException.guard(
                "pass",
                "acme-pin",
                String.class,
                () -> {
                  Throwables.throwIfUnchecked(thrown);
                  return "done";
                }));
  }
}
