package com.acme.stowage;

import dev.stowage.base.Call;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import java.util.Random;
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

/** How long our strategy takes beside Stowage's own, for the same random problem. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class FirstFitBenchmark {
  @Param({"acme-first-fit", "greedy", "naive"})
  String contender;

  @Param("1000")
  int buffers;

  private final Planner planner = Planner.withInstalledStrategies();
  private PlanningProblem problem;

  /** Short lifetimes, sizes up to 4 KiB. */
  @Setup
  public void setUp() {
    Random random = new Random(1);
    PlanningProblem.Builder builder = PlanningProblem.builder("random").alignment(16);
    for (int i = 0; i < buffers; i++) {
      builder.addBuffer(random.nextInt(4096), i, i + random.nextInt(16));
    }
    problem = builder.build();
  }

  @Benchmark
  public PlanningOutcome plan() {
    return planner.plan(problem, Call.of(contender));
  }
}
