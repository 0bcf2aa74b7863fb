package dev.stowage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Placement;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.passes.Fact;
import dev.stowage.passes.MethodPass;
import dev.stowage.passes.Pass;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.ProgramPass;
import dev.stowage.passes.Statistic;
import dev.stowage.passes.analysis.Lifetimes;
import dev.stowage.passes.analysis.Uses;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Right passes pass, and each kind of wrong one is told what is wrong. */
class PassCheckTest {
  private static final OptionSpec<String> OP =
      OptionSpec.of("op", "whose results are pinned", OptionType.WORD, "relu");
  private static final Statistic PINNED = new Statistic("pinned", "tensors pinned");

  /** A pass of a declaration and a function. */
  private record OnMethods(PassSpec spec, BiFunction<Method, PassContext, Method> change)
      implements MethodPass {
    @Override
    public Method run(Method method, PassContext context) {
      return change.apply(method, context);
    }
  }

  /** The same for whole programs. */
  private record OnPrograms(PassSpec spec, UnaryOperator<Program> change) implements ProgramPass {
    @Override
    public Program run(Program program, PassContext context) {
      return change.apply(program);
    }
  }

  private static PassSpec.Builder spec() {
    return PassSpec.named("acme-pass").summary("for tests").options(OP).statistics(PINNED);
  }

  private static Pass pass(PassSpec.Builder spec, BiFunction<Method, PassContext, Method> change) {
    return new OnMethods(spec.build(), change);
  }

  private static String fault(Pass pass) {
    return String.valueOf(
        catchThrowableOfType(AssertionError.class, () -> PassCheck.of(pass).check()).getMessage());
  }

  private static Method pin(Method method, PassContext context) {
    GraphEditor editor = method.edit();
    for (Node node : method.nodes()) {
      if (node.op().equals(context.get(OP))) {
        for (int tensor : node.results().asList()) {
          editor.annotate(tensor, MemoryKeys.PIN, 2);
          context.count(PINNED, 1);
        }
      }
    }
    return editor.build();
  }

  /** Puts a node that does nothing before the output of the first graph. */
  private static Method insert(Method method) {
    GraphEditor editor = method.edit();
    ImmutableList<Node> nodes = method.entry().nodes();
    return editor
        .insertBefore(
            nodes.get(nodes.size() - 1).id(),
            new Node(
                editor.newNodeId(),
                "nop",
                ImmutableList.of(),
                ImmutableIntArray.of(),
                ImmutableIntArray.of(),
                -1,
                ImmutableMap.of()))
        .build();
  }

  @Test
  void check_rightPasses_pass() {
    PassCheck.of(
            pass(
                spec().idempotent().preserves(Lifetimes.ANALYSIS).destroys(Fact.PLAN),
                PassCheckTest::pin))
        .with("op=conv")
        .check();
    PassCheck.of(pass(spec(), (method, context) -> insert(method))).check();
    PassCheck.of(pass(spec().readOnly(), (method, context) -> method)).check();
    PassCheck.of(
            pass(
                spec().idempotent().destroys(Fact.PLAN),
                (method, context) -> MemoryKeys.withoutPlan(method)))
        .check();
  }

  @Test
  void check_passThatMakesAPlanWrongWithoutSayingSo_isCaught() {
    assertThat(fault(pass(spec(), PassCheckTest::pinAll)))
        .contains("it left method ", "with a plan that is no longer right: ");
  }

  private static Method pinAll(Method method, PassContext context) {
    GraphEditor editor = method.edit();
    method.tensors().forEach(tensor -> editor.annotate(tensor.id(), MemoryKeys.PIN, 7));
    return editor.build();
  }

  @Test
  void check_passThatNeedsAPlan_isGivenOne() {
    AtomicInteger planned = new AtomicInteger();
    PassCheck.of(
            pass(
                spec().requires(Fact.PLAN, "it reads places").readOnly(),
                (method, context) -> {
                  planned.addAndGet(method.get(MemoryKeys.ARENAS).isPresent() ? 1 : 0);
                  return method;
                }))
        .check();
    assertThat(planned).hasValueGreaterThan(100);
  }

  @Test
  void check_passThatRefusesSomePrograms_passes() {
    PassCheck.of(
            pass(
                spec(),
                (method, context) -> {
                  if (method.body().graphs().size() > 1) {
                    throw Diagnostic.of(Kinds.INPUT_UNSUPPORTED, "several graphs").asException();
                  }
                  return method;
                }))
        .check();
  }

  @Test
  void check_passThatRefusesAllPrograms_isCaught() {
    assertThat(
            fault(
                new OnPrograms(
                    spec().build(),
                    program -> {
                      throw Diagnostic.of(Kinds.INPUT_UNSUPPORTED, "not me").asException();
                    })))
        .contains("promised: to run on some programs", "error[input-unsupported]: not me");
  }

  @Test
  void check_null_isCaught() {
    assertThat(fault(pass(spec(), PassCheckTest::nothing)))
        .contains("pass acme-pass on program '", "it returned null in place of a method");
  }

  @SuppressWarnings("NullAway") // the mistake that is to be found
  private static Method nothing(Method method, PassContext context) {
    return null;
  }

  @Test
  void check_exception_isCaught() {
    assertThat(
            fault(
                pass(
                    spec(),
                    (method, context) -> {
                      throw new ArithmeticException("acme");
                    })))
        .contains("happened: java.lang.ArithmeticException: acme");
  }

  @Test
  void check_illFormedProgram_isCaughtWithItsText() {
    Pass pass =
        pass(
            spec(),
            (method, context) -> {
              ImmutableList<Node> nodes = method.entry().nodes();
              return method.edit().remove(nodes.get(nodes.size() - 1).id()).build();
            });
    assertThat(fault(pass))
        .contains(
            "on program 'without nodes'",
            "it left an ill-formed program: main/main: error[input-member]",
            "method @main {");
  }

