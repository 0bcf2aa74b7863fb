package dev.stowage.benchmarks;

import com.google.common.collect.ImmutableList;
import dev.stowage.ir.DType;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.Ops;
import dev.stowage.ir.Program;
import dev.stowage.ir.TensorType;
import dev.stowage.passes.GraphPass;
import dev.stowage.passes.MethodPass;
import dev.stowage.passes.Pass;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.Pipeline;
import dev.stowage.passes.PipelineResult;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.passes.ProgramPass;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.passes.analysis.Lifetimes;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.Planner;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the pass manager itself costs: ten passes that do nothing, beside one analysis of the same
 * method, and ten passes that each ask for that analysis.
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar PassManagerBenchmark
 * }</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters, and then calls setUp
public class PassManagerBenchmark {
  private static final String NOTHING = "do-nothing-to-methods";
  private static final String ASK = "ask-for-lifetimes";

  /** Nodes of the only method's only graph: a chain in which each fourth result is read twice. */
  @Param("100000")
  int nodes;

  private final PassManager manager =
      new PassManager(
          ImmutableList.<Pass>of(
              new NothingOnMethods(), new NothingOnPrograms(), new NothingOnGraphs(), new Ask()));
  private final PlanningSettings settings =
      new PlanningSettings(
          Planner.withInstalledStrategies(),
          PlanRequest.DEFAULT,
          Optional.empty(),
          Optional.empty(),
          OptionalInt.empty(),
          OptionalLong.empty());
  private Program program;
  private Pipeline tenThatDoNothing;
  private Pipeline tenThatAsk;

  /** Builds the program. */
  @Setup
  public void setUp() {
    program = Program.of("chain", chain(nodes));
    String all = NOTHING + ",do-nothing-to-programs,method(graph(do-nothing-to-graphs))";
    tenThatDoNothing = manager.pipeline("ten", String.join(",", all, all, all, NOTHING));
    tenThatAsk = manager.pipeline("ten", String.join(",", Collections.nCopies(10, ASK)));
  }

  private static Method chain(int nodes) {
    TensorType type = TensorType.of(DType.U8, 64);
    MethodBuilder builder = Method.builder("main");
    int graph = builder.graph("main");
    int previous = builder.tensor("", type);
    builder.node(graph, Ops.INPUT).yields(previous).add();
    int earlier = previous;
    for (int i = 2; i < nodes; i++) {
      int result = builder.tensor("", type);
      builder.node(graph, "add").reads(previous, earlier).yields(result).add();
      earlier = i % 4 == 0 ? previous : earlier;
      previous = result;
    }
    builder.node(graph, Ops.OUTPUT).reads(previous).add();
    return builder.build();
  }

  /** One analysis: the yardstick. */
  @Benchmark
  public Lifetimes lifetimes() {
    return new Analyses().lifetimes(program.methods().get(0));
  }

  /** The manager alone. */
  @Benchmark
  public PipelineResult tenPassesThatDoNothing() {
    return manager.run(program, tenThatDoNothing, settings);
  }

  /** The manager and the cache, with the analysis once in it. */
  @Benchmark
  public PipelineResult tenPassesThatAskForLifetimes() {
    return manager.run(program, tenThatAsk, settings);
  }

  private static final class NothingOnMethods implements MethodPass {
    @Override
    public PassSpec spec() {
      return PassSpec.named(NOTHING).summary("does nothing").build();
    }

    @Override
    public Method run(Method method, PassContext context) {
      return method;
    }
  }

  private static final class NothingOnPrograms implements ProgramPass {
    @Override
    public PassSpec spec() {
      return PassSpec.named("do-nothing-to-programs").summary("does nothing").build();
    }

    @Override
    public Program run(Program program, PassContext context) {
      return program;
    }
  }

  private static final class NothingOnGraphs implements GraphPass {
    @Override
    public PassSpec spec() {
      return PassSpec.named("do-nothing-to-graphs").summary("does nothing").build();
    }

    @Override
    public Method run(Method method, Graph graph, PassContext context) {
      return method;
    }
  }

  private static final class Ask implements MethodPass {
    @Override
    public PassSpec spec() {
      return PassSpec.named(ASK).summary("asks for lifetimes").build();
    }

    @Override
    public Method run(Method method, PassContext context) {
      context.analyses().lifetimes(method);
      return method;
    }
  }
}
