package dev.stowage.passes;

import static dev.stowage.passes.Texts.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.base.PluginFailedException;
import dev.stowage.ir.Program;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PassManagerTest {
  private static final OptionSpec<Boolean> LOUD =
      OptionSpec.of("loud", "for tests", OptionType.BOOLEAN, false);

  private final Program program = Texts.program("", "output()");
  private final List<String> ran = new ArrayList<>();
  private final PassManager manager =
      new PassManager(
          ImmutableList.of(
              pass("note", (p, context) -> note(p, "note " + context.get(LOUD))),
              pass("rename", (p, context) -> new Program("q", p.methods(), p.states())),
              pass("name", (p, context) -> note(p, "name " + p.name())),
              pass(
                  "refuse",
                  (p, context) -> {
                    throw Diagnostic.of(Kinds.INPUT_UNSUPPORTED, "no such thing").asException();
                  }),
              pass(
                  "broken",
                  (p, context) -> {
                    throw new IllegalStateException("boom");
                  })));

  private Program note(Program p, String text) {
    ran.add(text);
    return p;
  }

  private static ProgramPass pass(String name, BiFunction<Program, PassContext, Program> run) {
    return new ProgramPass() {
      @Override
      public PassSpec spec() {
        return PassSpec.named(name).summary("for tests").options(LOUD).build();
      }

      @Override
      public Program run(Program p, PassContext context) {
        return run.apply(p, context);
      }
    };
  }

  private PipelineResult run(String pipeline) {
    return manager.run(program, manager.pipeline("t", pipeline), SETTINGS);
  }

  private Diagnostic fault(String pipeline) {
    return catchThrowableOfType(DiagnosticException.class, () -> run(pipeline)).diagnostic();
  }

  @Test
  void run_passes_handTheProgramOn() {
    PipelineResult result = run("note{loud=true},rename,name");
    assertThat(ran).containsExactly("note true", "name q");
    assertThat(result.program().name()).isEqualTo("q");
    assertThat(result.plans()).isEmpty();
  }

  @Test
  void run_nothingChanged_isTheSameProgram() {
    assertThat(run("note").program()).isSameAs(program);
  }

  @Test
  void run_unknownPass_isRefusedBeforeAnyRuns() {
    Diagnostic fault = fault("note,renam");
    assertThat(fault.kind()).isEqualTo(Kinds.UNKNOWN_PASS);
    assertThat(fault.message()).isEqualTo("there is no pass called 'renam'");
    assertThat(fault.help()).startsWith("did you mean rename? ");
    assertThat(ran).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "'note,name{lout=true}', unknown-option, did you mean loud?",
    "'note,name{loud=maybe}', option-value, loud=true|false",
  })
  void run_wrongOption_isRefusedBeforeAnyRuns(String pipeline, String kind, String help) {
    Diagnostic fault = fault(pipeline);
    assertThat(fault.kind().name()).isEqualTo(kind);
    assertThat(fault.help()).startsWith(help);
    assertThat(ran).isEmpty();
  }

  @Test
  void pipeline_optionsThatExcludeEachOther_areRefusedBeforeAnyRuns() {
    Pass picky =
        new ProgramPass() {
          @Override
          public PassSpec spec() {
            return PassSpec.named("picky")
                .options(LOUD)
                .check(
                    (options, planner) -> {
                      if (options.get(LOUD)) {
                        throw options
                            .call()
                            .diagnoseOption("loud", Kinds.OPTION_VALUE, "not so loud")
                            .asException();
                      }
                    })
                .build();
          }

          @Override
          public Program run(Program p, PassContext context) {
            return p;
          }
        };
    PassManager with = new PassManager(ImmutableList.of(picky));
    assertThat(with.pipeline("t", "picky{loud=false}")).hasToString("picky");
    Diagnostic fault =
        catchThrowableOfType(
                DiagnosticException.class, () -> with.pipeline("t", "picky,picky{loud=true}"))
            .diagnostic();
    assertThat(fault.render()).startsWith("t:1:13: error[option-value]: not so loud");
  }

  @Test
  void run_passThatRefusesTheProgram_saysSo() {
    assertThat(fault("refuse").message()).isEqualTo("no such thing");
  }

  @Test
  void run_passThatThrows_isNamedWithItsOrigin() {
    assertThatThrownBy(() -> run("note,broken"))
        .isInstanceOfSatisfying(
            PluginFailedException.class, failure -> assertThat(failure.isOurs()).isTrue())
        .hasMessageContaining("pass 'broken' from ")
        .hasMessageContaining("boom")
        .hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void run_passFromElsewhereThatThrows_isNotOurs() {
    // The class of a proxy is not in a package of ours.
    ClassLoader loader = Pass.class.getClassLoader();
    Pass foreign =
        (Pass)
            Proxy.newProxyInstance(
                loader,
                new Class<?>[] {ProgramPass.class},
                (proxy, called, arguments) -> {
                  if (called.getName().equals("spec")) {
                    return PassSpec.named("acme-pass").summary("for tests").build();
                  }
                  throw new ArithmeticException("acme");
                });
    PassManager with = new PassManager(ImmutableList.of(foreign));
    PluginFailedException failure =
        catchThrowableOfType(
            PluginFailedException.class,
            () -> with.run(program, with.pipeline("t", "acme-pass"), SETTINGS));
    assertThat(failure.isOurs()).isFalse();
    assertThat(failure).hasMessageContaining("pass 'acme-pass'").hasMessageContaining("acme");
  }

  @Test
  void new_twoPassesOfOneName_areRefused() {
    Pass pass = pass("twice", (p, context) -> p);
    assertThat(
            catchThrowableOfType(
                    DiagnosticException.class, () -> new PassManager(ImmutableList.of(pass, pass)))
                .diagnostic()
                .kind())
        .isEqualTo(Kinds.PLUGIN_CLASH);
  }

  @Test
  void passes_declarations_areSortedByName() {
    assertThat(manager.specs())
        .extracting(PassSpec::name)
        .containsExactly("broken", "name", "note", "refuse", "rename");
    assertThat(PassManager.withInstalledPasses().specs())
        .extracting(PassSpec::name)
        .containsExactly(
            "annotate-shared-alloc",
            "apply-target-rules",
            "elide-copies",
            "extend-lifetimes",
            "pin-pool",
            "plan",
            "print",
            "reuse-in-place",
            "strip-plan",
            "verify");
  }

  @ParameterizedTest
  @CsvSource({
    "default, 'annotate-shared-alloc,apply-target-rules,plan'",
    "executorch, 'annotate-shared-alloc,apply-target-rules,plan{profile=executorch}'",
    "tflm, 'annotate-shared-alloc,apply-target-rules,plan{profile=tflm}'",
  })
  void pipeline_name_isWhatItExpandsTo(String name, String text) {
    PassManager installed = PassManager.withInstalledPasses();
    Pipeline named = installed.pipeline("t", " " + name + "\n");
    assertThat(named).hasToString(text);
    assertThat(installed.pipeline("t", text)).isEqualTo(named);
    assertThat(PassManager.namedPipelines()).containsEntry(name, named).hasSize(3);
  }

  private static Diagnostic misplaced(String pipeline, Pass... passes) {
    PassManager manager = new PassManager(ImmutableList.copyOf(passes));
    return catchThrowableOfType(
            DiagnosticException.class, () -> manager.pipeline("--pipeline", pipeline))
        .diagnostic();
  }

  private static Pass method(String name, UnaryOperator<PassSpec.Builder> spec) {
    return TestPasses.ofMethod(name, spec, (m, context) -> m);
  }

  @Test
  void pipeline_misplacedPasses_areAllReportedWithReasonAndPlace() {
    Diagnostic fault =
        misplaced(
            "plan,pin,extend,devices",
            method("plan", UnaryOperator.identity()),
            method(
                "pin", it -> it.after("devices", "pins go by device").before("plan", "too late")),
            method("extend", it -> it.before("plan", "a plan needs the lifetimes")),
            method("devices", UnaryOperator.identity()));
    assertThat(fault.kind()).isEqualTo(Kinds.MISPLACED_PASS);
    assertThat(fault.location()).hasToString("--pipeline:1:6");
    assertThat(fault.message()).isEqualTo("pin must come after devices: pins go by device");
    assertThat(fault.notes())
        .containsExactly(
            "plan,pin,extend,devices\n     ^^^",
            "help: no place in this pipeline would do: leave pin out",
            "also: --pipeline:1:6: pin must come before plan: too late",
            "plan,pin,extend,devices\n     ^^^",
            "help: no place in this pipeline would do: leave pin out",
            "also: --pipeline:1:10: extend must come before plan: a plan needs the lifetimes",
            "plan,pin,extend,devices\n         ^^^^^^",
            "help: put extend before plan");
    // Behind all of them it would not tell what it is about.
    assertThat(fault.help()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "default, 'the pipeline annotate-shared-alloc,apply-target-rules,plan'",
    "executorch, 'the pipeline annotate-shared-alloc,apply-target-rules,plan{profile=executorch}'",
    "tflm, 'the pipeline annotate-shared-alloc,apply-target-rules,plan{profile=tflm}'",
    "program, a level of pipelines",
    "method, a level of pipelines",
    "graph, a level of pipelines",
    "all, all passes",
  })
  void passManager_passWithAReservedName_isRefused(String name, String meaning) {
    Pass pass = pass(name, (p, context) -> p);
    Diagnostic fault =
        catchThrowableOfType(
                DiagnosticException.class, () -> new PassManager(ImmutableList.of(pass)))
            .diagnostic();
    assertThat(fault.kind()).isEqualTo(Kinds.PLUGIN_CLASH);
    assertThat(fault.message())
        .isEqualTo(
            "pass '"
                + name
                + "', "
                + pass.getClass().getName()
                + " from "
                + PluginFailedException.origin(pass.getClass())
                + ", has a name that stands for "
                + meaning);
  }

  @ParameterizedTest
  @CsvSource({
    "defalt, default",
    "tfml, tflm",
    "plam, plan",
  })
  void pipeline_unknownName_suggestsPassesAndPipelines(String name, String nearest) {
    Diagnostic fault =
        catchThrowableOfType(
                DiagnosticException.class,
                () -> PassManager.withInstalledPasses().pipeline("t", name))
            .diagnostic();
    assertThat(fault.kind()).isEqualTo(Kinds.UNKNOWN_PASS);
    assertThat(fault.help()).startsWith("did you mean " + nearest + "? ").contains("executorch");
  }

  @ParameterizedTest
  @CsvSource({
    "'print,plan{strategy=gredy}', 1:21, unknown-strategy, did you mean greedy?",
    "'plan{strategy=suite{of=[naive,gredy]}}', 1:31, unknown-strategy, did you mean greedy?",
    "'plan{strategy=greedy{overlp=true}}', 1:22, unknown-option, did you mean overlap?",
    "'plan{profile=sund}', 1:14, unknown-profile, did you mean sound?",
  })
  void pipeline_optionThatNamesNothing_isFoundBeforeAnythingRuns(
      String pipeline, String place, String kind, String help) {
    Diagnostic fault =
        catchThrowableOfType(
                DiagnosticException.class,
                () -> PassManager.withInstalledPasses().pipeline("t", pipeline))
            .diagnostic();
    assertThat(fault.kind().name()).isEqualTo(kind);
    assertThat(fault.location()).hasToString("t:" + place);
    assertThat(fault.help()).startsWith(help);
  }

  @Test
  void pipeline_optionThatBreaksItsPass_isADefectOfThePass() {
    OptionSpec<String> broken =
        OptionSpec.of(
            "x",
            "for tests",
            OptionType.of(
                "X",
                text -> {
                  throw new IllegalStateException("boom");
                },
                text -> text),
            "");
    Pass pass = method("reads", it -> it.options(broken));
    PassManager with = new PassManager(ImmutableList.of(pass));
    assertThatThrownBy(() -> with.pipeline("t", "reads{x=1}"))
        .isInstanceOf(PluginFailedException.class)
        .hasMessageContaining("pass 'reads'")
        .hasMessageContaining("boom");
  }

  @Test
  void pipeline_factThatNobodyEstablishes_isMisplaced() {
    Fact quantized = new Fact("quantized", "tensors are quantized");
    Pass needs = method("needs", it -> it.requires(quantized, "it packs them"));
    Diagnostic fault = misplaced("needs", needs);
    assertThat(fault.kind()).isEqualTo(Kinds.MISPLACED_PASS);
    assertThat(fault.message())
        .isEqualTo("needs requires that tensors are quantized: it packs them");
    assertThat(fault.help()).isEqualTo("no place in this pipeline would do: leave needs out");
    Pass quantize = method("quantize", it -> it.establishes(quantized));
    assertThat(misplaced("needs", needs, quantize).help()).isEqualTo("put quantize before it");
    assertThat(new PassManager(ImmutableList.of(needs, quantize)).pipeline("t", "quantize,needs"))
        .hasToString("quantize,needs");
  }

  @Test
  void run_factOfTheInput_isAskedOfIt() {
    Fact named =
        new Fact("named-q", "the program is called q", Optional.of(p -> p.name().equals("q")));
    PassManager with =
        new PassManager(
            ImmutableList.of(method("needs", it -> it.requires(named, "it goes by the name"))));
    Pipeline pipeline = with.pipeline("t", "needs");
    Program q = new Program("q", program.methods(), program.states());
    assertThat(with.run(q, pipeline, SETTINGS).program()).isSameAs(q);
    assertThatThrownBy(() -> with.run(program, pipeline, SETTINGS))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("needs requires that the program is called q");
  }

  @ParameterizedTest
  @CsvSource({
    "'plan,strip-plan,pin-pool{mem-id=2}', true",
    "'plan,strip-plan,extend-lifetimes,pin-pool{mem-id=2},plan', true",
    "'plan,pin-pool{mem-id=2}', false",
    "'plan,pin-pool{mem-id=2},pin-pool{mem-id=2}', false",
    "'plan,strip-plan,plan,pin-pool{mem-id=2}', false",
  })
  void pipeline_planThatWasTakenOut_isAsIfItHadNotBeen(String pipeline, boolean fine) {
    PassManager installed = PassManager.withInstalledPasses();
    if (fine) {
      assertThat(installed.pipeline("t", pipeline)).hasToString(pipeline);
    } else {
      assertThatThrownBy(() -> installed.pipeline("t", pipeline))
          .isInstanceOf(DiagnosticException.class)
          .hasMessageContaining("pin-pool must come before plan");
    }
  }

  @Test
  void pipeline_orderThatNamesAPassNobodyHas_isNoFault() {
    PassManager with =
        new PassManager(
            ImmutableList.of(method("pin", it -> it.after("assign-devices", "pins go by device"))));
    assertThat(with.pipeline("t", "pin")).hasToString("pin");
  }

  @Test
  void pipeline_orderMetByAnotherRunOfThePass_isNoFault() {
    PassManager with =
        new PassManager(
            ImmutableList.of(
                method("plan", UnaryOperator.identity()),
                method("pin", it -> it.before("plan", "too late"))));
    assertThat(with.pipeline("t", "plan,pin,plan")).hasToString("plan,pin,plan");
  }

  @Test
  void pipeline_passAtTheWrongLevel_isRefused() {
    Diagnostic fault = misplaced("method(note)", pass("note", (p, context) -> p));
    assertThat(fault.kind()).isEqualTo(Kinds.WRONG_LEVEL);
    assertThat(fault.message())
        .isEqualTo("note runs on a whole program, and cannot stand in method(...)");
    assertThat(fault.notes()).containsExactly("method(note)\n       ^^^^");
    assertThat(misplaced("graph(m)", method("m", UnaryOperator.identity())).message())
        .isEqualTo("m runs on a whole method, and cannot stand in graph(...)");
  }

  @Test
  void pipeline_smallerLevelInALargerPart_isFine() {
    assertThat(manager.pipeline("t", "program(note{loud=false},rename)"))
        .hasToString("program(note,rename)");
  }

  @Test
  void pipeline_nameAmongPasses_isExpandedInPlace() {
    PassManager installed = PassManager.withInstalledPasses();
    assertThat(installed.pipeline("t", "program(tflm),default"))
        .hasToString(
            "program(annotate-shared-alloc,apply-target-rules,plan{profile=tflm}),"
                + "annotate-shared-alloc,apply-target-rules,plan");
    assertThat(installed.pipeline("t", "plan{profile=sound}")).hasToString("plan");
  }
}
