package dev.stowage.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.RatedFinding;
import java.io.ByteArrayInputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Plans in programs, judged by both verifiers; the cases of other planners' users among them. */
class ReplayTest {
  /** Case s02: {@code b} is made from {@code a}, which nothing reads afterwards. */
  private static String partialOverlap(String a, String k, String b) {
    return """
    program "s02"
    method @main {profile=sound, alignment=1, arenas=0:16384} {
      graph @main {
        %%0 "x" : u8[16] {placement=1:12288:-1} = input
        %%1 "a" : u8[4096] {placement=1:%s:-1} = conv(%%0)
        %%2 "b" : u8[4096] {%s} = relu(%%1)
        %%3 "k" : u8[1024] {placement=1:%s:-1} = conv(%%0)
        output(%%2, %%3)
      }
    }
    """
        .formatted(a, b, k);
  }

  @Test
  void s02_shiftedSlice_isRejected() {
    assertThat(findings(partialOverlap("0", "0", "placement=1:1024:-1")))
        .containsExactly("overlap a b", "clobber a b");
    assertThat(findings(partialOverlap("0", "0", "placement=1:4096:-1"))).isEmpty();
  }

  @Test
  void s02_identicalSlice_isAcceptedInPlaceOnly() {
    assertThat(findings(partialOverlap("0", "4096", "placement=1:0:-1, shares=%1:0:derived")))
        .isEmpty();
    assertThat(findings(partialOverlap("0", "4096", "placement=1:0:-1")))
        .containsExactly("overlap a b", "clobber a b");
  }

  @Test
  void s05_inputThatIsAlsoOutput_isNotWrittenOver() {
    String program =
        """
        program "s05"
        method @main {profile=sound, alignment=1, arenas=0:64} {
          graph @main {
            %0 "input_0" : f32[1,2,2,2] {placement=1:0:-1} = input
            %1 "plus_10" : f32[1,2,2,2] {placement=1:32:-1} = add(%0)
            output(%1, %0)
          }
        }
        """;
    assertThat(findings(program)).isEmpty();
    assertThat(findings(program.replace("1:32:-1", "1:0:-1")))
        .containsExactly("overlap input_0 plus_10", "clobber input_0 plus_10");
  }

  @Test
  void s06_viewsKeepTheirBaseAlive() {
    String program =
        """
        program "s06"
        method @main {profile=sound, alignment=1, arenas=0:1024} {
          graph @main {
            %0 "base" : u8[256] {placement=1:0:-1} = conv
            %1 "view" : u8[256] view %0 = view(bind %0)
            %2 "part" : u8[64] view %1+128 = view(bind %1)
            %3 "other" : u8[256] {placement=1:256:-1} = conv
            %4 "sum" : u8[256] {placement=1:512:-1} = add(%3)
            %5 "out" : u8[256] {placement=1:768:-1} = add(%2, %4)
            output(%5)
          }
        }
        """;
    assertThat(findings(program)).isEmpty();
    assertThat(findings(program.replace("1:256:-1", "1:0:-1")))
        .containsExactly("overlap base other", "clobber base other");
    // The part that is read is not the part that is given away, which only the replay knows.
    assertThat(findings(program.replace("1:256:-1", "1:192:-1")))
        .containsExactly("overlap base other");
  }

  @Test
  void inPlaceResult_underExecutorch_isAWarningAndElsewhereAnError() {
    String program =
        """
        program "hazard"
        method @main {profile=executorch, alignment=1, arenas=0:256} {
          graph @main {
            %0 "x" : u8[64] {placement=1:128:-1} = input
            %1 "a" : u8[64] {placement=1:0:-1} = relu(%0)
            %2 "a.changed" : u8[64] mutates %1 = add_(inout %1, %0)
            %3 "c" : u8[64] {placement=1:0:-1} = relu(%0)
            %4 "d" : u8[64] {placement=1:64:-1} = mul(%2, %3)
            output(%4)
          }
        }
        """;
    Verdict executorch = verdict(program, Replaying.WITHIN_BOUND);
    assertThat(executorch.findings())
        .extracting(rated -> rated.severity() + " " + rated.finding().kind())
        .containsExactly("warning in-place-overlap", "warning in-place-clobber");
    assertThat(executorch.isVerified()).isTrue();
    Verdict sound =
        verdict(program.replace("profile=executorch", "profile=sound"), Replaying.IN_MEMORY);
    assertThat(sound.findings())
        .extracting(rated -> rated.severity() + " " + rated.finding().kind())
        .containsExactly("error in-place-overlap", "error overlap", "error in-place-clobber");
  }

