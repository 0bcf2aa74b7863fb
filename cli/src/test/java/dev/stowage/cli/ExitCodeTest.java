package dev.stowage.cli;

import static com.google.common.base.Throwables.throwIfUnchecked;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import dev.stowage.base.PluginFailedException;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.ServiceConfigurationError;
import org.junit.jupiter.api.Test;

class ExitCodeTest {
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void exitCode_ofEachKind_followsItsCategory() {
    for (DiagnosticKind kind : Kinds.all()) {
      int expected =
          switch (kind.category()) {
            case PLANNING -> 1;
            case USAGE -> 2;
            case INPUT -> 3;
            case BUDGET -> 6;
            case PLUGIN -> 5;
          };
      Tally tally = new Tally();
      tally.failed(Diagnostic.of(kind, "why"));
      assertThat(tally.exitCode()).as(kind.name()).isEqualTo(expected);
      tally.done();
      assertThat(tally.exitCode()).as("%s among others", kind).isEqualTo(1);
    }
  }

  @Test
  void failure_ofStowage_saysHowToReportIt() {
    for (Throwable defect :
        List.of(
            new IllegalStateException("broken"),
            new StackOverflowError(),
            new PluginFailedException("strategy", "x", Main.class, new VerifyError()))) {
      assertThat(codeOf(defect)).isEqualTo(4);
      assertThat(message())
          .startsWith("stowage: error: internal error: ")
          .contains("please report it with the command and -v output")
          .doesNotContain("\tat ");
    }
  }

  @Test
  void failure_ofPlugin_namesIt() {
    assertThat(
            codeOf(
                new PluginFailedException(
                    "strategy", "acme-first-fit", String.class, new ArithmeticException("/ by 0"))))
        .isEqualTo(5);
    assertThat(message()).contains("acme-first-fit", "/ by 0", "java.base", "its authors");
    assertThat(codeOf(new ServiceConfigurationError("acme.jar: no such class"))).isEqualTo(5);
    assertThat(message()).contains("acme.jar");
  }

  @Test
  void failure_outOfMemory_saysHowToGiveMore() {
    assertThat(codeOf(new OutOfMemoryError("Java heap space"))).isEqualTo(4);
    assertThat(message()).contains("out of memory", "-Xmx", "JAVA_OPTS");
  }

  private int codeOf(Throwable failure) {
    err.reset();
    OutputStream out = OutputStream.nullOutputStream();
    return Main.guard(
        new Terminal(InputStream.nullInputStream(), out, err, false, false, false),
        () -> {
          throwIfUnchecked(failure);
          return 0;
        });
  }

  private String message() {
    return err.toString(UTF_8);
  }

  @Test
  void exitCode_ofRejectedPlan_isOne() {
    Tally tally = new Tally();
    tally.done();
    assertThat(tally.exitCode()).isZero();
    tally.rejected();
    assertThat(tally.exitCode()).isEqualTo(1);
  }
}
