package dev.stowage.passes.instrument;

import dev.stowage.base.Message;
import dev.stowage.ir.Program;
import dev.stowage.passes.PassInstrumentation;
import dev.stowage.passes.PassReport;
import dev.stowage.passes.PassStep;
import dev.stowage.passes.Pipeline;
import dev.stowage.passes.analysis.Analyses.Computation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes the time of each pass by the clock, of its runs on several methods, and of the analyses
 * that it had computed. Where methods are worked on at a time, the times of the runs add up to more
 * than the pass took. Collects over all pipelines that it observes.
 */
public final class Timing implements PassInstrumentation {
  private static final double NANOS_PER_MILLI = 1e6;

  private final List<Line> lines = new ArrayList<>();
  private long totalNanos;
  private long beginNanos;

  private record Line(int depth, String label, long nanos) {}

  @Override
  public void pipelineStarted(Pipeline pipeline, Program program) {
    beginNanos = System.nanoTime();
  }

  @Override
  public void passFinished(PassStep step, PassReport report) {
    lines.add(new Line(1, step.call().toString(), report.elapsedNanos()));
    if (report.runs().size() > 1) {
      for (PassReport.Run run : report.runs()) {
        lines.add(new Line(2, run.subject(), run.elapsedNanos()));
      }
    }
    Map<String, Long> byAnalysis = new LinkedHashMap<>();
    for (Computation computation : report.computations()) {
      byAnalysis.merge(computation.analysis(), computation.nanos(), Long::sum);
    }
    byAnalysis.forEach((name, nanos) -> lines.add(new Line(2, "(analysis) " + name, nanos)));
  }

  @Override
  public void passFailed(PassStep step, Program before, Throwable why) {
    lines.add(new Line(1, step.call() + " (failed)", 0));
  }

  @Override
  public void pipelineFinished(Program program) {
    totalNanos += System.nanoTime() - beginNanos;
  }

  @Override
  public void pipelineFailed(Throwable why) {
    totalNanos += System.nanoTime() - beginNanos;
  }

  /** Milliseconds, share of the whole, and what took them: a line each, indented as a tree. */
  public String table() {
    StringBuilder table = new StringBuilder("        ms      %  pass\n");
    append(table, new Line(0, "total", totalNanos));
    lines.forEach(line -> append(table, line));
    return table.toString();
  }

  private void append(StringBuilder table, Line line) {
    double share = totalNanos == 0 ? 0 : 100.0 * line.nanos / totalNanos;
    table.append(
        Message.format(
            "%10.3f  %5.1f  %s%s\n",
            line.nanos / NANOS_PER_MILLI, share, "  ".repeat(line.depth), line.label));
  }
}
