package dev.stowage.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.io.Sink;
import dev.stowage.base.io.Source;
import dev.stowage.memmap.Target;
import dev.stowage.memmap.TargetReader;
import dev.stowage.verifier.FindingKind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans written by one run and judged by another, whole and broken on purpose. */
final class VerifyTest {
  private static final Path PERSON_DETECT = Path.of("../models/person_detect.tflite");
  private static final Path WHILE_IF = Path.of("../models/while_if.tflite");
  private static final String PROBLEMS =
      """
      {"name":"a","buffers":[{"bytes":32,"lifetime":[0,1]},{"bytes":32,"lifetime":[1,2]}]}
      {"name":"b","alignment":64,"buffers":[{"bytes":100,"lifetime":[0,5]}]}
      """;

  @TempDir Path folder;

  @Test
  void verify_planOfModelAsWritten_findsNothing() {
    for (Path model : ImmutableList.of(PERSON_DETECT, WHILE_IF)) {
      Verdict verdict = only(verify(model, plan(model)));

      assertThat(verdict.isVerified()).as(model + ": " + verdict).isTrue();
      assertThat(verdict.profile()).isEqualTo("tflm");
      assertThat(verdict.placements()).isGreaterThan(20);
    }
  }

  @Test
  void verify_planWithEverythingAtZero_namesPairs() {
    String broken = plan(PERSON_DETECT).replaceAll("\"offset\":\\d+", "\"offset\":0");

    Verdict verdict = only(verify(PERSON_DETECT, broken));

    assertThat(verdict.isVerified()).isFalse();
    assertThat(verdict.findings())
        .anySatisfy(
            finding -> {
              assertThat(finding.finding().kind()).isEqualTo(FindingKind.OVERLAP);
              assertThat(finding.finding().subjects()).hasSize(2);
            });
  }

  @Test
  void verify_smallerArena_isFound() {
    String broken =
        plan(PERSON_DETECT).replaceFirst("\"arena_sizes\":\\[0,\\d+\\]", "\"arena_sizes\":[0,64]");

    assertThat(only(verify(PERSON_DETECT, broken)).findings())
        .extracting(finding -> finding.finding().kind())
        .contains(FindingKind.OUTSIDE_ARENA);
  }

  @Test
  void verify_planAgainstRulesOfTarget_namesWhatBreaksThem() {
    Target free = target("");
    Target ruled =
        target(
            ",\"operator_rules\":[{\"op\":\"CONV*\",\"not_banks\":[\"fast\"],\"alignment\":64}]");
    String plan = plan(PERSON_DETECT, Optional.of(free));

    assertThat(only(verify(PERSON_DETECT, plan, Optional.of(free))).isVerified()).isTrue();
    assertThat(only(verify(PERSON_DETECT, plan, Optional.of(ruled))).findings())
        .extracting(finding -> finding.finding().kind())
        .contains(FindingKind.CLOSED_ARENA);
    String obeying = plan(PERSON_DETECT, Optional.of(ruled));
    assertThat(only(verify(PERSON_DETECT, obeying, Optional.of(ruled))).isVerified()).isTrue();
  }

  @Test
  void verify_planInWhichPassesSharedBytes_provesItAnew() throws IOException {
    Path text = folder.resolve("shared.stow");
    Files.writeString(
        text,
        """
        program "s"
        method @m {
          graph @main {
            %0 "x" : u8[1,16] = input
            %1 "a" : u8[1,16] = f(%0)
            %2 "b" : u8[1,16] = relu(%1)
            %3 "c" : u8[1,32] = concat([%2, %0]) {axis=1}
            %4 "d" : u8[1,8] = g(%3) {share_alloc_with_arg_idx=0, shared_alloc_offset=16}
            output(%4, %3)
          }
        }
        """);
    String plan;
    try (Stowage session = Stowage.open(text)) {
      session.pipeline("annotate-shared-alloc,apply-target-rules,elide-copies,reuse-in-place,plan");
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      Plans plans = session.plan();
      plans.requireVerified();
      AnswerWriter writer = new AnswerWriter(out);
      writer.write(plans.answers().get(0));
      plan = out.toString(StandardCharsets.UTF_8);
    }

    assertThat(plan).contains("\"offset\":16,\"base\":3");
    Verdict verdict = only(verify(text, plan));
    assertThat(verdict.isVerified()).as(verdict.toString()).isTrue();
    assertThat(only(verify(text, plan.replaceAll(",\"base\":\\d+", ""))).isVerified()).isFalse();
    String shifted = plan.replace("\"offset\":16", "\"offset\":8");
    assertThat(only(verify(text, shifted)).isVerified()).isFalse();
  }

  @Test
  void verify_planOfOtherModel_saysWhichIsMissing() {
    Verdict verdict = only(verify(WHILE_IF, plan(PERSON_DETECT)));

    assertThat(verdict.error()).isPresent();
    assertThat(verdict.error().get().kind().name()).isEqualTo("input-reference");
  }

