package dev.stowage.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterators;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.FindingKind;
import dev.stowage.verifier.RatedFinding;
import dev.stowage.verifier.RatedFinding.Severity;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StowageTest {
  private static final String BUFFERS =
      "'buffers':[{'bytes':40,'lifetime':[0,1]},{'bytes':100,'lifetime':[1,2]}]";
  private static final String BANKS = "'banks':[{'name':'sram','size':4096,'mem_id':1}]";

  private static final String STOW =
      """
      program "demo"

      method @forward {
        graph @main {
          %0 "x" : f32[8] = input
          %1 "y" : f32[8] = relu(%0)
          output(%1)
        }
      }
      """;

  /** Has recorded plans, the first by naive, at an alignment of its own. */
  private static final String GRAPH =
      """
      {'format':1,'name':'g','source':'test','specs':[
        {'id':0,'dtype':'u8','shape':[40],'bytes':40,'const':false,'dynamism':'STATIC','device':'CPU',
         'device_index':0,'mem_id_before':null,'alignment_before':16,'lifetime_before':[null,null],
         'storage_base':null,'storage_base_offset':0}],
       'graphs':[{'method':'forward','nodes':[
        {'index':0,'name':'x','op':'placeholder','target':'x','args':[],'kwargs':[],'specs':[0],
         'out_variant':false,'inplace':false,'view':false,'buffer':null,'mutable_buffer':null},
        {'index':1,'name':'output','op':'output','target':'output','args':[0],'kwargs':[],'specs':[],
         'out_variant':false,'inplace':false,'view':false,'buffer':null,'mutable_buffer':null}],
        'submodules':{}}],
       'plans':[
        {'options':{'algorithms':['naive'],'alignment':8,'banks':null,'alloc_graph_input':true,
          'alloc_graph_output':true,'alloc_mutable_buffers':true,'share_mutable_buffers':false,
          'enable_non_cpu_memory_planning':false}},
        {'options':{'algorithms':['greedy'],'alignment':32,'banks':null,'alloc_graph_input':true,
          'alloc_graph_output':true,'alloc_mutable_buffers':true,'share_mutable_buffers':false,
          'enable_non_cpu_memory_planning':false}}]}
      """
          .replace("\n", " ");

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                            | greedy",
        "'algorithm':'naive',          | naive",
        "'allow_overlapping':false,    | greedy{overlap=false}",
        "'banks':B,                    | banked-greedy",
        "'algorithm':'greedy','banks':B, | greedy",
      },
      quoteCharacter = '"')
  void strategy_ofAProblem_isTheFilesOrTheDefault(String members, String strategy) {
    String problem = "{" + members.replace("''", "").replace("'banks':B", BANKS) + BUFFERS + "}";

    assertThat(strategyOf(problem, it -> it)).isEqualTo(strategy);
    assertThat(strategyOf(problem, it -> it.strategy("naive"))).isEqualTo("naive");
  }

  @Test
  void strategy_ofAModel_callersBeatsPipelinesBeatsFilesBeatsDefault() {
    assertThat(strategyOf(STOW, it -> it)).isEqualTo("greedy");
    assertThat(strategyOf(GRAPH, it -> it)).isEqualTo("naive");
    assertThat(strategyOf(GRAPH, it -> it.pipeline("executorch"))).isEqualTo("naive");
    assertThat(strategyOf(GRAPH, it -> it.pipeline("plan{strategy=greedy{overlap=false}}")))
        .isEqualTo("greedy{overlap=false}");
    assertThat(
            strategyOf(GRAPH, it -> it.pipeline("plan{strategy=naive}").strategy("banked-greedy")))
        .isEqualTo("banked-greedy");
  }

  @Test
  void strategy_unknownOrIllFormed_isRefusedAtOnce() {
    try (Stowage session = open(STOW)) {
      assertThatThrownBy(() -> session.strategy("greedi"))
          .isInstanceOf(DiagnosticException.class)
          .hasMessageContainingAll("unknown-strategy", "greedi", "greedy");
      assertThatThrownBy(() -> session.strategy("greedy{overlap="))
          .isInstanceOf(DiagnosticException.class)
          .hasMessageContaining("error[syntax]");
      assertThatThrownBy(() -> session.pipeline("plant"))
          .isInstanceOf(DiagnosticException.class)
          .hasMessageContainingAll("unknown-pass", "plant");
    }
  }

  @Test
  void alignment_callersBeatsPipelinesBeatsFiles() {
    assertThat(sizeOf(GRAPH, it -> it)).isEqualTo(40);
    assertThat(sizeOf(GRAPH, it -> it.pipeline("plan{alignment=16}"))).isEqualTo(48);
    assertThat(sizeOf(GRAPH, it -> it.pipeline("plan{alignment=16}").alignment(64))).isEqualTo(64);
    assertThat(sizeOf("{'alignment':8," + BUFFERS + "}", it -> it)).isEqualTo(144);
    assertThat(sizeOf("{'alignment':8," + BUFFERS + "}", it -> it.alignment(64))).isEqualTo(192);
  }

  @Test
  void capacity_withoutBanks_limitsTheArena_butBanksLimitThemselves() {
    try (Stowage session = open("{" + BUFFERS + "}").capacity(100)) {
      assertThat(session.plan().answers().get(0).error().orElseThrow().kind())
          .isEqualTo(Kinds.UNPLACEABLE);
    }
    try (Stowage session = open("{" + BANKS + "," + BUFFERS + "}").capacity(100)) {
      assertThat(session.plan().answers().get(0).isVerified()).isTrue();
    }
  }

  @Test
  void plan_graphDocument_answersEachRecordedPlan_butOnceForACallersStrategy() {
    assertThat(answers(GRAPH, it -> it))
        .extracting(answer -> ((Answer.ProgramPlanned) answer).number())
        .containsExactly(0, 1);
    assertThat(answers(GRAPH, it -> it.strategy("greedy"))).hasSize(1);
    assertThat(answers(GRAPH, it -> it.pipeline("plan{strategy=greedy}"))).hasSize(1);
  }

  @Test
  void plan_stowText_takesTheDefaultPipeline() {
    Answer.ProgramPlanned planned = (Answer.ProgramPlanned) answers(STOW, it -> it).get(0);

    assertThat(planned.name()).isEqualTo("demo");
    assertThat(planned.methods()).extracting(method -> method.profile()).containsExactly("sound");
    assertThat(planned.isVerified()).isTrue();
    assertThat(sizeOf(STOW, it -> it)).isEqualTo(64);
  }

  @Test
  void plan_badLineBetweenGoodOnes_failsAlone() {
    String lines =
        "{'name':'a'," + BUFFERS + "}\n{'name':'b','buffers':7}\n{'name':'c'," + BUFFERS + "}\n";

    List<Answer> answers = answers(lines, it -> it);

    assertThat(answers).extracting(Answer::name).containsExactly("a", "b", "c");
    assertThat(answers).extracting(Answer::isVerified).containsExactly(true, false, true);
    assertThat(answers.get(1).error().orElseThrow().kind()).isEqualTo(Kinds.INPUT_MEMBER);
    assertThat(answers.get(1).error().orElseThrow().location().place()).startsWith("line 2");
  }

  @Test
  void answers_inputWithoutEnd_comeAsTheyAreAskedFor() {
    try (Stowage session = Stowage.open("-", endless("{" + json(BUFFERS) + "}\n"))) {
      Iterator<Answer> answers = session.answers();
      for (int i = 0; i < 5000; i++) {
        assertThat(answers.next().isVerified()).isTrue();
      }
      assertThat(answers.hasNext()).isTrue();
    }
  }

  @Test
  void open_fileThatIsNotThere_isADiagnostic() {
    assertThatThrownBy(() -> Stowage.open(folder.resolve("none.tflite")))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContainingAll("input-unreadable", "none.tflite");
  }

  @Test
  void requireVerified_failedAnswer_namesSourceAndReason() {
    try (Stowage session =
        open("{'name':'p','banks':[{'name':'s','size':16,'mem_id':1}]," + BUFFERS + "}")) {
      Plans plans = session.plan();
      assertThatThrownBy(plans::requireVerified)
          .isInstanceOf(DiagnosticException.class)
          .hasMessageContainingAll("standard input", "error[unplaceable]", "112 bytes");
    }
  }

  @Test
  void requireVerified_findingOfTheVerifier_saysHowManyAndTheFirst() {
    assertThatThrownBy(() -> withFinding(Severity.ERROR).requireVerified())
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContainingAll("error[verification]", "1 error", "they collide");
    withFinding(Severity.WARNING).requireVerified();
  }

  @Test
  void write_onlyPlanWithAnError_writesNothing() {
    Path file = folder.resolve("plan.json");

    assertThatThrownBy(() -> withFinding(Severity.ERROR).write(file))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("they collide");
    assertThat(file).doesNotExist();
  }

  @Test
  void write_planWithAnErrorAmongOthers_writesTheErrorInItsPlace() throws IOException {
    Path file = folder.resolve("plan.jsonl");
    ImmutableList<Answer> answers =
        ImmutableList.<Answer>builder()
            .addAll(withFinding(Severity.ERROR).answers())
            .addAll(withFinding(Severity.WARNING).answers())
            .build();

    new Plans("p.jsonl", answers, Extensions.installed()).write(file);

    assertThat(Files.readAllLines(file))
        .hasSize(2)
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .contains("\"error\":{\"kind\":\"verification\"", "they collide")
                    .doesNotContain("placements"),
            line -> assertThat(line).contains("placements"));
  }

  @Test
  void write_otherEnding_isRefused() {
    assertThatThrownBy(() -> withFinding(Severity.WARNING).write(folder.resolve("plan.xyz")))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("plan.xyz");
  }

  @Test
  void write_existingFile_isReplacedAsAWhole() throws IOException {
    Path file = folder.resolve("plan.json");
    Files.writeString(file, "old ".repeat(10_000));

    withFinding(Severity.WARNING).write(file);

    assertThat(Files.readString(file)).startsWith("{\"format\":\"stowage-plan\"").endsWith("}\n");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void write_folderThatIsNotThere_isADiagnosticAndLeavesNothing() throws IOException {
    assertThatThrownBy(() -> withFinding(Severity.WARNING).write(folder.resolve("no/plan.json")))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("output-unwritable");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
  }

  /** A real plan, of which a verifier is made to say something. */
  private static Plans withFinding(Severity severity) {
    Answer.ProblemPlanned planned =
        (Answer.ProblemPlanned) answers("{" + BUFFERS + "}", it -> it).get(0);
    Finding finding = Finding.of(FindingKind.OVERLAP, "they collide", -1, ImmutableList.of());
    return new Plans(
        "p.json",
        ImmutableList.of(
            new Answer.ProblemPlanned(
                planned.name(),
                planned.strategy(),
                planned.problem(),
                planned.plan(),
                planned.bounds(),
                ImmutableList.of(new RatedFinding(finding, severity)),
                planned.elapsedNanos())),
        Extensions.installed());
  }

  private static String strategyOf(String input, UnaryOperator<Stowage> settings) {
    Answer answer = answers(input, settings).get(0);
    return answer instanceof Answer.ProblemPlanned problem
        ? problem.strategy().toString()
        : ((Answer.ProgramPlanned) answer).methods().get(0).strategy().toString();
  }

  /** Bytes of arena 1. */
  private static long sizeOf(String input, UnaryOperator<Stowage> settings) {
    Answer answer = answers(input, settings).get(0);
    if (answer instanceof Answer.ProblemPlanned problem) {
      return problem.plan().arenaSizeBytes(1);
    }
    return ((PlannedMethod.Planned) ((Answer.ProgramPlanned) answer).methods().get(0).result())
        .plan()
        .arenaSizeBytes(1);
  }

  private static List<Answer> answers(String input, UnaryOperator<Stowage> settings) {
    try (Stowage session = open(input)) {
      return settings.apply(session).plan().answers();
    }
  }

  /** JSON may be written with single quotes. */
  private static Stowage open(String input) {
    return Stowage.open(
        "-", new ByteArrayInputStream(json(input).getBytes(StandardCharsets.UTF_8)));
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  private static InputStream endless(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    InputStream lines =
        new SequenceInputStream(
            Iterators.asEnumeration(
                Iterators.transform(Iterators.cycle(bytes), ByteArrayInputStream::new)));
    return new FilterInputStream(lines) {
      @Override
      public void close() {} // to close the sequence would be to run through it
    };
  }
}
