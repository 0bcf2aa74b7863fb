package dev.stowage.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.common.base.Throwables;
import java.io.IOException;
import java.util.List;
import java.util.ServiceConfigurationError;
import org.jspecify.annotations.Nullable;
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
    Throwable inner = new PluginFailedException("strategy", "inner", String.class, new Error());
    assertThat(guarded(inner)).isSameAs(inner);
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
  void guard_whatAPluginSaysOfTheInput_saysWhoReportsIt() {
    DiagnosticException reported = Diagnostic.of(Kinds.INPUT_VALUE, "7").note("a").asException();
    assertThat(((DiagnosticException) guarded(reported)).diagnostic())
        .isEqualTo(reported.diagnostic().note("reported by pass 'acme-pin' from module java.base"));
    assertThatThrownBy(
            () ->
                PluginFailedException.guard(
                    "pass",
                    "plan",
                    Call.class,
                    () -> {
                      throw reported;
                    }))
        .isSameAs(reported);
  }

  @Test
  void message_exceptionThatSaysNothing_hasItsClass() {
    Throwable silent =
        new IllegalStateException() {
          @Override
          @SuppressWarnings({"OverrideThrowableToString", "ToStringReturnsNull"}) // on purpose
          public @Nullable String toString() {
            return null;
          }
        };
    Throwable broken =
        new IllegalStateException() {
          @Override
          public String getMessage() {
            throw new UnsupportedOperationException();
          }
        };
    for (Throwable thrown : List.of(silent, broken)) {
      assertThat(guarded(thrown))
          .hasMessage(
              "pass 'acme-pin' from module java.base failed: " + thrown.getClass().getName());
    }
    assertThat(Message.reason(new IOException())).isEqualTo("IOException");
    assertThat(Message.reason(new IOException("disk full"))).isEqualTo("disk full");
    assertThat(
            PluginFailedException.cannotLoad("a.jar", new ServiceConfigurationError(null, silent)))
        .hasMessage(
            "the plug-in a.jar cannot be loaded: ServiceConfigurationError: "
                + silent.getClass().getName());
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