  @Test
  void check_resultsThatDiffer_areCaught() {
    AtomicInteger calls = new AtomicInteger();
    assertThat(
            fault(
                pass(
                    spec(),
                    (method, context) ->
                        method
                            .edit()
                            .annotate(MemoryKeys.ALIGNMENT, calls.incrementAndGet())
                            .build())))
        .contains(
            "promised: the same result again",
            "first method @main {alignment=1} {, then method @main {alignment=2} {");
  }

  @Test
  void check_resultsThatDependOnTheThread_areCaught() {
    assertThat(
            fault(
                pass(
                    spec(),
                    (method, context) ->
                        method
                            .edit()
                            .annotate(MemoryKeys.PROFILE, Thread.currentThread().getName())
                            .build())))
        .contains("promised: the same result with 4 threads", "profile=stowage-");
  }

  @Test
  void check_resultsThatDependOnIdentity_areCaught() {
    assertThat(
            fault(
                pass(
                    spec(),
                    (method, context) ->
                        method
                            .edit()
                            .annotate(MemoryKeys.ALIGNMENT, System.identityHashCode(method.body()))
                            .build())))
        .contains("promised: the same result with 4 threads");
  }

  @Test
  void check_countsThatDiffer_areCaught() {
    AtomicInteger calls = new AtomicInteger();
    assertThat(
            fault(
                pass(
                    spec(),
                    (method, context) -> {
                      context.count(PINNED, calls.incrementAndGet());
                      return method;
                    })))
        .contains("promised: the same result again", "first it counted {", "=1}, then {", "=2}");
  }

  /** Remembers the method that it saw last. */
  private static final class Stateful implements MethodPass {
    private String last = "";

    @Override
    public PassSpec spec() {
      return PassCheckTest.spec().build();
    }

    @Override
    public Method run(Method method, PassContext context) {
      last = method.name() + last.length();
      return method;
    }
  }

  @Test
  void check_fieldThatChanges_isNamed() {
    assertThat(fault(new Stateful()))
        .contains("one instance serves all threads", "field last of ", "Stateful is not final");
  }

  @Test
  void check_equalProgramThatIsAnother_isCaught() {
    assertThat(
            fault(
                new OnPrograms(
                    spec().build(),
                    program -> new Program(program.name(), program.methods(), program.states()))))
        .contains("promised: the same object where nothing changed", "the program is equal");
  }

  @Test
  void check_equalMethodThatIsAnother_isCaught() {
    Pass copying =
        pass(
            spec(),
            (method, context) ->
                ProgramParser.parse("copy", ProgramPrinter.print(Program.of("copy", method)))
                    .methods()
                    .get(0));
    assertThat(fault(copying))
        .contains("promised: the same object where nothing changed", "method main is equal");
  }

  @Test
  void check_readOnlyPassThatChanges_isCaught() {
    assertThat(fault(pass(spec().readOnly(), (method, context) -> insert(method))))
        .contains("it declares that it changes nothing, but changed method main");
  }

  @Test
  void check_falseClaimToPreserveAnAnalysis_isCaught() {
    Pass liar =
        pass(
            spec().preserves(Lifetimes.ANALYSIS),
            (method, context) -> {
              ImmutableList<Node> nodes = method.entry().nodes();
              GraphEditor editor = method.edit();
              if (nodes.size() > 1 && !nodes.get(0).results().isEmpty()) {
                Node output = nodes.get(nodes.size() - 1);
                editor.replace(
                    new Node(
                        output.id(),
                        Ops.OUTPUT,
                        ImmutableList.of(
                            new Operand(nodes.get(0).results().get(0), 0, Operand.Access.READ)),
                        output.results(),
                        output.graphs(),
                        output.target(),
                        output.attributes()));
              }
              return editor.build();
            });
    assertThat(fault(liar)).contains("it declares to preserve lifetimes, but those of method ");
    assertThat(fault(pass(spec().preserves(Uses.ANALYSIS), ((OnMethods) liar).change())))
        .contains("it declares to preserve uses");
  }

  @Test
  void check_falseClaimToKeepPlans_isCaught() {
    Pass liar =
        pass(
            spec().keepsPlan().idempotent(),
            (method, context) -> {
              GraphEditor editor = method.edit();
              for (int tensor = 0; tensor < method.tensors().size(); tensor++) {
                if (method.get(MemoryKeys.PLACEMENT, tensor).isPresent()) {
                  editor.annotate(tensor, MemoryKeys.PLACEMENT, new Placement(1, 0, 0));
                }
                editor.annotate(tensor, MemoryKeys.PIN, 1);
              }
              return editor.build();
            });
    assertThat(fault(liar))
        .contains("promised: a plan that is still right", "share bytes while both are");
  }

  @Test
  void check_falseClaimToBeIdempotent_isCaught() {
    assertThat(fault(pass(spec().idempotent(), (method, context) -> insert(method))))
        .contains("promised: to change nothing when it runs again", "first ", "then nop");
  }

  @Test
  void check_ownProgram_comesFirst() {
    Program own = ProgramParser.parse("t", "program \"mine\" method @m { graph @g { output } }");
    Pass pass =
        pass(
            spec(),
            (method, context) -> {
              throw new ArithmeticException(method.name());
            });
    assertThatThrownBy(() -> PassCheck.of(pass).on(own).check())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("on program 'mine'");
  }

  @Test
  void check_optionsThatThePassDoesNotTake_areTheAuthorsMistake() {
    assertThatThrownBy(() -> PassCheck.of(pass(spec(), PassCheckTest::pin)).with("opp=x").check())
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("did you mean op?");
  }
}
