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
import java.util.function.BiFunction;
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
                    options -> {
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
        .containsExactly("extend-lifetimes", "pin-pool", "plan", "print", "strip-plan", "verify");
  }

  @ParameterizedTest
  @CsvSource({
    "default, plan",
    "executorch, plan{profile=executorch}",
    "tflm, plan{profile=tflm}",
  })
  void pipeline_name_isWhatItExpandsTo(String name, String text) {
    PassManager installed = PassManager.withInstalledPasses();
    Pipeline named = installed.pipeline("t", " " + name + "\n");
    assertThat(named).hasToString(text);
    assertThat(installed.pipeline("t", text)).isEqualTo(named);
    assertThat(PassManager.namedPipelines()).containsEntry(name, named).hasSize(3);
  }
}
