package dev.stowage.passes;

import static dev.stowage.passes.Texts.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.PluginFailedException;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Placement;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.passes.analysis.Aliases;
import dev.stowage.passes.analysis.Lifetimes;
import dev.stowage.passes.analysis.Schedule;
import dev.stowage.passes.planning.PlanPass;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningContext;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.planning.PlanningStrategy;
import dev.stowage.planning.StrategySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PipelineRunTest {
  private static final Statistic SEEN = new Statistic("seen", "nodes seen");

  private final List<String> log = Collections.synchronizedList(new ArrayList<>());

  private static Program program(int methods) {
    StringBuilder text = new StringBuilder("program \"p\"\n");
    for (int i = 0; i < methods; i++) {
      text.append(
          """
          method @m%d {
            graph @main {
              %%0 : u8[64] = input
              %%1 : u8[32] = relu(%%0)
              %%2 : u8[16] = tanh(%%1)
              output(%%2)
            }
          }
          """
              .formatted(i));
    }
    return ProgramParser.parse("t", text.toString());
  }

  private static PipelineResult run(
      Program program, String pipeline, RunOptions options, Pass... passes) {
    PassManager manager = new PassManager(ImmutableList.copyOf(passes));
    return manager.run(program, manager.pipeline("--pipeline", pipeline), SETTINGS, options);
  }

  private static PipelineResult run(Program program, String pipeline, Pass... passes) {
    return run(program, pipeline, RunOptions.DEFAULT, passes);
  }

  private static PluginFailedException defect(
      Program program, String pipeline, RunOptions options, Pass... passes) {
    return catchThrowableOfType(
        PluginFailedException.class, () -> run(program, pipeline, options, passes));
  }

  private static Method pin(Method method, int memId) {
    return method.edit().annotate(1, MemoryKeys.PIN, memId).build();
  }

  private static Method withoutTanh(Method method) {
    Node tanh = method.entry().nodes().get(2);
    return method.edit().remove(tanh.id()).build();
  }

  @Test
  void run_passOfMethods_seesEachAndLeavesTheOrder() {
    Program program = program(5);
    MethodPass pass =
        TestPasses.ofMethod(
            "x",
            spec -> spec.statistics(SEEN),
            (method, context) -> {
              context.count(SEEN, method.entry().nodes().size());
              context.print(method.name() + ";");
              return method.name().equals("m3") ? pin(method, 2) : method;
            });
    StringBuilder printed = new StringBuilder();
    List<PassReport> reports = new ArrayList<>();
    PipelineResult result =
        run(
            program,
            "x",
            RunOptions.DEFAULT
                .withThreads(4)
                .printingTo(printed::append)
                .observedBy(
                    new PassInstrumentation() {
                      @Override
                      public void passFinished(PassStep step, PassReport report) {
                        reports.add(report);
                      }
                    }),
            pass);

    assertThat(printed).hasToString("m0;m1;m2;m3;m4;");
    assertThat(result.program().methods().get(3).get(MemoryKeys.PIN, 1)).hasValue(2);
    assertThat(result.program().methods().get(2)).isSameAs(program.methods().get(2));
    assertThat(reports).hasSize(1);
    assertThat(reports.get(0).statistics()).containsEntry(SEEN, 20L);
    assertThat(reports.get(0).runs())
        .extracting(PassReport.Run::subject)
        .containsExactly("m0", "m1", "m2", "m3", "m4");
  }

  @Test
  void run_methodsAtATime_reallyRunAtATime() {
    // Neither run ends before the other has begun.
    CyclicBarrier both = new CyclicBarrier(2);
    MethodPass pass =
        TestPasses.ofMethod(
            "x",
            UnaryOperator.identity(),
            (method, context) -> {
              try {
                both.await(30, TimeUnit.SECONDS);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
              return method;
            });
    Program program = program(2);
    assertThat(run(program, "x", RunOptions.DEFAULT.withThreads(2), pass).program())
        .isSameAs(program);
  }

  @Test
  void run_severalMethodsFail_theFirstInOrderIsTold() {
    CountDownLatch secondHasFailed = new CountDownLatch(1);
    MethodPass pass =
        TestPasses.ofMethod(
            "x",
            UnaryOperator.identity(),
            (method, context) -> {
              if (method.name().equals("m1")) {
                secondHasFailed.countDown();
                throw Diagnostic.of(Kinds.INPUT_VALUE, "second").asException();
              }
              try {
                assertThat(secondHasFailed.await(30, TimeUnit.SECONDS)).isTrue();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              throw Diagnostic.of(Kinds.INPUT_VALUE, "first").asException();
            });
    assertThatThrownBy(() -> run(program(2), "x", RunOptions.DEFAULT.withThreads(2), pass))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("first");
  }

  @Test
  void run_passOfGraphs_seesEachGraphOfEachMethodAsTheLastLeftIt() {
    Program program =
        ProgramParser.parse(
            "t",
            """
            program "p"
            method @m {
              graph @main {
                %0 : bool[1] = input
                %1 : u8[4] = if(%0) @then, @else
                output(%1)
              }
              graph @then {
                %2 : u8[4] = a
                output(%2)
              }
              graph @else {
                %3 : u8[4] = b
                output(%3)
              }
            }
            """);
    GraphPass pass =
        TestPasses.ofGraph(
            "x",
            UnaryOperator.identity(),
            (method, graph, context) -> {
              log.add(graph.name() + " after " + method.keys());
              int first = graph.nodes().get(0).results().get(0);
              return method.edit().annotate(first, MemoryKeys.PIN, 7).build();
            });
    Method after = run(program, "method(graph(x))", pass).program().methods().get(0);
    assertThat(log).containsExactly("main after []", "then after [pin]", "else after [pin]");
    assertThat(after.get(MemoryKeys.PIN, 3)).hasValue(7);
  }

  @Test
  void run_passOfGraphsThatChangesAnotherGraph_isADefect() {
    Program program =
        ProgramParser.parse(
            "t",
            """
            program "p"
            method @m {
              graph @main {
                %0 : u8[4] = call @body
                output(%0)
              }
              graph @body {
                %1 : u8[4] = a
                free(%1)
                output(%1)
              }
            }
            """);
    GraphPass pass =
        TestPasses.ofGraph(
            "x", UnaryOperator.identity(), (method, graph, context) -> removeNode(method, "free"));
    assertThat(defect(program, "x", RunOptions.DEFAULT, pass))
        .hasMessageContaining("run on graph main of m, it changed others");
  }

  private static Method removeNode(Method method, String op) {
    for (Node node : method.nodes()) {
      if (node.op().equals(op)) {
        return method.edit().remove(node.id()).build();
      }
    }
    return method;
  }

  @Test
  @SuppressWarnings("NullAway") // on purpose
  void run_passThatReturnsNull_isADefectThatSaysSo() {
    assertThat(
            defect(
                program(1),
                "x",
                RunOptions.DEFAULT,
                TestPasses.ofMethod("x", UnaryOperator.identity(), (method, context) -> null)))
        .hasMessageContaining("pass 'x' from ")
        .hasMessageContaining("it returned null in place of a method");
    assertThat(
            defect(
                program(1),
                "x",
                RunOptions.DEFAULT,
                TestPasses.ofProgram("x", UnaryOperator.identity(), (program, context) -> null)))
        .hasMessageContaining("it returned null in place of a program");
  }

  @Test
  void run_passThatRunsOutOfMemoryOrStack_isADefectOfThePass() {
    for (Error error : List.of(new OutOfMemoryError("heap"), new StackOverflowError())) {
      Pass pass =
          TestPasses.ofProgram(
              "x",
              UnaryOperator.identity(),
              (program, context) -> {
                throw error;
              });
      assertThat(defect(program(1), "x", RunOptions.DEFAULT, pass))
          .hasMessageContaining("pass 'x' from ")
          .hasCause(error);
    }
  }

  @Test
  void run_passThatLoopsForEver_endsAtTheDeadline() {
    CountDownLatch interrupted = new CountDownLatch(1);
    Pass pass =
        TestPasses.ofProgram(
            "endless",
            UnaryOperator.identity(),
            (program, context) -> {
              while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
              }
              interrupted.countDown();
              return program;
            });
    Diagnostic error =
        catchThrowableOfType(
                DiagnosticException.class,
                () ->
                    run(
                        program(1),
                        "endless",
                        RunOptions.DEFAULT.withDeadline(Deadline.after(Duration.ofMillis(50))),
                        pass))
            .diagnostic();
    assertThat(error.kind()).isEqualTo(Kinds.DEADLINE);
    assertThat(error.message()).isEqualTo("pass 'endless' did not end within 0.05 s");
    assertThat(interruptedInTime(interrupted)).isTrue();
  }

  private static boolean interruptedInTime(CountDownLatch interrupted) {
    try {
      return interrupted.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      return false;
    }
  }

  @Test
  void run_deadlineThatHasCome_beginsNoPass() {
    Pass pass = TestPasses.ofProgram("x", UnaryOperator.identity(), (program, context) -> program);
    assertThatThrownBy(
            () ->
                run(
                    program(1),
                    "x",
                    RunOptions.DEFAULT.withDeadline(Deadline.after(Duration.ZERO)),
                    pass))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("was not begun within 0.0 s");
  }

  @Test
  void run_readOnlyPassThatChangesSomething_isADefect() {
    Pass pass =
        TestPasses.ofMethod(
            "liar", PassSpec.Builder::readOnly, (method, context) -> pin(method, 2));
    assertThat(defect(program(2), "liar", RunOptions.DEFAULT, pass))
        .hasMessageContaining("it declares that it changes nothing, but changed method m0");
  }

  @Test
  void run_readOnlyPassThatReturnsAnEqualProgram_changesNothing() {
    Pass pass =
        TestPasses.ofMethod(
            "twice",
            PassSpec.Builder::readOnly,
            (method, context) -> pin(method, 2).edit().annotate(1, MemoryKeys.PIN, 1).build());
    Program program = run(program(2), "one", onePinned()).program();
    List<Boolean> changed = new ArrayList<>();
    PassInstrumentation observer =
        new PassInstrumentation() {
          @Override
          public void passFinished(PassStep step, PassReport report) {
            changed.add(report.changed());
          }
        };
    PipelineResult result = run(program, "twice", RunOptions.DEFAULT.observedBy(observer), pass);
    assertThat(result.program()).isSameAs(program);
    assertThat(changed).containsExactly(false);
  }

  private static Pass onePinned() {
    return TestPasses.ofMethod(
        "one", UnaryOperator.identity(), (method, context) -> pin(method, 1));
  }

  @Test
  void run_strategyThatLoopsForEver_isNamedInPlaceOfThePass() {
    PlanningStrategy endless =
        new PlanningStrategy() {
          @Override
          public StrategySpec spec() {
            return StrategySpec.named("endless").summary("for tests").build();
          }

          @Override
          public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
            while (!Thread.currentThread().isInterrupted()) {
              Thread.onSpinWait();
            }
            return PlanningOutcome.gaveUp(Diagnostic.of(Kinds.DEADLINE, "interrupted"), problem);
          }
        };
    PlanningSettings settings =
        new PlanningSettings(
            new Planner(ImmutableList.of(endless)),
            PlanRequest.DEFAULT,
            Optional.empty(),
            Optional.of(Call.of("endless")),
            OptionalInt.empty(),
            OptionalLong.empty());
    PassManager manager = new PassManager(ImmutableList.of(new PlanPass()));
    RunOptions options = RunOptions.DEFAULT.withDeadline(Deadline.after(Duration.ofMillis(50)));
    assertThatThrownBy(
            () -> manager.run(program(2), manager.pipeline("t", "plan"), settings, options))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("error[deadline]: strategy 'endless' did not end within 0.05 s");
  }

  private static PassInstrumentation computations(List<String> into) {
    return new PassInstrumentation() {
      @Override
      public void passFinished(PassStep step, PassReport report) {
        report
            .computations()
            .forEach(it -> into.add(step.spec().name() + ": " + it.analysis() + " " + it.method()));
      }
    };
  }

  @Test
  void run_passOfGraphs_reportsWhatItHadComputedBetweenGraphs() {
    Program program =
        ProgramParser.parse(
            "t",
            """
            program "p"
            method @m {
              graph @main {
                %0 : bool[1] = input
                %4 : u8[4] = unused(%0)
                %1 : u8[4] = if(%0) @then, @else
                output(%1)
              }
              graph @then {
                %5 : u8[4] = unused
                %2 : u8[4] = a
                output(%2)
              }
              graph @else {
                %3 : u8[4] = b
                output(%3)
              }
            }
            """);
    Pass pass =
        TestPasses.ofGraph(
            "schedules",
            UnaryOperator.identity(),
            (method, graph, context) -> {
              context.analyses().schedule(method);
              GraphEditor editor = method.edit();
              graph.nodes().stream()
                  .filter(node -> node.op().equals("unused"))
                  .forEach(node -> editor.remove(node.id()));
              return editor.build();
            });
    List<String> seen = new ArrayList<>();
    run(program, "schedules", RunOptions.DEFAULT.observedBy(computations(seen)), pass);
    // The second graph is seen in a method that is in neither program.
    assertThat(seen).isEqualTo(Collections.nCopies(3, "schedules: schedule m"));
  }

  @Test
  void run_checked_analysesOfTheChecksAreNotThePasss() {
    Pass pass =
        TestPasses.ofMethod(
            "keeps",
            spec -> spec.preserves(Schedule.ANALYSIS, Lifetimes.ANALYSIS),
            (method, context) -> {
              context.analyses().schedule(method);
              return pin(method, 2);
            });
    List<String> seen = new ArrayList<>();
    RunOptions options = RunOptions.DEFAULT.withChecks().observedBy(computations(seen));
    run(program(2), "keeps,keeps", options, pass);
    assertThat(seen).containsExactly("keeps: schedule m0", "keeps: schedule m1");
  }

  @Test
  void run_checked_falsePreservationIsNamed() {
    Pass pass =
        TestPasses.ofMethod(
            "liar",
            spec -> spec.preserves(Aliases.ANALYSIS, Schedule.ANALYSIS),
            (method, context) -> withoutTanh(method).edit().build());
    Program output = dropOutputOfTanh();
    assertThat(defect(output, "liar", RunOptions.DEFAULT.withChecks(), pass))
        .hasMessageContaining("pass 'liar'")
        .hasMessageContaining(
            "it declares to preserve schedule, but those of method m are not the same afterwards");
    assertThat(run(output, "liar", pass).program().methods().get(0).entry().nodes()).hasSize(3);
  }

  /** A program in which the node after relu can be taken out. */
  private static Program dropOutputOfTanh() {
    return ProgramParser.parse(
        "t",
        """
        program "p"
        method @m {
          graph @main {
            %0 : u8[64] = input
            %1 : u8[32] = relu(%0)
            2: free(%0)
            output(%1)
          }
        }
        """);
  }

  @Test
  void run_checked_illFormedProgramIsNamed() {
    Pass pass =
        TestPasses.ofMethod(
            "breaker", UnaryOperator.identity(), (method, context) -> withoutTanh(method));
    assertThat(defect(program(1), "breaker", RunOptions.DEFAULT.withChecks(), pass))
        .hasMessageContaining("pass 'breaker'")
        .hasMessageContaining("it left an ill-formed program");
  }

  @Test
  void run_preservedAnalysis_isNotComputedAgain() {
    List<Lifetimes> seen = new ArrayList<>();
    Pass look =
        TestPasses.ofMethod(
            "look",
            PassSpec.Builder::readOnly,
            (method, context) -> {
              seen.add(context.analyses().lifetimes(method));
              return method;
            });
    TestPasses.OnMethod rename =
        (method, context) -> {
          Node relu = method.entry().nodes().get(1);
          return method
              .edit()
              .replace(
                  new Node(
                      relu.id(),
                      relu.op() + "x",
                      relu.operands(),
                      relu.results(),
                      relu.graphs(),
                      relu.target(),
                      relu.attributes()))
              .build();
        };
    run(
        program(1),
        "look,keep,look,drop,look,annotate,look",
        look,
        TestPasses.ofMethod("keep", spec -> spec.preserves(Lifetimes.ANALYSIS), rename),
        TestPasses.ofMethod("drop", UnaryOperator.identity(), rename),
        TestPasses.ofMethod(
            "annotate", UnaryOperator.identity(), (method, context) -> pin(method, 2)));
    Set<Lifetimes> different = Collections.newSetFromMap(new java.util.IdentityHashMap<>());
    different.addAll(seen);
    assertThat(seen).hasSize(4);
    assertThat(seen.get(1)).isSameAs(seen.get(0));
    assertThat(seen.get(2)).isNotSameAs(seen.get(1)).isEqualTo(seen.get(1));
    assertThat(seen.get(3)).isSameAs(seen.get(2));
    assertThat(different).hasSize(2);
    assertThat(new HashSet<>(seen)).hasSize(1);
  }

  @Test
  void run_bodyChangedAfterPlanning_dropsThePlanUnlessItIsKept() {
    TestPasses.OnMethod change =
        (method, context) -> method.name().equals("m0") ? removeNode(method, "free") : method;
    Program program =
        ProgramParser.parse(
            "t",
            """
            program "p"
            method @m0 {
              graph @main {
                %0 : u8[64] = input
                1: free(%0)
                output()
              }
            }
            method @m1 {
              graph @main {
                %0 : u8[64] = input
                output()
              }
            }
            """);
    Pass drop = TestPasses.ofMethod("drop", UnaryOperator.identity(), change);
    Pass keep = TestPasses.ofMethod("keep", PassSpec.Builder::keepsPlan, change);

    PipelineResult dropped = run(program, "plan,drop", new PlanPass(), drop, keep);
    assertThat(dropped.program().methods().get(0).get(MemoryKeys.PLACEMENT, 0)).isEmpty();
    assertThat(dropped.program().methods().get(0).get(MemoryKeys.ARENAS)).isEmpty();
    assertThat(dropped.program().methods().get(1).get(MemoryKeys.PLACEMENT, 0)).isPresent();
    assertThat(dropped.plans()).extracting(PlannedMethod::method).containsExactly("m1");

    PipelineResult kept = run(program, "plan,keep", new PlanPass(), drop, keep);
    assertThat(kept.program().methods().get(0).get(MemoryKeys.PLACEMENT, 0)).isPresent();
    assertThat(kept.plans()).extracting(PlannedMethod::method).containsExactly("m0", "m1");
  }

  @Test
  void run_passThatDestroysThePlan_losesItWhereItChangesSomething() {
    TestPasses.OnMethod pinFirst =
        (method, context) -> method.name().equals("m0") ? pin(method, 2) : method;
    Pass pin = TestPasses.ofMethod("pin", spec -> spec.destroys(Fact.PLAN), pinFirst);
    PipelineResult result = run(program(2), "plan,pin", new PlanPass(), pin);
    assertThat(MemoryKeys.hasPlan(result.program().methods().get(0))).isFalse();
    assertThat(MemoryKeys.hasPlan(result.program().methods().get(1))).isTrue();
    assertThat(result.plans()).extracting(PlannedMethod::method).containsExactly("m1");
  }

  @Test
  void run_checked_planThatIsNoLongerRightIsNamed() {
    Pass pin =
        TestPasses.ofMethod("pin", UnaryOperator.identity(), (method, context) -> pin(method, 2));
    assertThat(defect(program(1), "plan,pin", RunOptions.DEFAULT.withChecks(), new PlanPass(), pin))
        .hasMessageContaining("pass 'pin'")
        .hasMessageContaining("it left method m0 with a plan that is no longer right: ");
    assertThat(run(program(1), "plan,pin", new PlanPass(), pin).plans()).hasSize(1);
  }

  /** Plans each method by itself. */
  private static Pass planEach(UnaryOperator<Method> afterwards) {
    PlanPass plan = new PlanPass();
    PassSpec declared = plan.spec();
    return TestPasses.ofMethod(
        "plan-each",
        spec ->
            spec.options(declared.options().toArray(new OptionSpec<?>[0]))
                .statistics(declared.statistics().toArray(new Statistic[0]))
                .establishes(Fact.PLAN),
        (method, context) ->
            afterwards.apply(
                plan.run(new Program("p", ImmutableList.of(method), ImmutableMap.of()), context)
                    .methods()
                    .get(0)));
  }

  @Test
  void run_passOfMethodsThatPlans_keepsThePlansOfAll() {
    PipelineResult result =
        run(program(3), "plan-each", planEach(UnaryOperator.identity()), new PlanPass());
    assertThat(result.plans()).extracting(PlannedMethod::method).containsExactly("m0", "m1", "m2");
    assertThat(result.plans()).allMatch(PlannedMethod::isVerified);
    // A plan of a method takes the place of an earlier one of the same method.
    PipelineResult again =
        run(
            program(3),
            "plan{profile=tflm},plan-each{profile=executorch}",
            planEach(UnaryOperator.identity()),
            new PlanPass());
    assertThat(again.plans())
        .extracting(it -> it.method() + " " + it.profile())
        .containsExactly("m0 executorch", "m1 executorch", "m2 executorch");
  }

  @Test
  void run_checked_wrongPlanOfAPassThatPlansIsNamed() {
    UnaryOperator<Method> overlap =
        method -> method.edit().annotate(1, MemoryKeys.PLACEMENT, new Placement(1, 0, 0)).build();
    assertThat(defect(program(2), "plan-each", RunOptions.DEFAULT.withChecks(), planEach(overlap)))
        .hasMessageContaining("pass 'plan-each'")
        .hasMessageContaining("it left method m0 with a wrong plan: ");
    UnaryOperator<Method> unreadable =
        method -> method.edit().annotate(MemoryKeys.PROFILE, "nope").build();
    assertThat(
            defect(program(2), "plan-each", RunOptions.DEFAULT.withChecks(), planEach(unreadable)))
        .hasMessageContaining("it left method m0 with a wrong plan: ")
        .hasMessageContaining("profile 'nope'");
  }

  @Test
  void run_checked_planThatAPassAddsWithoutSayingSo_isJudgedToo() {
    Pass sneak =
        TestPasses.ofMethod(
            "sneak",
            UnaryOperator.identity(),
            (method, context) ->
                method
                    .edit()
                    .annotate(0, MemoryKeys.PLACEMENT, new Placement(1, 0, 0))
                    .annotate(MemoryKeys.ARENAS, ImmutableLongArray.of(0, 64))
                    .build());
    assertThat(defect(program(1), "sneak", RunOptions.DEFAULT.withChecks(), sneak))
        .hasMessageContaining("it left method m0 with a plan that is no longer right: ");
  }

  @Test
  void run_checked_wrongPlanThatThePassReports_isItsAnswer() {
    PlanningStrategy overlapping =
        new PlanningStrategy() {
          @Override
          public StrategySpec spec() {
            return StrategySpec.named("overlapping").build();
          }

          @Override
          public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
            MemoryPlan.Builder plan = MemoryPlan.builder(problem);
            for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
              plan.place(buffer, 0, 0);
            }
            return PlanningOutcome.planned(plan.build());
          }
        };
    Planner planner = new Planner(ImmutableList.of(overlapping));
    PassManager manager = new PassManager(ImmutableList.of(new PlanPass()), () -> planner);
    PlanningSettings settings =
        new PlanningSettings(
            planner,
            PlanRequest.DEFAULT,
            Optional.empty(),
            Optional.empty(),
            OptionalInt.empty(),
            OptionalLong.empty());
    PipelineResult result =
        manager.run(
            program(1),
            manager.pipeline("t", "plan{strategy=overlapping}"),
            settings,
            RunOptions.DEFAULT.withChecks());
    assertThat(result.plans()).hasSize(1).noneMatch(PlannedMethod::isVerified);
  }

  @Test
  void run_expectationMetBySomeMethod_isNoWarning() {
    MethodPass pass =
        TestPasses.ofMethod(
            "x",
            UnaryOperator.identity(),
            (method, context) -> {
              context.expect(
                  method.name().equals("m1"), Diagnostic.of(Kinds.OPTION_VALUE, "met by m1"));
              context.expect(false, Diagnostic.of(Kinds.OPTION_VALUE, "met by none"));
              return method;
            });
    assertThat(run(program(3), "x", pass).warnings())
        .extracting(Diagnostic::message)
        .containsExactly("met by none");
  }

  @Test
  void run_anyNumberOfThreads_givesTheSameTextAndWarnings() {
    MethodPass pass =
        TestPasses.ofMethod(
            "x",
            UnaryOperator.identity(),
            (method, context) -> {
              context.warn(Diagnostic.of(Kinds.OPTION_VALUE, method.name()));
              return pin(method, 2 + method.name().charAt(1) % 3);
            });
    Program program = program(9);
    PipelineResult alone = run(program, "x", RunOptions.DEFAULT.withThreads(1), pass);
    for (int threads = 2; threads <= 8; threads++) {
      PipelineResult result = run(program, "x", RunOptions.DEFAULT.withThreads(threads), pass);
      assertThat(ProgramPrinter.print(result.program()))
          .isEqualTo(ProgramPrinter.print(alone.program()));
      assertThat(result.warnings()).isEqualTo(alone.warnings());
    }
  }

  @Test
  void run_failure_isToldToObserversLastOneFirst() {
    Pass broken =
        TestPasses.ofProgram(
            "broken",
            UnaryOperator.identity(),
            (program, context) -> {
              throw new IllegalStateException("boom");
            });
    assertThatThrownBy(
            () ->
                run(
                    program(1),
                    "broken",
                    RunOptions.DEFAULT.observedBy(logging("a")).observedBy(logging("b")),
                    broken))
        .isInstanceOf(PluginFailedException.class);
    assertThat(log)
        .containsExactly(
            "a begins broken",
            "b begins broken",
            "a starts broken (1 of 1)",
            "b starts broken (1 of 1)",
            "b fails broken",
            "a fails broken",
            "b breaks off",
            "a breaks off");
  }

  /** Whoever throws when told of something: each observer sees one end of all that has begun. */
  @ParameterizedTest
  @ValueSource(strings = {"begins", "starts", "finishes", "ends"})
  void run_observerThatThrows_leavesTheOthersInBalance(String when) {
    Pass pass = TestPasses.ofProgram("x", UnaryOperator.identity(), (program, context) -> program);
    for (int place = 0; place < 3; place++) {
      log.clear();
      RunOptions options = RunOptions.DEFAULT;
      for (int i = 0; i < 3; i++) {
        options = options.observedBy(i == place ? throwing("b", when) : logging("ac" + i));
      }
      RunOptions observed = options;
      assertThatThrownBy(() -> run(program(1), "x", observed, pass))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("thrown as it " + when);
      for (int i = 0; i < 3; i++) {
        String name = i == place ? "b" : "ac" + i;
        boolean passSeen = !when.equals("begins");
        assertThat(times(name + " begins")).isEqualTo(1);
        assertThat(times(name + " ends") + times(name + " breaks off")).isEqualTo(1);
        assertThat(times(name + " starts")).isEqualTo(passSeen ? 1 : 0);
        assertThat(times(name + " finishes") + times(name + " fails")).isEqualTo(passSeen ? 1 : 0);
      }
    }
  }

  private long times(String beginning) {
    return log.stream().filter(it -> it.startsWith(beginning)).count();
  }

  private PassInstrumentation logging(String name) {
    return throwing(name, "");
  }

  private PassInstrumentation throwing(String name, String when) {
    return new PassInstrumentation() {
      private void note(String event, String what) {
        log.add(name + " " + event + " " + what);
        if (event.equals(when)) {
          throw new IllegalStateException("thrown as it " + event);
        }
      }

      @Override
      public void pipelineStarted(Pipeline pipeline, Program program) {
        note("begins", pipeline.toString());
      }

      @Override
      public void passStarted(PassStep step, Program before) {
        note("starts", step.title());
      }

      @Override
      public void passFinished(PassStep step, PassReport report) {
        note("finishes", step.spec().name());
      }

      @Override
      public void passFailed(PassStep step, Program before, Throwable why) {
        note("fails", step.spec().name());
      }

      @Override
      public void pipelineFinished(Program program) {
        note("ends", program.name());
      }

      @Override
      public void pipelineFailed(Throwable why) {
        note("breaks", "off");
      }
    };
  }

  @Test
  void run_requiredFact_isKnownOfTheInput() {
    Pass needs =
        TestPasses.ofProgram(
            "needs",
            spec -> spec.requires(Fact.PLAN, "there is nothing to judge"),
            (program, context) -> program);
    PassManager manager = new PassManager(ImmutableList.of(needs, new PlanPass()));
    Program program = program(1);
    // Of an input that is not there yet, anything may be so.
    Pipeline pipeline = manager.pipeline("--pipeline", "needs");
    Diagnostic error =
        catchThrowableOfType(
                DiagnosticException.class, () -> manager.run(program, pipeline, SETTINGS))
            .diagnostic();
    assertThat(error.kind()).isEqualTo(Kinds.MISPLACED_PASS);
    assertThat(error.message())
        .isEqualTo("needs requires that the program has a plan: there is nothing to judge");
    assertThat(error.help()).isEqualTo("put plan before it");
    Program planned = manager.run(program, manager.pipeline("t", "plan"), SETTINGS).program();
    assertThat(manager.run(planned, pipeline, SETTINGS).program()).isSameAs(planned);
    assertThat(Optional.of(manager.run(program, manager.pipeline("t", "plan,needs"), SETTINGS)))
        .isPresent();
  }
}