  @Test
  void verify_problemsLineByLine_goesOnAfterAnError() throws IOException {
    Path problems = folder.resolve("p.jsonl");
    Files.writeString(problems, PROBLEMS);
    String plans = plan(problems);
    String broken = plans.replaceFirst("\"offset\":32", "\"offset\":8");

    ImmutableList<Verdict> verdicts = verify(problems, broken);

    assertThat(verdicts).extracting(Verdict::name).containsExactly("a", "b");
    assertThat(verdicts).extracting(Verdict::isVerified).containsExactly(false, true);
    assertThat(verify(problems, plans)).allMatch(Verdict::isVerified);
  }

  @Test
  void verify_solutionOfMiniMalloc_isJudgedAsAPlan() throws IOException {
    Path problem = folder.resolve("p.csv");
    Files.writeString(problem, "id,lower,upper,size\na,0,3,4\nb,3,9,4\nc,1,4,2\n");
    Path solution = folder.resolve("s.csv");
    try (Stowage session = Stowage.open(problem)) {
      session.plan().write(solution);
    }
    String text = Files.readString(solution);

    assertThat(text).startsWith("id,lower,upper,size,offset\n");
    assertThat(only(verify(problem, text)).isVerified()).isTrue();
    assertThat(only(verify(problem, text.replaceAll("(?m),\\d+$", ",0"))).findings())
        .extracting(finding -> finding.finding().kind())
        .containsOnly(FindingKind.OVERLAP)
        .hasSize(2);
  }

  @Test
  void verify_afterABadLine_goesOnInStep() throws IOException {
    Path problems = folder.resolve("t.jsonl");
    Files.writeString(problems, "{\"name\":\n" + PROBLEMS + "[]\n" + PROBLEMS);

    ImmutableList<Verdict> verdicts = verify(problems, plan(problems));

    assertThat(verdicts)
        .extracting(Verdict::name)
        .containsExactly("t:1", "a", "b", "t:4", "a", "b");
    assertThat(verdicts)
        .extracting(Verdict::isVerified)
        .containsExactly(false, true, true, false, true, true);
    assertThat(verdicts.get(0).error().get().message()).contains("input-syntax");
  }

  @Test
  void verify_sameNameTwice_judgesEachAgainstItsOwn() throws IOException {
    Path problems = folder.resolve("t.jsonl");
    Files.writeString(
        problems,
        """
        {"name":"p","buffers":[{"bytes":32,"lifetime":[0,1]},{"bytes":32,"lifetime":[2,3]}]}
        {"name":"p","buffers":[{"bytes":32,"lifetime":[0,1]},{"bytes":32,"lifetime":[1,3]}]}
        """);

    assertThat(verify(problems, plan(problems))).hasSize(2).allMatch(Verdict::isVerified);
  }

  @Test
  void verify_plansThatEndEarly_saysWhatHasNone() throws IOException {
    Path problems = folder.resolve("t.jsonl");
    Files.writeString(problems, PROBLEMS);
    String plans = plan(problems);

    ImmutableList<Verdict> verdicts = verify(problems, plans.substring(0, plans.indexOf('\n') + 1));

    assertThat(verdicts).extracting(Verdict::isVerified).containsExactly(true, false);
    assertThat(verdicts.get(1).error().get().message()).contains("'b'");
  }

  @ParameterizedTest
  @CsvSource({
    "'\"profile\":\"tflm\"', '\"profile\":\"tfml\"', input-value, profile, did you mean tflm?",
    "'\"profile\":\"tflm\",', '', input-member, line 1, ''",
    "'\"alignment\":16', '\"alignment\":2147483647', input-value, 'line 1, alignment', ''",
  })
  void verify_planOfImpossibleRules_isALocatedError(
      String written, String changed, String kind, String place, String help) {
    String plan = plan(PERSON_DETECT);
    assertThat(plan).contains(written);
    Diagnostic error =
        only(verify(PERSON_DETECT, plan.replace(written, changed))).error().orElseThrow();
    assertThat(error.kind().name()).isEqualTo(kind);
    assertThat(error.location().source()).isEqualTo("plan.json");
    assertThat(error.location().place()).startsWith(place);
    assertThat(error.help()).startsWith(help);
  }

  @Test
  void verify_modelElsewhere_isTheSameModel() throws IOException {
    Path copy = Files.copy(PERSON_DETECT, folder.resolve("person_detect.tflite"));

    assertThat(only(verify(copy, plan(PERSON_DETECT))).isVerified()).isTrue();
  }

  @Test
  void verify_plannedText_isJudgedByTheProfileAndAlignmentOfItsPlan() throws IOException {
    for (String pipeline : ImmutableList.of("tflm", "default")) {
      for (int alignment : ImmutableList.of(1, 64)) {
        Path text = folder.resolve(pipeline + alignment + ".stow");
        Path model = pipeline.equals("tflm") ? WHILE_IF : PERSON_DETECT;
        try (Stowage session = Stowage.open(model)) {
          session.pipeline(pipeline).alignment(alignment).plan().write(text);
        }
        try (Stowage session = Stowage.open(text)) {
          Verdict verdict = only(ImmutableList.copyOf(session.verify()));
          assertThat(verdict.isVerified()).as(text + ": " + verdict).isTrue();
        }
      }
    }
  }