  @Test
  void siblings_thatTheInputPutsOnOneAnother_areAWarningUnderExecutorchOnly() {
    String program =
        """
        program "siblings"
        method @main {profile=executorch, alignment=1, arenas=0:256} {
          graph @main {
            %0 "base" : u8[128] {placement=1:0:-1} = input
            %1 "one" : u8[64] {placement=1:0:-1, shares=%0:0} = relu(%0)
            %2 "two" : u8[64] {placement=1:32:-1, shares=%0:32} = relu(%0)
            %3 "out" : u8[64] {placement=1:128:-1} = add(%1, %2)
            output(%3)
          }
        }
        """;
    Verdict verdict = verdict(program, Replaying.WITHIN_BOUND);
    assertThat(verdict.findings())
        .extracting(rated -> rated.severity() + " " + rated.finding().kind())
        .containsExactly("warning sibling-overlap", "warning sibling-clobber");
  }

  @Test
  void replay_asWanted_isDoneOrNot() {
    String clobber = partialOverlap("0", "0", "placement=1:1024:-1");
    for (Replaying wanted : Replaying.values()) {
      Verdict verdict = verdict(clobber, wanted);
      boolean done = wanted != Replaying.NEVER;
      assertThat(verdict.replay().state())
          .as(wanted.toString())
          .isEqualTo(done ? Verdict.Replay.State.DONE : Verdict.Replay.State.OFF);
      assertThat(kinds(verdict)).as(wanted.toString()).hasSize(done ? 2 : 1);
    }
  }

  @Test
  void replay_thatIsTooMuchWork_isLeftOutUnlessAskedFor() {
    StringBuilder program =
        new StringBuilder(
            "program \"long\" method @main {profile=sound, alignment=1, arenas=0:2000} {"
                + " graph @main { %0 : u8[8] {placement=1:0:-1} = input\n"
                + " %1 : u8[8] {placement=1:4:-1} = nothing(%0)\n");
    program.append("2: op(%0)\n").append("jump_if_false(%0) -> 2\n".repeat(12));
    program.append("output(%0) } }");
    Verdict verdict = verdict(program.toString(), Replaying.WITHIN_BOUND);

    assertThat(verdict.replay().state()).isEqualTo(Verdict.Replay.State.LEFT_OUT);
    assertThat(verdict.replay().accesses()).isGreaterThan(Replaying.BOUND);
    assertThat(kinds(verdict)).containsExactly("overlap");
  }

  @Test
  void replay_inMoreMemoryThanThereIs_saysWhatElseThereIs() {
    String program =
        """
        program "huge"
        method @main {profile=sound, alignment=1, arenas=0:9007199254740992} {
          graph @main {
            %0 "x" : u8[9007199254740992] {placement=1:0:-1} = input
            output(%0)
          }
        }
        """;
    assertThat(findings(program)).isEmpty();
    Verdict verdict = verdict(program, Replaying.IN_MEMORY);
    assertThat(verdict.error().get().render())
        .contains(
            "main: error[verification]: the plan cannot be replayed in real memory:"
                + " 9,007,199,254,740,992 bytes are asked for and about ",
            "--replay does without");
  }

  private static List<String> kinds(Verdict verdict) {
    return verdict.findings().stream().map(it -> it.finding().kind().toString()).toList();
  }

  /** Kinds with names, the same by both ways to replay. */
  private static List<String> findings(String program) {
    List<String> found = summaries(verdict(program, Replaying.WITHIN_BOUND));
    if (!program.contains("9007199254740992")) {
      assertThat(summaries(verdict(program, Replaying.IN_MEMORY))).isEqualTo(found);
    }
    return found;
  }

  private static List<String> summaries(Verdict verdict) {
    assertThat(verdict.error()).isEmpty();
    return verdict.findings().stream()
        .map(RatedFinding::finding)
        .map(
            it ->
                it.kind()
                    + " "
                    + String.join(" ", it.subjects().stream().map(Finding.Subject::name).toList()))
        .toList();
  }

  private static Verdict verdict(String program, Replaying wanted) {
    try (Stowage session = Stowage.open("-", new ByteArrayInputStream(program.getBytes(UTF_8)))) {
      ImmutableList<Verdict> verdicts = ImmutableList.copyOf(session.replay(wanted).verify());
      assertThat(verdicts).hasSize(1);
      return verdicts.get(0);
    }
  }
}
