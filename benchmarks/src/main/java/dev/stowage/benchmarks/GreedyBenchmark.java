package dev.stowage.benchmarks;

import static com.google.common.base.Preconditions.checkState;

import dev.stowage.base.Call;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
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
 * How long a strategy takes for problems of 100 to 30,000 buffers, from the problem in memory to
 * the whole plan; what reading the file takes is not in it. The problems come with the time that
 * ExecuTorch's own greedy took, which {@code docs/benchmarks.md} puts beside ours.
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar GreedyBenchmark
 * java -jar benchmarks/target/benchmarks.jar GreedyBenchmark -p problem=timing_mixed_1000 \
 *     -p contender='greedy,greedy{overlap=false}'
 * }</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters, and then calls setUp
public class GreedyBenchmark {
  /** A problem; {@code short} ones have short lifetimes only, {@code mixed} ones long ones too. */
  @Param({
    "timing_short_100",
    "timing_short_300",
    "timing_short_1000",
    "timing_short_3000",
    "timing_short_10000",
    "timing_short_30000",
    "timing_mixed_100",
    "timing_mixed_300",
    "timing_mixed_1000",
    "timing_mixed_3000",
    "timing_mixed_10000",
    "timing_mixed_30000"
  })
  String problem;

  /** A strategy, with options if need be, such as {@code greedy{overlap=false}}. */
  @Param("greedy")
  String contender;

  private final Planner planner = Planner.withInstalledStrategies();
  private PlanningProblem planningProblem;
  private Call call;

  /** Reads the problem. */
  @Setup
  public void setUp() {
    planningProblem = TimingProblem.read(problem);
    call = Call.parse("contender", contender);
    planner.check(call);
  }

  /** Plans the problem. */
  @Benchmark
  public MemoryPlan plan() {
    PlanningOutcome outcome = planner.plan(planningProblem, call);
    checkState(outcome instanceof PlanningOutcome.Planned, "no plan: %s", outcome);
    return ((PlanningOutcome.Planned) outcome).plan();
  }
}
