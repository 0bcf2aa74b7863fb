package dev.stowage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.planning.Bound;
import dev.stowage.planning.Constraint;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningContext;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.planning.PlanningStrategy;
import dev.stowage.planning.StrategySpec;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Right strategies pass, and each kind of wrong one is told what is wrong. */
class StrategyCheckTest {
  private static final OptionSpec<Boolean> REVERSED =
      OptionSpec.of("reversed", "take the last buffer first", OptionType.BOOLEAN, false);

  /** A strategy of a declaration and a function. */
  private record Simple(
      StrategySpec spec, BiFunction<PlanningProblem, PlanningContext, PlanningOutcome> planning)
      implements PlanningStrategy {
    @Override
    public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
      return planning.apply(problem, context);
    }
  }

  private static PlanningStrategy strategy(
      BiFunction<PlanningProblem, PlanningContext, PlanningOutcome> planning,
      Constraint... honoured) {
    return new Simple(
        StrategySpec.named("acme").summary("for tests").options(REVERSED).honours(honoured).build(),
        planning);
  }

  /** Nothing shares bytes. */
  private static MemoryPlan.Builder stack(PlanningProblem problem, boolean reversed) {
    MemoryPlan.Builder plan = MemoryPlan.builder(problem);
    long[] ends = new long[problem.arenaCount()];
    for (int a = 0; a < ends.length; a++) {
      ends[a] = problem.arena(a).reservedBytes();
    }
    int count = problem.bufferCount();
    for (int i = 0; i < count; i++) {
      int buffer = reversed ? count - 1 - i : i;
      int arena = Math.max(0, problem.pinnedArena(buffer));
      plan.place(buffer, arena, ends[arena]);
      ends[arena] += problem.allocatedBytes(buffer);
    }
    return plan;
  }

  private static PlanningOutcome right(PlanningProblem problem, PlanningContext context) {
    return PlanningOutcome.planned(stack(problem, context.get(REVERSED)).build());
  }

  private static String fault(PlanningStrategy strategy) {
    return fault(StrategyCheck.of(strategy));
  }

  private static String fault(StrategyCheck check) {
    return String.valueOf(catchThrowableOfType(AssertionError.class, check::check).getMessage());
  }

  @Test
  void check_rightStrategy_passes() {
    StrategyCheck.of(strategy(StrategyCheckTest::right)).check();
    StrategyCheck.of(strategy(StrategyCheckTest::right, Constraint.PINNED_ARENA))
        .with("reversed=true")
        .check();
  }

  @Test
  void check_strategyThatGivesUpOnHardProblems_passes() {
    StrategyCheck.of(
            strategy(
                (problem, context) ->
                    problem.bufferCount() > 12
                        ? PlanningOutcome.gaveUp(
                            Diagnostic.of(Kinds.UNPLACEABLE, "too many"), problem)
                        : right(problem, context)))
        .check();
  }

  @Test
  void check_null_isCaught() {
    assertThat(fault(strategy(StrategyCheckTest::nothing)))
        .contains("promised: an outcome for every problem", "it returned null");
  }

  @SuppressWarnings("NullAway") // the mistake that is to be found
  private static PlanningOutcome nothing(PlanningProblem problem, PlanningContext context) {
    return null;
  }

  @Test
  void check_exception_isCaught() {
    assertThat(
            fault(
                strategy(
                    (problem, context) -> {
                      throw new ArithmeticException("acme");
                    })))
        .contains("promised: an outcome for every problem", "ArithmeticException: acme");
  }

  @Test
  void check_overlappingPlan_isCaughtWithItsProblem() {
    String fault =
        fault(
            strategy(
                (problem, context) -> {
                  MemoryPlan.Builder plan = MemoryPlan.builder(problem);
                  for (int i = 0; i < problem.bufferCount(); i++) {
                    plan.place(i, 0, problem.arena(0).reservedBytes());
                  }
                  return PlanningOutcome.planned(plan.build());
                }));
    assertThat(fault)
        .contains(
            "strategy acme on problem 'generated plain 0'",
            "promised: valid plans",
            "happened: overlap: buffer ",
            "share bytes while both are live",
            "problem: alignment ",
            "arena 1 (mem_id 1)");
  }

  @Test
  void check_pinsThatAreDeclaredAndIgnored_areCaught() {
    assertThat(
            fault(
                strategy(
                    (problem, context) -> {
                      MemoryPlan.Builder plan = MemoryPlan.builder(problem);
                      long end = problem.arena(0).reservedBytes();
                      for (int i = 0; i < problem.bufferCount(); i++) {
                        plan.place(i, 0, end);
                        end += problem.allocatedBytes(i);
                      }
                      return PlanningOutcome.planned(plan.build());
                    },
                    Constraint.PINNED_ARENA)))
        .contains(
            "'generated pinned-arena ",
            "promised: valid plans that honour pinned arenas",
            "happened: wrong-arena: buffer ");
  }

  @Test
  void check_declaredConstraintThatIsAlwaysRefused_isCaught() {
    assertThat(
            fault(
                strategy(
                    (problem, context) ->
                        problem.constraints().isEmpty()
                            ? right(problem, context)
                            : PlanningOutcome.gaveUp(
                                Diagnostic.of(Kinds.UNPLACEABLE, "not today"), problem),
                    Constraint.SEPARATIONS)))
        .contains("promised: plans that honour buffers that must not share", "not today");
  }

  @Test
  void check_answersThatDiffer_areCaught() {
    AtomicInteger calls = new AtomicInteger();
    assertThat(
            fault(
                strategy(
                    (problem, context) ->
                        PlanningOutcome.planned(
                            stack(problem, calls.incrementAndGet() % 2 == 0).build()))))
        .contains("promised: the same answer to the same problem", "happened: first planned ");
  }

  /** Counts its calls in a field. */
  private static final class Stateful implements PlanningStrategy {
    private int calls;

    @Override
    public StrategySpec spec() {
      return StrategySpec.named("acme").summary("for tests").build();
    }

    @Override
    public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
      calls++;
      return PlanningOutcome.planned(stack(problem, calls < 0).build());
    }
  }

  @Test
  void check_fieldThatChanges_isNamed() {
    assertThat(fault(new Stateful()))
        .contains("one instance serves all threads", "field calls of ", "Stateful is not final");
  }

  @Test
  void check_arenasThatAreTooLarge_areCaught() {
    assertThat(
            fault(
                strategy(
                    (problem, context) ->
                        PlanningOutcome.planned(
                            stack(problem, false).arenaSize(0, 1L << 30).build()))))
        .contains("promised: arenas as large as what is in them", "1,073,741,824 bytes");
  }

  @Test
  void check_falseProofOfInfeasibility_isCaught() {
    assertThat(
            fault(
                strategy(
                    (problem, context) ->
                        new PlanningOutcome.Infeasible(
                            Diagnostic.of(Kinds.UNPLACEABLE, "it cannot be")))))
        .contains("promised: no plan only where there cannot be one", "it cannot be");
  }

  @Test
  void check_falseBounds_areCaught() {
    assertThat(
            fault(
                strategy(
                    (problem, context) ->
                        PlanningOutcome.planned(
                            stack(problem, false)
                                .bound(new Bound(1L << 40, Bound.Kind.SEARCH))
                                .build()))))
        .contains("promised: a bound that no plan can go below", "1,099,511,627,776");
    assertThat(
            fault(
                strategy(
                    (problem, context) ->
                        new PlanningOutcome.GaveUp(
                            Diagnostic.of(Kinds.UNPLACEABLE, "no"), 1L << 50))))
        .contains("promised: a bound that no plan can go below", "1,125,899,906,842,624");
  }

  @Test
  void check_deadlineThatIsIgnored_isCaught() {
    PlanningStrategy endless =
        strategy(
            (problem, context) -> {
              // Ends only when it is interrupted, so that it does not outlive the test by far.
              while (problem.bufferCount() > 10_000 && !Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
              }
              return right(problem, context);
            });
    assertThat(fault(StrategyCheck.of(endless).answeringWithin(Duration.ofMillis(50))))
        .contains(
            "on problem 'generated large 100000'",
            "promised: an answer soon after the deadline",
            "not answered within 0.05 s",
            "PlanningContext.expired()")
        .doesNotContain("problem: alignment");
  }

  @Test
  void check_optionThatIsNotReadAsWritten_isCaught() {
    OptionSpec<String> louder =
        OptionSpec.of(
            "word",
            "for tests",
            OptionType.of("WORD", text -> text + "!", text -> text.toUpperCase(Locale.ROOT)),
            "x");
    PlanningStrategy strategy =
        new Simple(
            StrategySpec.named("acme").summary("for tests").options(louder).build(),
            (problem, context) -> PlanningOutcome.planned(stack(problem, false).build()));
    assertThat(fault(StrategyCheck.of(strategy).with("word=a")))
        .contains("promised: options that are read as they are written");
    assertThat(fault(strategy)).contains("promised: defaults that are left out");
  }

  @Test
  void check_optionsThatTheStrategyDoesNotTake_areTheAuthorsMistake() {
    assertThatThrownBy(
            () -> StrategyCheck.of(strategy(StrategyCheckTest::right)).with("revers=1").check())
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("did you mean reversed?");
  }

  @Test
  void check_summaryThatIsMissing_isCaught() {
    assertThat(fault(new Simple(StrategySpec.named("acme").build(), StrategyCheckTest::right)))
        .contains("a summary of one line", "it is ''");
  }
}