  @Test
  void verify_textThatCarriesItsPlan_isJudgedByIt() throws IOException {
    Path text = folder.resolve("m.stow");
    Files.writeString(
        text,
        """
        program "m"
        method @main {allocation=inputs:outputs:state, arenas=0:128} {
          graph @main {
            %0 : f32[16] {placement=1:0:0} = input
            %1 : f32[16] {placement=1:64:1} = op(%0)
            output(%1)
          }
        }
        """);
    Path broken = folder.resolve("broken.stow");
    Files.writeString(broken, Files.readString(text).replace("1:64:1", "1:16:0"));

    try (Stowage good = Stowage.open(text);
        Stowage bad = Stowage.open(broken)) {
      assertThat(only(ImmutableList.copyOf(good.verify())).isVerified()).isTrue();
      assertThat(only(ImmutableList.copyOf(bad.verify())).findings())
          .extracting(finding -> finding.finding().kind())
          .contains(FindingKind.OVERLAP);
    }
  }

  @Test
  void convert_modelToTextAndBack_plansTheSame() throws IOException {
    Path text = folder.resolve("w.stow");
    try (Source in = Source.open(PERSON_DETECT);
        Sink out = Sink.open(text)) {
      Conversion.convert(in, "w.stow", out, Extensions.installed());
      out.commit();
    }

    try (Stowage model = Stowage.open(PERSON_DETECT);
        Stowage read = Stowage.open(text)) {
      assertThat(planned(read.pipeline("tflm")).methods().get(0).lowered().numbers())
          .isEqualTo(planned(model).methods().get(0).lowered().numbers());
    }
  }

  @Test
  void inspect_constantsAndStateBeyond64Bits_isAnErrorAndNoWrap() throws IOException {
    for (String kind : ImmutableList.of("const", "state")) {
      String two =
          kind.equals("const")
              ? "tensor %0 : u8[4611686018427387904] const tensor %1 : u8[4611686018427387904]"
                  + " const"
              : "";
      String states =
          kind.equals("state")
              ? "state @a : u8[4611686018427387904] state @b : u8[4611686018427387904]"
              : "";
      Path text = folder.resolve(kind + ".stow");
      Files.writeString(
          text,
          "program \"big\" " + states + " method @m { " + two + " graph @main { output() } }");
      try (Stowage session = Stowage.open(text)) {
        assertThat(session.inspect().get(0).error().get().kind().name())
            .as(kind)
            .isEqualTo("input-overflow");
      }
    }
  }

  @Test
  void inspect_personDetect_addsUpWhatIsInIt() {
    try (Stowage session = Stowage.open(PERSON_DETECT)) {
      Inspection inspection = session.inspect().get(0);
      Inspection.Section section = inspection.methods().get(0);

      assertThat(inspection.stateBytes()).isZero();
      assertThat(inspection.constantBytes()).isBetween(200_000L, 300_568L);
      assertThat(section.planned()).isEqualTo(32);
      assertThat(section.lowerBoundBytes()).isEqualTo(55_296);
      assertThat(section.peakNode()).contains("CONV_2D");
      assertThat(section.liveAtPeak().stream().mapToLong(Inspection.Live::bytes).sum())
          .isEqualTo(55_296);
    }
  }

  private static Answer.ProgramPlanned planned(Stowage session) {
    return (Answer.ProgramPlanned) session.plan().answers().get(0);
  }

  private static Target target(String rules) {
    String text =
        "{\"name\":\"t\",\"banks\":[{\"name\":\"fast\",\"mem_id\":1,\"size\":65536},"
            + "{\"name\":\"slow\",\"mem_id\":2,\"size\":1048576}]"
            + rules
            + "}";
    return TargetReader.read(
        Source.of("t.json", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))),
        name -> {
          throw new AssertionError(name);
        });
  }

  private static String plan(Path input) {
    return plan(input, Optional.empty());
  }

  private static String plan(Path input, Optional<Target> target) {
    try (Stowage session = Stowage.open(input)) {
      target.ifPresent(session::target);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      AnswerWriter writer = new AnswerWriter(out);
      for (Answer answer : session.plan().answers()) {
        writer.write(answer);
      }
      return out.toString(StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static ImmutableList<Verdict> verify(Path input, String plans) {
    return verify(input, plans, Optional.empty());
  }

  private static ImmutableList<Verdict> verify(Path input, String plans, Optional<Target> target) {
    byte[] bytes = plans.getBytes(StandardCharsets.UTF_8);
    try (Stowage session = Stowage.open(input);
        Source source = Source.of("plan.json", new ByteArrayInputStream(bytes))) {
      target.ifPresent(session::target);
      return ImmutableList.copyOf(session.verify(source));
    }
  }

  private static Verdict only(ImmutableList<Verdict> verdicts) {
    assertThat(verdicts).hasSize(1);
    return verdicts.get(0);
  }
}
