package dev.stowage.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;
import org.junit.jupiter.api.Test;

class ExitCodeTest {
  @Test
  void exitCode_ofEachKind_followsItsCategory() {
    for (DiagnosticKind kind : Kinds.all()) {
      int expected =
          switch (kind.category()) {
            case PLANNING -> 1;
            case USAGE -> 2;
            case INPUT -> 3;
            case BUDGET -> 6;
          };
      Tally tally = new Tally();
      tally.failed(Diagnostic.of(kind, "why"));
      assertThat(tally.exitCode()).as(kind.name()).isEqualTo(expected);
      tally.done();
      assertThat(tally.exitCode()).as("%s among others", kind).isEqualTo(1);
    }
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
